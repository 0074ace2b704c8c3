/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of schema 5 become the partitions "of no month" of tables that take over their names. No row is copied, and the
 * tables are locked only for moments: others go on reading and writing. If a process is killed, the next one repeats its
 * steps. */
#include <time.h>

#include "store/history_schema.h"
#include "store/months.h"

enum { MONTHS_VERSION = 6 };

/* How long to wait for the tables, each time, in milliseconds: others that arrive meanwhile wait too, so the first waits are
 * short, and shorter than the server's deadlock timeout. */
static const int patience[] = {400, 400, 400, 800, 800, 1600, 3000, 6000, 12000, 20000};

static int plain(struct store *store, const char *sql, struct err *err) {
    return store->ops->run(store, sql, NULL, 0, NULL, NULL, NULL, err);
}

static int lock_tables(struct store *store, int milliseconds, struct err *err) {
    struct strbuf sql = {0};
    strbuf_addf(&sql, "SET LOCAL lock_timeout = %d", milliseconds);
    int rc = plain(store, strbuf_text(&sql), err);
    strbuf_clear(&sql);
    strbuf_addz(&sql, "LOCK TABLE ");
    for (const struct history_table *t = history_tables; t->name; t++)
        strbuf_addf(&sql, "%s%s", t == history_tables ? "" : ", ", t->name);
    strbuf_addz(&sql, " IN ACCESS EXCLUSIVE MODE");
    if (rc == 0) rc = plain(store, strbuf_text(&sql), err);
    strbuf_release(&sql);
    return rc;
}

/* A column that all rows get without being rewritten, and a constraint that has not been checked yet. */
static int add_column(struct store *store, struct err *err) {
    return months_ddl_all(store, 0,
                          "ALTER TABLE % ADD COLUMN IF NOT EXISTS month BIGINT NOT NULL DEFAULT 0, DROP CONSTRAINT IF EXISTS "
                          "ttmem_no_month, ADD CONSTRAINT ttmem_no_month CHECK (month = 0) NOT VALID",
                          err);
}

/* Reads every row without locking anyone out; it need not be checked again when the table becomes a partition. */
static int check_column(struct store *store, struct err *err) {
    return months_ddl_all(store, 0, "ALTER TABLE % VALIDATE CONSTRAINT ttmem_no_month", err);
}

static int keep_grants(struct store *store, struct err *err) {
    struct strbuf part = {0};
    int rc = 0;
    for (const struct history_table *t = history_tables; rc == 0 && t->name; t++) {
        strbuf_clear(&part);
        strbuf_addf(&part, "%s_0", t->name);
        rc = months_grants(store, strbuf_text(&part), t->name, err);
    }
    strbuf_release(&part);
    if (rc == 0) rc = months_grants(store, "ttmem_runs_0", "ttmem_months", err);
    return rc == 0 ? months_grants(store, "ttmem_runs_0", "ttmem_run_ids", err) : rc;
}

static int partition(struct store *store, struct err *err) {
    static const char *const of_each[] = {
        "ALTER TABLE % RENAME TO %_0", "CREATE TABLE % (LIKE %_0 INCLUDING DEFAULTS) PARTITION BY LIST (month)",
        "ALTER TABLE % ATTACH PARTITION %_0 FOR VALUES IN (0)", "ALTER TABLE %_0 DROP CONSTRAINT ttmem_no_month"};
    static const char *const once[] = {
        "CREATE TABLE ttmem_months (month BIGINT NOT NULL PRIMARY KEY, going BIGINT NOT NULL)",
        "CREATE TABLE ttmem_run_ids (run_id BIGINT NOT NULL PRIMARY KEY, month BIGINT NOT NULL)",
        "INSERT INTO ttmem_months (month, going) VALUES (0, 0)",
        "INSERT INTO ttmem_run_ids (run_id, month) SELECT run_id, 0 FROM ttmem_runs_0",
        "CREATE INDEX ttmem_run_ids_month ON ttmem_run_ids (month)",
        "INSERT INTO ttmem_schema (version) VALUES (6)",
    };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof of_each / sizeof *of_each; i++) rc = months_ddl_all(store, 0, of_each[i], err);
    for (size_t i = 0; rc == 0 && i < sizeof once / sizeof *once; i++) rc = plain(store, once[i], err);
    return rc == 0 ? keep_grants(store, err) : rc;
}

/* One step in its own transaction. `wait`: locks the tables, for at most this long. */
static int step(struct store *store, int (*what)(struct store *, struct err *), int wait, bool *done, struct err *err) {
    int64_t version = 0;
    int rc = store->ops->begin(store, true, err);
    if (rc != 0) return -1;
    rc = store->ops->lock_schema(store, err);
    if (rc == 0) rc = store->ops->version(store, &version, err);
    *done = rc == 0 && version >= MONTHS_VERSION; /* by another process */
    if (rc == 0 && !*done && wait) rc = lock_tables(store, wait, err);
    if (rc == 0 && !*done) rc = what(store, err);
    if (rc == 0) rc = store->ops->commit(store, err);
    else store->ops->rollback(store);
    return rc;
}

static bool was_busy(struct store *store) {
    static const char *const states[] = {"55P03", "40P01"}; /* waited too long; a deadlock */
    const char *state = store->ops->state(store);
    return state && (strcmp(state, states[0]) == 0 || strcmp(state, states[1]) == 0);
}

static int patient_step(struct store *store, int (*what)(struct store *, struct err *), bool *done, struct err *err) {
    int rc = -1;
    for (size_t i = 0; rc != 0 && i < sizeof patience / sizeof *patience; i++) {
        const struct timespec pause = {.tv_nsec = 150 * 1000 * 1000};
        if (i) nanosleep(&pause, NULL);
        rc = step(store, what, patience[i], done, err);
        if (rc != 0 && !was_busy(store)) return rc;
    }
    return rc;
}

int months_migrate(struct store *store, struct err *err) {
    bool done = false;
    int rc = patient_step(store, add_column, &done, err);
    if (rc == 0 && !done) rc = step(store, check_column, 0, &done, err);
    if (rc == 0 && !done) rc = patient_step(store, partition, &done, err);
    return rc;
}
