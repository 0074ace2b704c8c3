/* SPDX-License-Identifier: Apache-2.0 */
#include "store/history_schema.h"

#include "base/strbuf.h"
#include "store/history.h"
#include "store/months.h"

const struct history_table history_tables[] = {
    {"ttmem_runs", "run_id"},
    {"ttmem_labels", "run_id, label"},
    {"ttmem_measures", "run_id, measure"},
    {"ttmem_pools", "run_id, pool"},
    {"ttmem_types", "run_id, type"},
    {"ttmem_kinds", "run_id, kind"},
    {"ttmem_tensors", "run_id, tensor"},
    {"ttmem_programs", "run_id, program"},
    {"ttmem_leaks", "run_id, leak"},
    {"ttmem_failures", "run_id, failure"},
    {"ttmem_ranks", "run_id, op_rank"},
    {"ttmem_rank_peaks", "run_id, op_rank, pool"},
    {"ttmem_other_fatals", "run_id"},
    {"ttmem_ops", "run_id, op"},
    {0},
};

/* One statement of a migration; `keyed` tables end with what the store adds to tables that are read by their key. */
struct statement {
    int64_t version; /* the version it belongs to */
    bool keyed;
    const char *sql;
};

#define TABLE(version, text) \
    { version, true, "CREATE TABLE " text }

static const struct statement migrations[] = {
    TABLE(1, "ttmem_schema (version BIGINT NOT NULL PRIMARY KEY)"),
    TABLE(1,
          "ttmem_runs (run_id BIGINT NOT NULL PRIMARY KEY, added BIGINT NOT NULL, content TEXT NOT NULL, name TEXT NOT NULL, "
          "model TEXT NOT NULL, git_commit TEXT NOT NULL, branch TEXT NOT NULL, host TEXT NOT NULL, job TEXT NOT NULL, "
          "chip TEXT NOT NULL, source TEXT NOT NULL, ops BIGINT NOT NULL, has_ops BIGINT NOT NULL, "
          "has_lifetimes BIGINT NOT NULL, has_leaks BIGINT NOT NULL)"),
    TABLE(1, "ttmem_labels (run_id BIGINT NOT NULL, label TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run_id, label))"),
    TABLE(1,
          "ttmem_measures (run_id BIGINT NOT NULL, measure TEXT NOT NULL, value BIGINT NOT NULL, whole BIGINT NOT NULL, "
          "PRIMARY KEY (run_id, measure))"),
    TABLE(1,
          "ttmem_pools (run_id BIGINT NOT NULL, pool BIGINT NOT NULL, banks BIGINT NOT NULL, total BIGINT NOT NULL, "
          "peak BIGINT NOT NULL, after_op BIGINT, before_op BIGINT, peak_rank BIGINT NOT NULL, line BIGINT NOT NULL, "
          "free_seen BIGINT NOT NULL, largest_free BIGINT NOT NULL, largest_free_op BIGINT, gap BIGINT NOT NULL, "
          "gap_op BIGINT, PRIMARY KEY (run_id, pool))"),
    TABLE(1,
          "ttmem_types (run_id BIGINT NOT NULL, type BIGINT NOT NULL, shape TEXT NOT NULL, dtype TEXT NOT NULL, "
          "layout TEXT NOT NULL, grid TEXT NOT NULL, pool BIGINT NOT NULL, logical_bytes BIGINT NOT NULL, "
          "padded_bytes BIGINT NOT NULL, per_bank_bytes BIGINT NOT NULL, PRIMARY KEY (run_id, type))"),
    TABLE(1,
          "ttmem_kinds (run_id BIGINT NOT NULL, kind BIGINT NOT NULL, name TEXT NOT NULL, location TEXT NOT NULL, "
          "program TEXT NOT NULL, type BIGINT, PRIMARY KEY (run_id, kind))"),
    TABLE(1,
          "ttmem_tensors (run_id BIGINT NOT NULL, tensor BIGINT NOT NULL, op BIGINT, kind BIGINT, name TEXT NOT NULL, "
          "program TEXT NOT NULL, type BIGINT NOT NULL, result BIGINT NOT NULL, class BIGINT NOT NULL, "
          "pool BIGINT NOT NULL, PRIMARY KEY (run_id, tensor))"),
    TABLE(1,
          "ttmem_ops (run_id BIGINT NOT NULL, op BIGINT NOT NULL, kind BIGINT NOT NULL, dram BIGINT, l1 BIGINT, held BIGINT, "
          "line BIGINT NOT NULL, op_rank BIGINT NOT NULL, PRIMARY KEY (run_id, op))"),
    TABLE(1,
          "ttmem_programs (run_id BIGINT NOT NULL, program BIGINT NOT NULL, name TEXT NOT NULL, passes BIGINT NOT NULL, "
          "after_first BIGINT NOT NULL, after_second BIGINT NOT NULL, after_last BIGINT NOT NULL, "
          "PRIMARY KEY (run_id, program))"),
    TABLE(1,
          "ttmem_leaks (run_id BIGINT NOT NULL, leak BIGINT NOT NULL, kind BIGINT NOT NULL, tensors BIGINT NOT NULL, "
          "per_bank_bytes BIGINT NOT NULL, PRIMARY KEY (run_id, leak))"),
    TABLE(1,
          "ttmem_failures (run_id BIGINT NOT NULL, failure BIGINT NOT NULL, title TEXT NOT NULL, op BIGINT, "
          "line BIGINT NOT NULL, PRIMARY KEY (run_id, failure))"),
    TABLE(1,
          "ttmem_ranks (run_id BIGINT NOT NULL, op_rank BIGINT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (run_id, op_rank))"),
    /* lists without reading every run; trends from one index, without the runs */
    {2, false, "CREATE INDEX ttmem_runs_added ON ttmem_runs (added, run_id)"},
    {2, false, "ALTER TABLE ttmem_measures ADD COLUMN model TEXT NOT NULL DEFAULT ''"},
    {2, false, "ALTER TABLE ttmem_measures ADD COLUMN branch TEXT NOT NULL DEFAULT ''"},
    {2, false, "ALTER TABLE ttmem_measures ADD COLUMN added BIGINT NOT NULL DEFAULT 0"},
    {2, false,
     "UPDATE ttmem_measures SET model = (SELECT r.model FROM ttmem_runs r WHERE r.run_id = ttmem_measures.run_id), branch = "
     "(SELECT r.branch FROM ttmem_runs r WHERE r.run_id = ttmem_measures.run_id), added = (SELECT r.added FROM ttmem_runs r "
     "WHERE r.run_id = ttmem_measures.run_id)"},
    {2, false, "CREATE INDEX ttmem_measures_trend ON ttmem_measures (measure, model, added, run_id, branch, value, whole)"},
    /* enum failure_outcome; older rows count as failures that ended the run */
    {3, false, "ALTER TABLE ttmem_failures ADD COLUMN outcome BIGINT NOT NULL DEFAULT 1"},
    /* thousandths of a MB per bank */
    TABLE(4,
          "ttmem_rank_peaks (run_id BIGINT NOT NULL, op_rank BIGINT NOT NULL, pool BIGINT NOT NULL, peak BIGINT NOT NULL, "
          "total BIGINT NOT NULL, after_op BIGINT, PRIMARY KEY (run_id, op_rank, pool))"),
    /* a fatal error that ended the run and is not about memory */
    TABLE(5, "ttmem_other_fatals (run_id BIGINT NOT NULL, message TEXT NOT NULL, line BIGINT NOT NULL, PRIMARY KEY (run_id))"),
};

enum { LAST_PLAIN = 5 }; /* the next one introduces months */

static int migrate(struct store *store, int64_t from, int64_t to, struct err *err) {
    struct strbuf sql = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof migrations / sizeof *migrations; i++) {
        const struct statement *s = &migrations[i];
        if (s->version <= from || s->version > to) continue;
        strbuf_clear(&sql);
        strbuf_addf(&sql, "%s%s", s->sql, s->keyed ? store->ops->table_options : "");
        rc = store->ops->run(store, strbuf_text(&sql), NULL, 0, NULL, NULL, NULL, err);
    }
    strbuf_release(&sql);
    for (int64_t version = from + 1; rc == 0 && version <= to; version++) {
        struct store_value value = STORE_I(version);
        rc = store->ops->run(store, "INSERT INTO ttmem_schema (version) VALUES ($1)", &value, 1, NULL, NULL, NULL, err);
    }
    return rc;
}

static int migrate_plain(struct store *store, int64_t to, struct err *err) {
    int64_t from;
    int rc = store->ops->begin(store, true, err);
    if (rc == 0) rc = store->ops->lock_schema(store, err);
    /* another process may have done it in the meantime */
    if (rc == 0) rc = store->ops->version(store, &from, err);
    if (rc == 0 && from < to) rc = migrate(store, from, to, err);
    if (rc == 0) rc = store->ops->commit(store, err);
    else store->ops->rollback(store);
    return rc;
}

int history_migrate(struct store *store, int64_t to, struct err *err) {
    int rc = migrate_plain(store, to < LAST_PLAIN ? to : LAST_PLAIN, err);
    if (rc == 0 && to > LAST_PLAIN) rc = months_migrate(store, err);
    if (rc == 0) store->version = to;
    return rc;
}
