/* SPDX-License-Identifier: Apache-2.0 */
/* Removes runs. */
#include "store/history.h"
#include "store/history_schema.h"
#include "store/months.h"

enum { REMOVED_AT_ONCE = 200 };

/* "(... WHERE run_id IN ($1, $2, ...)". */
static void add_ids(struct strbuf *sql, size_t count) {
    strbuf_addz(sql, " WHERE run_id IN (");
    for (size_t i = 0; i < count; i++) strbuf_addf(sql, "%s$%zu", i ? ", " : "", i + 1);
    strbuf_addc(sql, ')');
}

static int remove_from(struct store *store, size_t part, const char *table, const char *suffix, const struct store_value *ids,
                       size_t count, struct err *err) {
    struct strbuf sql = {0};
    strbuf_addf(&sql, "DELETE FROM %s%s", table, suffix);
    add_ids(&sql, count);
    int rc = months_run(store, part, strbuf_text(&sql), ids, count, NULL, NULL, NULL, err);
    strbuf_release(&sql);
    return rc == 0 ? months_answered(store, part, err) : rc;
}

struct touching {
    struct history_months *months;
    bool unknown; /* another process made a month after the list was read */
};

static bool take_month(void *who, const struct store_value *row) {
    struct touching *t = who;
    bool found = false;
    for (size_t i = 0; i < t->months->items.len; i++)
        if (t->months->items.items[i].month == row[0].number) found = t->months->items.items[i].touched = true;
    t->unknown |= !found;
    return true;
}

static int touch_months(struct store *store, const char *sql, const struct store_value *ids, size_t count, bool *unknown,
                        struct err *err) {
    struct touching touching = {.months = store->months};
    for (size_t i = 0; i < store->months->items.len; i++) store->months->items.items[i].touched = false;
    int rc = store->ops->run(store, sql, ids, count, take_month, &touching, NULL, err);
    *unknown = touching.unknown;
    return rc;
}

/* Finds the months of the runs, and keeps others from moving them. */
static int find_months(struct store *store, const struct store_value *ids, size_t count, struct err *err) {
    struct strbuf sql = {0};
    bool unknown = false;
    if (!store->months) return 0;
    strbuf_addz(&sql, "SELECT month FROM ttmem_run_ids");
    add_ids(&sql, count);
    strbuf_addz(&sql, " ORDER BY run_id FOR UPDATE");
    int rc = touch_months(store, strbuf_text(&sql), ids, count, &unknown, err);
    if (rc == 0 && unknown) rc = months_load(store, err);
    if (rc == 0 && unknown) rc = touch_months(store, strbuf_text(&sql), ids, count, &unknown, err);
    strbuf_release(&sql);
    if (rc == 0 && unknown)
        rc = err_set(err, ERR_OUTPUT, "%s: runs are being removed with their month by another process", store->name);
    return rc;
}

static int remove_tables(struct store *store, size_t part, const struct store_value *ids, size_t count, struct err *err) {
    size_t n = 0;
    int rc = 0;
    while (history_tables[n].name) n++;
    while (rc == 0 && n-- > 0) rc = remove_from(store, part, history_tables[n].name, "@", ids, count, err);
    return rc;
}

static int remove_some(struct store *store, const int64_t *ids, size_t count, struct err *err) {
    struct store_value keys[REMOVED_AT_ONCE];
    for (size_t i = 0; i < count; i++) keys[i] = STORE_I(ids[i]);
    int rc = store->ops->begin(store, true, err);
    if (rc == 0) rc = find_months(store, keys, count, err);
    for (size_t part = 0; rc == 0 && part < months_parts(store); part++)
        if (!store->months || store->months->items.items[part].touched) rc = remove_tables(store, part, keys, count, err);
    if (rc == 0 && store->months) rc = remove_from(store, 0, "ttmem_run_ids", "", keys, count, err);
    if (rc == 0) rc = store->ops->commit(store, err);
    if (rc != 0) store->ops->rollback(store);
    return rc;
}

int history_remove(struct store *store, const int64_t *ids, size_t count, struct err *err) {
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i += REMOVED_AT_ONCE)
        rc = remove_some(store, ids + i, count - i < REMOVED_AT_ONCE ? count - i : REMOVED_AT_ONCE, err);
    return rc;
}

int history_leave_months(struct store *store, int64_t before, int64_t *runs, struct err *err) {
    return months_leave(store, before, runs, err);
}

int history_tidy(struct store *store, int64_t *earlier, struct err *err) {
    int rc = months_remove(store, earlier, err);
    return months_sort(store, rc == 0 ? err : NULL) == 0 ? rc : -1;
}
