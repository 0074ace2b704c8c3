/* SPDX-License-Identifier: Apache-2.0 */
/* Creates, fills and removes months. Nothing here makes readers or writers wait for longer than a moment. */
#include <stdlib.h>

#include "store/history_schema.h"
#include "store/months.h"

int months_ddl(struct store *store, const char *table, int64_t month, const char *sql, struct err *err) {
    struct strbuf text = {0};
    for (const char *p = sql; *p; p++) {
        if (*p == '%') strbuf_addz(&text, table);
        else if (*p == '@') strbuf_addf(&text, "%lld", (long long)month);
        else strbuf_addc(&text, *p);
    }
    int rc = store->ops->run(store, strbuf_text(&text), NULL, 0, NULL, NULL, NULL, err);
    strbuf_release(&text);
    return rc;
}

int months_ddl_all(struct store *store, int64_t month, const char *sql, struct err *err) {
    int rc = 0;
    for (const struct history_table *t = history_tables; rc == 0 && t->name; t++)
        rc = months_ddl(store, t->name, month, sql, err);
    return rc;
}

static bool take_number(void *who, const struct store_value *row) {
    *(int64_t *)who = row[0].number;
    return true;
}

/* The result of a statement with one number as its value; `none` if it has no row. */
static int ask(struct store *store, const char *sql, int64_t value, int64_t none, int64_t *answer, struct err *err) {
    struct store_value key = STORE_I(value);
    *answer = none;
    return store->ops->run(store, sql, &key, strchr(sql, '$') ? 1 : 0, take_number, answer, NULL, err);
}

int months_grants(struct store *store, const char *from, const char *to, struct err *err) {
    struct strbuf sql = {0};
    strbuf_addf(
        &sql,
        "DO $do$ DECLARE one text; BEGIN FOR one IN SELECT format('GRANT %%s ON %s TO %%s', a.privilege_type, CASE "
        "a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END) FROM pg_catalog.pg_class c, "
        "aclexplode(c.relacl) a WHERE c.oid = to_regclass('%s') AND a.grantee <> c.relowner LOOP EXECUTE one; END LOOP; "
        "END $do$",
        to, from);
    int rc = store->ops->run(store, strbuf_text(&sql), NULL, 0, NULL, NULL, NULL, err);
    strbuf_release(&sql);
    return rc;
}

/* --- creating a month --- */

/* Attaching an existing table does not block users of the others; creating it as a partition would. */
static int make_table(struct store *store, const struct history_table *table, int64_t month, struct err *err) {
    struct strbuf key = {0}, name = {0};
    strbuf_addf(&key, "ALTER TABLE %%_@ ALTER COLUMN month SET DEFAULT @, ADD PRIMARY KEY (%s)", table->key);
    strbuf_addf(&name, "%s_%lld", table->name, (long long)month);
    int rc = months_ddl(store, table->name, month, "CREATE TABLE %_@ (LIKE % INCLUDING DEFAULTS)", err);
    if (rc == 0) rc = months_ddl(store, table->name, month, strbuf_text(&key), err);
    if (rc == 0) rc = months_grants(store, table->name, strbuf_text(&name), err);
    if (rc == 0) rc = months_ddl(store, table->name, month, "ALTER TABLE % ATTACH PARTITION %_@ FOR VALUES IN (@)", err);
    strbuf_release(&key);
    strbuf_release(&name);
    return rc;
}

static int make_month(struct store *store, int64_t month, struct err *err) {
    static const char *const indexes[] = {
        "CREATE INDEX ON ttmem_runs_@ (added, run_id)",
        "CREATE INDEX ON ttmem_measures_@ (measure, model, added, run_id, branch, value, whole)",
        "CREATE INDEX ON ttmem_pools_@ (pool, run_id) WHERE (free_seen & 30) <> 0",
        "INSERT INTO ttmem_months (month, going) VALUES (@, 0)",
    };
    int rc = 0;
    for (const struct history_table *t = history_tables; rc == 0 && t->name; t++) rc = make_table(store, t, month, err);
    for (size_t i = 0; rc == 0 && i < sizeof indexes / sizeof *indexes; i++) rc = months_ddl(store, "", month, indexes[i], err);
    return rc;
}

/* Only the owner of a table may attach partitions to it and detach them. */
static int owns(struct store *store, int64_t *yes, struct err *err) {
    return ask(store,
               "SELECT CASE WHEN pg_has_role(relowner, 'USAGE') THEN 1 ELSE 0 END FROM pg_catalog.pg_class WHERE oid = "
               "to_regclass('ttmem_runs')",
               0, 0, yes, err);
}

static int make_if_missing(struct store *store, int64_t month, struct err *err) {
    int64_t going;
    int rc = store->ops->begin(store, true, err);
    if (rc != 0) return -1;
    rc = store->ops->lock_schema(store, err);
    if (rc == 0) rc = ask(store, "SELECT going FROM ttmem_months WHERE month = $1", month, -1, &going, err);
    if (rc == 0 && going > 0)
        rc = err_set(err, ERR_OUTPUT, "%s: the runs of that month are being removed; try again later", store->name);
    if (rc == 0 && going < 0) rc = make_month(store, month, err);
    if (rc == 0) rc = store->ops->commit(store, err);
    else store->ops->rollback(store);
    return rc;
}

int months_part_for(struct store *store, int64_t added, size_t *part, struct err *err) {
    int64_t month = month_of(added), mine;
    *part = 0; /* of no month */
    if (!store->months || months_known(store, month, part)) return 0;
    if (owns(store, &mine, err) != 0) return -1;
    if (mine && make_if_missing(store, month, err) != 0) return -1;
    if (months_load(store, err) != 0) return -1;
    if (!months_known(store, month, part)) *part = 0;
    return 0;
}

/* --- removing months --- */

int months_leave(struct store *store, int64_t before, int64_t *runs, struct err *err) {
    int64_t mine = 0;
    *runs = 0;
    if (!store->months) return 0;
    if (owns(store, &mine, err) != 0) return -1;
    for (size_t i = 0; mine && i < store->months->items.len; i++) {
        struct history_month *month = &store->months->items.items[i];
        int64_t count;
        if (!month->month || month_end(month->month) > before) continue;
        if (ask(store, "SELECT count(*) FROM ttmem_run_ids WHERE month = $1", month->month, 0, &count, err) != 0) return -1;
        month->going = true;
        *runs += count;
    }
    return 0;
}

/* Waits for users of the whole table without blocking anyone. Finishes what another process began. */
static int detach(struct store *store, const char *table, int64_t month, struct err *err) {
    struct strbuf sql = {0};
    int64_t pending;
    strbuf_addf(&sql,
                "SELECT CASE WHEN inhdetachpending THEN 1 ELSE 0 END FROM pg_catalog.pg_inherits WHERE inhrelid = "
                "to_regclass('%s_%lld')",
                table, (long long)month);
    int rc = ask(store, strbuf_text(&sql), 0, -1, &pending, err);
    strbuf_release(&sql);
    if (rc != 0 || pending < 0) return rc;
    return months_ddl(
        store, table, month,
        pending ? "ALTER TABLE % DETACH PARTITION %_@ FINALIZE" : "ALTER TABLE % DETACH PARTITION %_@ CONCURRENTLY", err);
}

static int drop(struct store *store, int64_t month, bool foreign, struct err *err) {
    int rc = store->ops->begin(store, true, err);
    if (rc != 0) return -1;
    rc = months_ddl_all(store, month, foreign ? "DROP FOREIGN TABLE IF EXISTS %_@" : "DROP TABLE IF EXISTS %_@", err);
    if (rc == 0) rc = months_ddl(store, "", month, "DELETE FROM ttmem_run_ids WHERE month = @", err);
    if (rc == 0) rc = months_ddl(store, "", month, "DELETE FROM ttmem_months WHERE month = @", err);
    if (rc == 0) rc = store->ops->commit(store, err);
    else store->ops->rollback(store);
    return rc;
}

/* For a month on another server the rows go first, because they are not in the table that is dropped here. */
static int remove_month(struct store *store, int64_t month, struct err *err) {
    struct strbuf sql = {0};
    int64_t foreign;
    strbuf_addf(&sql, "SELECT count(*) FROM pg_catalog.pg_foreign_table WHERE ftrelid = to_regclass('ttmem_runs_%lld')",
                (long long)month);
    int rc = ask(store, strbuf_text(&sql), 0, 0, &foreign, err);
    strbuf_release(&sql);
    if (rc == 0 && foreign) rc = months_ddl_all(store, month, "DELETE FROM %_@", err);
    for (const struct history_table *t = history_tables; rc == 0 && t->name; t++) rc = detach(store, t->name, month, err);
    return rc == 0 ? drop(store, month, foreign != 0, err) : rc;
}

struct month_list {
    VEC(int64_t) items;
};

static bool take_month(void *who, const struct store_value *row) {
    struct month_list *list = who;
    vec_push(&list->items, row[0].number);
    return true;
}

enum { HOUSE_LOCK = 0x74746d68 }; /* one process at a time removes and sorts */

static int mark_going(struct store *store, struct err *err) {
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < store->months->items.len; i++) {
        const struct history_month *month = &store->months->items.items[i];
        if (month->going) rc = months_ddl(store, "", month->month, "UPDATE ttmem_months SET going = 1 WHERE month = @", err);
    }
    return rc;
}

int months_remove(struct store *store, int64_t *earlier, struct err *err) {
    struct month_list going = {0};
    int64_t mine = 0, got = 0, left = 0;
    *earlier = 0;
    if (!store->months) return 0;
    if (owns(store, &mine, err) != 0) return -1;
    if (!mine) return 0;
    int rc = ask(store, "SELECT count(*) FROM ttmem_run_ids i JOIN ttmem_months m ON m.month = i.month WHERE m.going = 1", 0, 0,
                 &left, err);
    if (rc == 0) rc = mark_going(store, err);
    if (rc == 0) rc = ask(store, "SELECT CASE WHEN pg_try_advisory_lock($1) THEN 1 ELSE 0 END", HOUSE_LOCK, 0, &got, err);
    if (rc == 0 && got)
        rc = store->ops->run(store, "SELECT month FROM ttmem_months WHERE going = 1 ORDER BY month", NULL, 0, take_month,
                             &going, NULL, err);
    /* if one cannot be removed because its server is away, the others still are */
    struct err problem;
    int failed = 0;
    for (size_t i = 0; rc == 0 && i < going.items.len; i++)
        if (remove_month(store, going.items.items[i], &problem) != 0 && !failed++ && err) *err = problem;
    vec_release(&going.items);
    if (rc == 0 && got && !failed) *earlier = left;
    return rc == 0 && !failed ? months_load(store, err) : -1;
}

/* --- sorting runs into months --- */

enum { MOVED_AT_ONCE = 50 };

struct unsorted {
    int64_t month;
    size_t count;
    struct store_value values[MOVED_AT_ONCE + 1]; /* the month, then the runs */
};

/* Runs of the same month as the first one. */
static bool take_unsorted(void *who, const struct store_value *row) {
    struct unsorted *u = who;
    int64_t month = month_of(row[1].number);
    if (u->count && month != u->month) return true;
    u->month = month;
    u->values[++u->count] = STORE_I(row[0].number);
    return true;
}

static int move_rows(struct store *store, const struct unsorted *u, const char *before, const char *after, struct err *err) {
    struct strbuf sql = {0};
    strbuf_addf(&sql, "%s", before);
    for (size_t i = 0; i < u->count; i++) strbuf_addf(&sql, "%s$%zu", i ? ", " : "", i + 2);
    strbuf_addf(&sql, ")%s", after);
    int rc = store->ops->run(store, strbuf_text(&sql), u->values, u->count + 1, NULL, NULL, NULL, err);
    strbuf_release(&sql);
    return rc;
}

/* The ids first, because a process that removes a run or adds its ops locks its id meanwhile. */
static int move_runs(struct store *store, const struct unsorted *u, struct err *err) {
    struct strbuf sql = {0};
    int rc = move_rows(store, u, "SELECT $1::bigint FROM ttmem_run_ids WHERE run_id IN (", " ORDER BY run_id FOR UPDATE", err);
    if (rc == 0)
        rc = move_rows(store, u,
                       "INSERT INTO ttmem_run_ids (run_id, month) SELECT run_id, $1 FROM ttmem_runs_0 WHERE run_id IN (",
                       " ON CONFLICT (run_id) DO UPDATE SET month = excluded.month", err);
    for (const struct history_table *t = history_tables; rc == 0 && t->name; t++) {
        strbuf_clear(&sql);
        strbuf_addf(&sql, "UPDATE %s SET month = $1 WHERE month = 0 AND run_id IN (", t->name);
        rc = move_rows(store, u, strbuf_text(&sql), "", err);
    }
    strbuf_release(&sql);
    return rc;
}

static int sort_some(struct store *store, struct unsorted *u, struct err *err) {
    struct store_value limit = STORE_I(MOVED_AT_ONCE);
    size_t part;
    *u = (struct unsorted){0};
    if (store->ops->run(store, "SELECT run_id, added FROM ttmem_runs_0 ORDER BY added DESC, run_id LIMIT $1", &limit, 1,
                        take_unsorted, u, NULL, err) != 0)
        return -1;
    if (!u->count) return 0;
    if (months_part_for(store, month_end(u->month) - 1, &part, err) != 0) return -1;
    u->values[0] = STORE_I(u->month);
    int rc = store->ops->begin(store, true, err);
    if (rc != 0) return -1;
    rc = move_runs(store, u, err);
    if (rc == 0) rc = store->ops->commit(store, err);
    if (rc != 0) store->ops->rollback(store);
    return rc;
}

int months_sort(struct store *store, struct err *err) {
    int64_t mine = 0, got = 0;
    struct unsorted u;
    if (!store->months) return 0;
    int rc = owns(store, &mine, err);
    if (rc == 0 && mine)
        rc = ask(store, "SELECT CASE WHEN pg_try_advisory_lock($1) THEN 1 ELSE 0 END", HOUSE_LOCK, 0, &got, err);
    if (rc != 0 || !got) return rc;
    do rc = sort_some(store, &u, err);
    while (rc == 0 && u.count);
    return rc;
}
