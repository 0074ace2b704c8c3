/* SPDX-License-Identifier: Apache-2.0 */
/* A history in PostgreSQL is partitioned by month: each of its tables ttmem_X has a partition ttmem_X_202611 for the runs
 * that were added in November 2026 (UTC), and ttmem_X_0 for runs that are in no month yet: those of an older schema, and
 * those of writers who may not make a partition. ttmem_months lists the months, ttmem_run_ids says which month a run is in;
 * both are complete on the first server even if a month is on another one, as a foreign table (postgres_fdw).
 *
 * Statements go to one month after the other and name the partitions, so that a month whose server is away costs only that
 * month. In their text @ stands for what follows the name of a table: "FROM ttmem_runs@ r". If a store has no months, that
 * is nothing, and there is one part. */
#ifndef TTMEM_STORE_MONTHS_H
#define TTMEM_STORE_MONTHS_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "store/store_ops.h"

struct history_month {
    int64_t month;       /* 202611; 0: runs of no month yet */
    struct slice server; /* empty: on the first one */
    bool going;          /* about to be removed, and not read */
    bool away;           /* its server does not answer; `reason` says why */
    bool missing;        /* requested, but could not be read */
    struct slice reason;
    bool touched; /* by the current statement */
};

struct history_months {
    struct arena arena;
    VEC(struct history_month) items; /* 0 first, so that a run that is moved meanwhile is not missed; then newest first */
};

/* The month of a moment, in microseconds since 1970; the first moment after a month. */
int64_t month_of(int64_t added);
int64_t month_end(int64_t month);

/* Reads the list of months of a store that has them; missing ones stay so. */
int months_load(struct store *store, struct err *err);
void months_free(struct history_months *months);

/* The number of parts to query. */
size_t months_parts(const struct store *store);

/* The part of a month; false if it is not in the list, or is being removed. */
bool months_known(const struct store *store, int64_t month, size_t *part);

/* Can a part have runs from `since` on? */
bool months_since(const struct store *store, size_t part, int64_t since);

/* Appends a statement for a part. */
void months_sql(struct strbuf *out, const struct store *store, size_t part, const char *sql);

/* Like store->ops->run. A month on a server that does not answer, or that was removed meanwhile, has no rows. */
int months_run(struct store *store, size_t part, const char *sql, const struct store_value *values, size_t count,
               store_row_fn *row, void *who, int64_t *changed, struct err *err);

/* The part that has a run. ERR_INPUT if none has, ERR_LACKS if its month is missing. */
int months_find(struct store *store, int64_t run, size_t *part, struct err *err);

/* ERR_LACKS if the month of a part is missing. */
int months_answered(const struct store *store, size_t part, struct err *err);

/* ERR_LACKS, with their names, if months were missing from what was read; 0 otherwise. */
int months_whole(const struct store *store, struct err *err);

/* --- for writers: store/months_keep.c --- */

/* Runs a statement in which % is a table and @ a month, for one table or for each of a run's tables. */
int months_ddl(struct store *store, const char *table, int64_t month, const char *sql, struct err *err);
int months_ddl_all(struct store *store, int64_t month, const char *sql, struct err *err);

/* Permission for one table implies permission for the others. */
int months_grants(struct store *store, const char *from, const char *to, struct err *err);

/* Partitions the tables of schema 5, while others read and write: store/months_migrate.c. */
int months_migrate(struct store *store, struct err *err);

/* The part that takes runs of a moment; makes its month. The part of no month if the user may not do that. */
int months_part_for(struct store *store, int64_t added, size_t *part, struct err *err);

/* Marks the months that ended before a moment for removal; *runs: how many runs they hold. */
int months_leave(struct store *store, int64_t before, int64_t *runs, struct err *err);

/* Removes the marked months, also those that another process began to remove: *earlier is how many runs these held. No other
 * user has to wait. */
int months_remove(struct store *store, int64_t *earlier, struct err *err);

/* Moves runs of no month into theirs, some at a time. Does nothing if the user may not. */
int months_sort(struct store *store, struct err *err);

#endif
