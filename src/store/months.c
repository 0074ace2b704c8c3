/* SPDX-License-Identifier: Apache-2.0 */
#include "store/months.h"

#include <stdlib.h>
#include <time.h>

int64_t month_of(int64_t added) {
    time_t seconds = (time_t)(added / 1000000);
    struct tm parts;
    if (!gmtime_r(&seconds, &parts)) return 0;
    return ((int64_t)parts.tm_year + 1900) * 100 + parts.tm_mon + 1;
}

int64_t month_end(int64_t month) {
    struct tm parts = {.tm_year = (int)(month / 100 - 1900), .tm_mon = (int)(month % 100), .tm_mday = 1};
    return (int64_t)timegm(&parts) * 1000000;
}

static bool take_month(void *who, const struct store_value *row) {
    struct history_months *months = who;
    struct history_month month = {.month = row[0].number, .server = arena_copy(&months->arena, row[1].text)};
    vec_push(&months->items, month);
    return true;
}

static void keep_missing(struct history_months *months, const struct history_months *old) {
    for (size_t i = 0; old && i < old->items.len; i++)
        for (size_t k = 0; k < months->items.len; k++) {
            const struct history_month *was = &old->items.items[i];
            struct history_month *month = &months->items.items[k];
            if (month->month != was->month || !was->away) continue;
            month->away = true;
            month->missing = was->missing;
            month->reason = arena_copy(&months->arena, was->reason);
        }
}

int months_load(struct store *store, struct err *err) {
    struct history_months *months = mem_zalloc(1, sizeof *months);
    int rc =
        store->ops->run(store,
                        "SELECT m.month, coalesce(s.srvname::text, '') FROM ttmem_months m LEFT JOIN "
                        "pg_catalog.pg_foreign_table f ON f.ftrelid = to_regclass('ttmem_runs_' || m.month) LEFT JOIN "
                        "pg_catalog.pg_foreign_server s ON s.oid = f.ftserver WHERE m.going = 0 ORDER BY m.month = 0 DESC, "
                        "m.month DESC",
                        NULL, 0, take_month, months, NULL, err);
    if (rc != 0) {
        months_free(months);
        return -1;
    }
    keep_missing(months, store->months);
    months_free(store->months);
    store->months = months;
    return 0;
}

void months_free(struct history_months *months) {
    if (!months) return;
    vec_release(&months->items);
    arena_release(&months->arena);
    free(months);
}

size_t months_parts(const struct store *store) { return store->months ? store->months->items.len : 1; }

bool months_known(const struct store *store, int64_t month, size_t *part) {
    for (*part = 0; *part < store->months->items.len; ++*part) {
        const struct history_month *at = &store->months->items.items[*part];
        if (at->month == month && !at->going) return true;
    }
    return false;
}

bool months_since(const struct store *store, size_t part, int64_t since) {
    if (!store->months) return true;
    const struct history_month *month = &store->months->items.items[part];
    return !month->going && (!month->month || month_end(month->month) > since);
}

void months_sql(struct strbuf *out, const struct store *store, size_t part, const char *sql) {
    for (const char *p = sql; *p; p++) {
        if (*p != '@') strbuf_addc(out, *p);
        else if (store->months) strbuf_addf(out, "_%lld", (long long)store->months->items.items[part].month);
    }
}

/* The server's message follows the name of the store. */
static struct slice words_of(const struct store *store, const struct err *err) {
    struct slice words = slice_from(err->text), name = slice_from(store->name);
    return slice_starts(words, name) && words.len > name.len + 2 ? slice_skip(words, name.len + 2) : words;
}

/* A server that cannot be reached is not asked again for its other months, because each would wait as long. */
static void miss(struct store *store, struct history_month *month, const char *state, const struct err *problem) {
    struct history_months *months = store->months;
    bool unreachable = strncmp(state, "08", 2) == 0;
    struct slice reason = arena_copy(&months->arena, words_of(store, problem));
    for (size_t i = 0; i < months->items.len; i++) {
        struct history_month *other = &months->items.items[i];
        if (other != month && !(unreachable && slice_equal(other->server, month->server))) continue;
        other->away = true;
        other->reason = reason;
    }
    month->missing = true;
}

static const char undefined_table[] = "42P01";

/* Does a failed statement cost only its month? */
static bool only_the_month(struct store *store, size_t part, const struct err *problem) {
    const char *state = store->ops->state(store);
    if (!store->months || !state) return false;
    struct history_month *month = &store->months->items.items[part];
    if (month->server.len) miss(store, month, state, problem);
    else if (!month->month || strcmp(state, undefined_table) != 0) return false;
    else month->going = true;
    return true;
}

static bool is_asked(const struct store *store, size_t part) {
    if (!store->months) return true;
    struct history_month *month = &store->months->items.items[part];
    if (month->going) return false;
    if (month->away) month->missing = true;
    return !month->away;
}

int months_run(struct store *store, size_t part, const char *sql, const struct store_value *values, size_t count,
               store_row_fn *row, void *who, int64_t *changed, struct err *err) {
    struct strbuf text = {0};
    struct err problem = {0};
    if (changed) *changed = 0;
    if (!is_asked(store, part)) return 0;
    months_sql(&text, store, part, sql);
    int rc = store->ops->run(store, strbuf_text(&text), values, count, row, who, changed, &problem);
    strbuf_release(&text);
    if (rc == 0 || only_the_month(store, part, &problem)) return 0;
    if (err) *err = problem;
    return -1;
}

static bool take_number(void *who, const struct store_value *row) {
    *(int64_t *)who = row[0].number;
    return true;
}

static void add_month(struct strbuf *out, int64_t month) {
    strbuf_addf(out, "%04lld-%02lld", (long long)(month / 100), (long long)(month % 100));
}

int months_find(struct store *store, int64_t run, size_t *part, struct err *err) {
    struct store_value key = STORE_I(run);
    int64_t month = -1;
    *part = 0;
    if (!store->months) return 0;
    if (store->ops->run(store, "SELECT month FROM ttmem_run_ids WHERE run_id = $1", &key, 1, take_number, &month, NULL, err) !=
        0)
        return -1;
    if (months_known(store, month, part)) return 0;
    if (months_load(store, err) != 0) return -1; /* it may be newer than the list */
    if (months_known(store, month, part)) return 0;
    return err_set(err, ERR_INPUT, "the run is no longer in the history");
}

int months_answered(const struct store *store, size_t part, struct err *err) {
    if (!store->months) return 0;
    const struct history_month *month = &store->months->items.items[part];
    if (!month->missing) return 0;
    return err_set(err, ERR_LACKS, "the run is of %04lld-%02lld, a month on the server %.*s: %.*s",
                   (long long)(month->month / 100), (long long)(month->month % 100), SLICE_FMT(month->server),
                   SLICE_FMT(month->reason));
}

int months_whole(const struct store *store, struct err *err) {
    struct strbuf names = {0};
    const struct history_month *first = NULL;
    for (size_t i = 0; store && store->months && i < store->months->items.len; i++) {
        const struct history_month *month = &store->months->items.items[i];
        if (!month->missing) continue;
        if (names.len) strbuf_addz(&names, ", ");
        add_month(&names, month->month);
        if (!first) first = month;
    }
    int rc = !first ? 0
                    : err_set(err, ERR_LACKS, "the history was read without %s, which %s on the server %.*s: %.*s",
                              strbuf_text(&names), strchr(strbuf_text(&names), ',') ? "are" : "is", SLICE_FMT(first->server),
                              SLICE_FMT(first->reason));
    strbuf_release(&names);
    return rc;
}
