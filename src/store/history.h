/* SPDX-License-Identifier: Apache-2.0 */
/* A history of runs in a database: their measures, what was alive at their peaks, and their ops if requested. The same
 * tables and statements serve SQLite (one file, nothing to set up) and PostgreSQL (for a team), where they are partitioned
 * by month; docs/history.md describes both. A month whose server is away is missing from what is read; history_whole reports
 * it.
 *
 * A run is stored completely or not at all: everything about it is added in one transaction. Its id follows from its content
 * and its labels, so adding it twice gives one run. */
#ifndef TTMEM_STORE_HISTORY_H
#define TTMEM_STORE_HISTORY_H

#include "analysis/compare/measures.h"
#include "base/strbuf.h"
#include "model/origin.h"
#include "store/store_ops.h"

enum { HISTORY_ID_DIGITS = 15, HISTORY_PREFIX_MIN = 4 };

/* Opens the store of an address: NULL or "" is history.db under the home of ttmem; a URL that begins with postgresql:// or
 * postgres://; else the path of a file. Makes and migrates the schema if `write` is set; without it a missing history is
 * ERR_INPUT, and an older one is read as it is. NULL on error. */
struct store *history_open(const char *address, bool write, struct err *err);
void history_close(struct store *store);

/* ERR_USAGE if an address on the command line contains a password, because other users see it there. */
int history_check_address(const char *address, struct err *err);

/* Is there a history at the default place? Never an error. */
bool history_exists(const char *address);

/* ERR_LACKS, with their names, if months were missing from what was read from the store. */
int history_whole(const struct store *store, struct err *err);

/* The missing months one by one: writes the next one ("2026-11") to `name`, which has room for HISTORY_MONTH_ROOM. Begin
 * with `from` 0; returns where to continue, 0 if there is none left. */
enum { HISTORY_MONTH_ROOM = 32 };
size_t history_missing(const struct store *store, size_t from, char *name);

/* Brings the schema up to version `to` from any older one; tests use an older `to`. */
int history_migrate(struct store *store, int64_t to, struct err *err);

struct history_label {
    struct slice name, value;
};

/* A run's row. Texts live in the arena they were read into, or with the caller. */
struct history_run {
    int64_t id;
    int64_t added; /* microseconds since 1970 */
    struct slice name, model, commit, branch, host, job, chip, source;
    int64_t ops;
    bool has_ops;
};

/* By the name of its report, even if a label names another model. */
static inline bool history_run_is_predicted(const struct history_run *run) {
    return slice_ends(run->name, SLICE(PREDICTED_ENDING));
}

/* Digits of an id; room for HISTORY_ID_DIGITS + 1. */
void history_id_text(int64_t id, char *out);

/* Adds a run with its labels, whose array is used up. *added is false if it existed already. Fills run->id. */
int history_add(struct store *store, struct history_run *run, struct history_label *labels, size_t label_count,
                const struct footprint *footprint, bool with_ops, bool *added, struct err *err);

/* What a command may filter by; NULL and 0: everything. */
struct history_filter {
    const char *model, *branch;
    const char *label, *label_value; /* both or none */
    int64_t since, before;           /* moments, microseconds since 1970 */
    int64_t limit;                   /* the newest N */
};

/* The source of a peak. */
struct history_peak {
    uint8_t source; /* enum peak_source */
    bool at_least;  /* it may have been higher */
    bool ended;     /* at least: because the run failed, and for no other reason */
    bool of_sizes;  /* at least: because sizes are bounds, and for no other reason */
};

struct history_listed {
    struct history_run run;
    bool has_dram, has_l1;
    bool ended; /* a failure ended the run */
    struct history_peak dram_peak, l1_peak;
    int64_t dram, dram_whole, l1, l1_whole, failures; /* bytes per bank */
};

struct history_list {
    struct arena arena;
    VEC(struct history_listed) runs; /* newest first */
};

int history_list(struct store *store, const struct history_filter *filter, struct history_list *out, struct err *err);
void history_list_release(struct history_list *list);

/* Labels of several runs. */
struct history_run_label {
    int64_t run;
    struct history_label label;
};

struct history_labels {
    struct arena arena;
    VEC(struct history_run_label) items; /* by run, then by name */
};

/* At least those of the runs of a list. */
int history_labels(struct store *store, const struct history_list *list, struct history_labels *out, struct err *err);
void history_labels_release(struct history_labels *labels);

/* A measure over time, oldest first, models one after another. */
struct history_point {
    int64_t id, added, value, whole;
    struct slice model;
    bool at_least; /* for a peak, or a class at it: it may have been higher */
    bool bound;    /* the figure is a bound */
    bool ended;    /* the run failed: what it would have reached is unknown */
};

struct history_series {
    struct arena arena;
    VEC(struct history_point) points;
    VEC(struct slice) models; /* each once */
};

int history_series(struct store *store, const struct measure *measure, const struct history_filter *filter,
                   struct history_series *out, struct err *err);
void history_series_release(struct history_series *series);

/* Appends the commit of a run. */
int history_commit(struct store *store, int64_t id, struct strbuf *out, struct err *err);

/* Finds the run that a word names: the first digits of its id, at least HISTORY_PREFIX_MIN, or branch:NAME. ERR_INPUT if
 * none or several match. */
int history_find(struct store *store, const char *word, int64_t *id, struct err *err);

/* Can a word name a run of the history at all? */
bool history_word(const char *word);

struct history_details {
    struct arena arena;
    struct history_run run;
    VEC(struct history_label) labels;
    VEC(struct slice) measures;  /* names */
    VEC(int64_t) values, wholes; /* of the measures */
    bool ended;                  /* a failure ended the run */
    struct history_peak peaks[POOL_COUNT];
    struct slice other_fatal; /* what ended the run, if it is not about memory; or empty */
    int64_t other_fatal_line;
};

/* The peak of the pool that a measure is about: a bound on it also bounds the free memory, from the other side; NULL: no
 * pool. */
const struct history_peak *history_pool_of(const struct history_details *details, struct slice measure);
/* The peak that a measure is, or NULL. */
const struct history_peak *history_peak_of(const struct history_details *details, struct slice measure);

int history_details(struct store *store, int64_t id, struct history_details *out, struct err *err);
void history_details_release(struct history_details *details);

/* The footprint of a run as kept. */
int history_footprint(struct store *store, int64_t id, struct footprint *out, struct err *err);

/* Removes runs with everything about them, some at a time, so that other users wait only briefly: each run is there
 * completely or not at all, and what was removed before an error stays removed. */
int history_remove(struct store *store, const int64_t *ids, size_t count, struct err *err);

/* If the store has months: those that ended before a moment are no longer read; history_tidy removes them. *runs: how many
 * runs they hold. */
int history_leave_months(struct store *store, int64_t before, int64_t *runs, struct err *err);

/* Removes marked months, also those left by a process that did not finish (*earlier: how many runs those held), and moves
 * runs of no month into theirs. No other user has to wait. */
int history_tidy(struct store *store, int64_t *earlier, struct err *err);

#endif
