/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a history -> lists, labels, series. */
#include <stdlib.h>

#include "analysis/failure/outcome.h"
#include "store/history.h"
#include "store/history_rows.h"
#include "store/months.h"

/* --- which runs --- */

/* Conditions of a filter: appended to the statement, values bound from $`next` on. */
struct conditions {
    struct strbuf sql;
    struct store_value values[8];
    size_t count;
};

static void condition(struct conditions *c, const char *format, struct store_value value) {
    c->values[c->count++] = value;
    strbuf_addz(&c->sql, " AND ");
    strbuf_addf(&c->sql, "%s$%zu", format, c->count);
}

static void add_filter(struct conditions *c, const struct history_filter *filter) {
    if (filter->model) condition(c, "r.model = ", STORE_T(slice_from(filter->model)));
    if (filter->branch) condition(c, "r.branch = ", STORE_T(slice_from(filter->branch)));
    if (filter->since) condition(c, "r.added >= ", STORE_I(filter->since));
    if (filter->before) condition(c, "r.added < ", STORE_I(filter->before));
    if (!filter->label) return;
    condition(c, "EXISTS (SELECT 1 FROM ttmem_labels@ l WHERE l.run_id = r.run_id AND l.label = ",
              STORE_T(slice_from(filter->label)));
    condition(c, "l.value = ", STORE_T(slice_from(filter->label_value)));
    strbuf_addc(&c->sql, ')');
}

/* --- the list --- */

struct slice history_keep(struct arena *arena, const struct store_value *value) {
    return arena_copy(arena, value->text);
}

struct history_run history_row_run(struct arena *arena, const struct store_value *row) {
    return (struct history_run){.id = row[0].number,
                                .added = row[1].number,
                                .name = history_keep(arena, &row[2]),
                                .model = history_keep(arena, &row[3]),
                                .commit = history_keep(arena, &row[4]),
                                .branch = history_keep(arena, &row[5]),
                                .host = history_keep(arena, &row[6]),
                                .job = history_keep(arena, &row[7]),
                                .chip = history_keep(arena, &row[8]),
                                .source = history_keep(arena, &row[9]),
                                .ops = row[10].number,
                                .has_ops = row[11].number != 0};
}

struct history_peak history_row_peak(const struct store_value *bits, bool ended) {
    if (bits->kind != STORE_INT) return (struct history_peak){0};
    uint8_t source = (uint8_t)(bits->number >> 2 & 3) % PEAK_SOURCES;
    bool bound = (bits->number & HISTORY_BOUND_BITS) != 0;
    bool of_sizes = (bits->number & HISTORY_BOUND_BITS) == HISTORY_SIZE_BIT && !ended;
    return (struct history_peak){source, bound || ended, !bound && ended, of_sizes};
}

const char *history_ended_source(const struct store *store, size_t at) {
    static const struct {
        int64_t version;
        const char *sql;
    } sources[] = {
        {3, "ttmem_failures@ e WHERE e.outcome <> 2"}, /* OUTCOME_CAUGHT; older ones do not record how failures ended */
        {5, "ttmem_other_fatals@ e WHERE e.run_id IS NOT NULL"},
    };
    _Static_assert(OUTCOME_CAUGHT == 2, "the number in the statement above");
    return at < sizeof sources / sizeof *sources && store->version >= sources[at].version ? sources[at].sql : NULL;
}

/* "..., 1 if a failure ended the run r". */
static void add_ended(struct strbuf *sql, const struct store *store) {
    const char *source;
    strbuf_addz(sql, ", CASE WHEN 1 = 0");
    for (size_t i = 0; (source = history_ended_source(store, i)); i++)
        strbuf_addf(sql, " OR EXISTS (SELECT 1 FROM %s AND e.run_id = r.run_id)", source);
    strbuf_addz(sql, " THEN 1 ELSE 0 END");
}

static bool take_listed(void *who, const struct store_value *row) {
    struct history_list *list = who;
    const struct store_value *more = row + HISTORY_RUN_COLUMN_COUNT;
    struct history_listed listed = {.run = history_row_run(&list->arena, row),
                                    .has_dram = more[0].kind == STORE_INT,
                                    .dram = more[0].number,
                                    .dram_whole = more[1].number,
                                    .has_l1 = more[2].kind == STORE_INT,
                                    .l1 = more[2].number,
                                    .l1_whole = more[3].number,
                                    .failures = more[4].number,
                                    .ended = more[7].number != 0,
                                    .dram_peak = history_row_peak(&more[5], more[7].number != 0),
                                    .l1_peak = history_row_peak(&more[6], more[7].number != 0)};
    vec_push(&list->runs, listed);
    return true;
}

static int newest_first(const void *x, const void *y) {
    const struct history_run *a = &((const struct history_listed *)x)->run, *b = &((const struct history_listed *)y)->run;
    if (a->added != b->added) return a->added > b->added ? -1 : 1;
    return a->id > b->id ? -1 : a->id < b->id;
}

/* Months are in order; runs that are in no month yet are not, and runs that were moved into one meanwhile appear twice. */
static void merge_parts(struct history_list *list, int64_t limit) {
    size_t n = 0;
    if (list->runs.len) qsort(list->runs.items, list->runs.len, sizeof *list->runs.items, newest_first);
    for (size_t i = 0; i < list->runs.len; i++)
        if (!n || list->runs.items[n - 1].run.id != list->runs.items[i].run.id) list->runs.items[n++] = list->runs.items[i];
    list->runs.len = limit && n > (size_t)limit ? (size_t)limit : n;
}

int history_list(struct store *store, const struct history_filter *filter, struct history_list *out, struct err *err) {
    *out = (struct history_list){0};
    struct conditions c = {0};
    strbuf_addz(&c.sql,
                "SELECT " HISTORY_RUN_COLUMNS ", d.value, d.whole, m.value, m.whole, f.value, p.free_seen, q.free_seen");
    add_ended(&c.sql, store);
    strbuf_addz(&c.sql,
                " FROM ttmem_runs@ r "
                "LEFT JOIN ttmem_measures@ d ON d.run_id = r.run_id AND d.measure = 'dram.peak' "
                "LEFT JOIN ttmem_measures@ m ON m.run_id = r.run_id AND m.measure = 'l1.peak' "
                "LEFT JOIN ttmem_measures@ f ON f.run_id = r.run_id AND f.measure = 'failures' "
                "LEFT JOIN ttmem_pools@ p ON p.run_id = r.run_id AND p.pool = 0 "
                "LEFT JOIN ttmem_pools@ q ON q.run_id = r.run_id AND q.pool = 1 WHERE 1 = 1");
    add_filter(&c, filter);
    strbuf_addz(&c.sql, " ORDER BY r.added DESC, r.run_id DESC");
    if (filter->limit) {
        c.values[c.count++] = STORE_I(filter->limit);
        strbuf_addf(&c.sql, " LIMIT $%zu", c.count);
    }
    int rc = 0;
    size_t first = 0; /* first run of a month */
    for (size_t part = 0; rc == 0 && part < months_parts(store); part++) {
        if (part == 1) first = out->runs.len;
        if (filter->limit && part && out->runs.len - first >= (size_t)filter->limit) break;
        if (months_since(store, part, filter->since))
            rc = months_run(store, part, strbuf_text(&c.sql), c.values, c.count, take_listed, out, NULL, err);
    }
    if (rc == 0 && months_parts(store) > 1) merge_parts(out, filter->limit);
    strbuf_release(&c.sql);
    return rc;
}

void history_list_release(struct history_list *list) {
    vec_release(&list->runs);
    arena_release(&list->arena);
}

/* --- labels --- */

static bool take_run_label(void *who, const struct store_value *row) {
    struct history_labels *l = who;
    struct history_label label = {history_keep(&l->arena, &row[1]), history_keep(&l->arena, &row[2])};
    vec_push(&l->items, ((struct history_run_label){row[0].number, label}));
    return true;
}

static int by_run(const void *x, const void *y) {
    const struct history_run_label *a = x, *b = y;
    if (a->run != b->run) return a->run < b->run ? -1 : 1;
    struct slice p = a->label.name, q = b->label.name;
    int order = memcmp(p.ptr, q.ptr, p.len < q.len ? p.len : q.len);
    return order ? order : p.len < q.len ? -1 : p.len > q.len;
}

int history_labels(struct store *store, const struct history_list *list, struct history_labels *out, struct err *err) {
    *out = (struct history_labels){0};
    if (!list->runs.len) return 0;
    struct store_value oldest = STORE_I(vec_last(&list->runs).run.added);
    int rc = 0;
    for (size_t part = 0; rc == 0 && part < months_parts(store); part++)
        if (months_since(store, part, oldest.number))
            rc = months_run(store, part,
                            "SELECT l.run_id, l.label, l.value FROM ttmem_runs@ r JOIN ttmem_labels@ l ON l.run_id = r.run_id "
                            "WHERE r.added >= $1",
                            &oldest, 1, take_run_label, out, NULL, err);
    if (out->items.len) qsort(out->items.items, out->items.len, sizeof *out->items.items, by_run);
    return rc;
}

void history_labels_release(struct history_labels *labels) {
    vec_release(&labels->items);
    arena_release(&labels->arena);
}

/* --- one measure over time --- */

/* The same model is the same text, so that comparing two points seldom has to compare letters. */
static struct slice model_of(struct history_series *s, struct slice name) {
    for (size_t i = s->models.len; i-- > 0;)
        if (slice_equal(s->models.items[i], name)) return s->models.items[i];
    struct slice kept = arena_copy(&s->arena, name);
    vec_push(&s->models, kept);
    return kept;
}

static bool take_point(void *who, const struct store_value *row) {
    struct history_series *s = who;
    struct slice last = s->points.len ? vec_last(&s->points).model : SLICE("");
    struct history_point point = {.id = row[0].number,
                                  .added = row[1].number,
                                  .model = slice_equal(row[2].text, last) ? last : model_of(s, row[2].text),
                                  .value = row[3].number,
                                  .whole = row[4].number};
    vec_push(&s->points, point);
    return true;
}

static int in_order(const void *x, const void *y) {
    const struct history_point *a = x, *b = y;
    size_t n = a->model.len < b->model.len ? a->model.len : b->model.len;
    int order = n && a->model.ptr != b->model.ptr ? memcmp(a->model.ptr, b->model.ptr, n) : 0;
    if (order || a->model.len != b->model.len) return order ? order : a->model.len < b->model.len ? -1 : 1;
    if (a->added != b->added) return a->added < b->added ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Merges two adjacent sorted stretches. */
static void merge(struct history_point *out, const struct history_point *from, size_t middle, size_t count) {
    size_t a = 0, b = middle;
    while (a < middle || b < count) {
        bool first = b == count || (a < middle && in_order(&from[a], &from[b]) <= 0);
        *out++ = from[first ? a++ : b++];
    }
}

/* Each month is already in order, or in few stretches that are: databases order texts by their own rules, we by bytes. */
static void merge_stretches(struct history_series *s) {
    VEC(size_t) ends = {0};
    size_t n = s->points.len;
    for (size_t i = 1; i <= n; i++)
        if (i == n || in_order(&s->points.items[i - 1], &s->points.items[i]) > 0) vec_push(&ends, i);
    struct history_point *room = ends.len > 1 ? mem_alloc(n * sizeof *room) : NULL;
    while (ends.len > 1) {
        size_t kept = 0, start = 0;
        for (size_t i = 0; i < ends.len; i += 2) {
            size_t middle = ends.items[i], end = i + 1 < ends.len ? ends.items[i + 1] : middle;
            merge(room + start, s->points.items + start, middle - start, end - start);
            start = ends.items[kept++] = end;
        }
        ends.len = kept;
        memcpy(s->points.items, room, n * sizeof *room);
    }
    free(room);
    vec_release(&ends);
}

/* A run that was moved into its month meanwhile appears twice. */
static void put_in_order(struct history_series *s) {
    size_t n = 0;
    merge_stretches(s);
    for (size_t i = 0; i < s->points.len; i++)
        if (!n || s->points.items[n - 1].id != s->points.items[i].id) s->points.items[n++] = s->points.items[i];
    s->points.len = n;
}

/* An older history does not have the columns of the trend index yet. */
static const char *series_source(const struct store *store) {
    return store->version < 2
               ? "SELECT r.run_id, r.added, r.model, m.value, m.whole FROM ttmem_measures@ m JOIN ttmem_runs@ r ON "
                 "r.run_id = m.run_id WHERE m.measure = $1"
               : "SELECT r.run_id, r.added, r.model, r.value, r.whole FROM ttmem_measures@ r WHERE r.measure = $1";
}

struct id_set {
    VEC(int64_t) ids;
};

static bool take_id(void *who, const struct store_value *row) {
    struct id_set *set = who;
    vec_push(&set->ids, row[0].number);
    return true;
}

static int by_number(const void *x, const void *y) {
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return a < b ? -1 : a > b;
}

static bool set_has(const struct id_set *set, int64_t id) {
    return set->ids.len && bsearch(&id, set->ids.items, set->ids.len, sizeof *set->ids.items, by_number);
}

/* Marks runs that a failure ended: what they had used by then is not what they would have used. Counts stay as they are. */
static int mark_ended(struct store *store, const struct measure *measure, int64_t since, struct history_series *s,
                      struct err *err) {
    struct id_set set = {0};
    struct strbuf sql = {0};
    const char *source;
    int rc = 0;
    if (measure->is_count || !s->points.len) return 0;
    for (size_t i = 0; (source = history_ended_source(store, i)); i++) {
        strbuf_clear(&sql);
        strbuf_addf(&sql, "SELECT e.run_id FROM %s", source);
        for (size_t part = 0; rc == 0 && part < months_parts(store); part++)
            if (months_since(store, part, since))
                rc = months_run(store, part, strbuf_text(&sql), NULL, 0, take_id, &set, NULL, err);
    }
    strbuf_release(&sql);
    if (set.ids.len) qsort(set.ids.items, set.ids.len, sizeof *set.ids.items, by_number);
    for (size_t i = 0; i < s->points.len; i++) s->points.items[i].ended = set_has(&set, s->points.items[i].id);
    vec_release(&set.ids);
    return rc;
}

/* The pool that a measure is about, and the bits that make it a bound; false: none. */
static bool bound_bits(const struct measure *measure, unsigned *pool, unsigned *bits) {
    static const char *const of_sizes[] = {"growth_per_pass", "never_freed", "padding.dram", "padding.l1"};
    struct slice name = slice_from(measure->name);
    *bits = HISTORY_BOUND_BITS;
    *pool = POOL_DRAM;
    for (size_t i = 0; i < sizeof of_sizes / sizeof *of_sizes; i++) {
        if (!slice_equal(name, slice_from(of_sizes[i]))) continue;
        *bits = HISTORY_SIZE_BIT;
        if (slice_ends(name, SLICE(".l1"))) *pool = POOL_L1;
        return true;
    }
    if (slice_ends(name, SLICE(".dram"))) return true;
    for (*pool = 0; *pool < POOL_COUNT; ++*pool) {
        struct slice key = slice_from(pool_keys[*pool]);
        if (!slice_starts(name, key) || name.len <= key.len || name.ptr[key.len] != '.') continue;
        struct slice rest = slice_skip(name, key.len);
        return slice_equal(rest, SLICE(".peak")) || slice_equal(rest, SLICE(".largest_free")) ||
               slice_equal(rest, SLICE(".free_gap"));
    }
    return false;
}

/* Marks the figures that are bounds. */
static int mark_bounds(struct store *store, const struct measure *measure, int64_t since, struct history_series *s,
                       struct err *err) {
    struct slice name = slice_from(measure->name);
    unsigned pool, bits;
    if (!s->points.len || !bound_bits(measure, &pool, &bits)) return 0;
    struct id_set set = {0};
    struct store_value keys[] = {STORE_I(pool), STORE_I(bits)};
    int rc = 0;
    for (size_t part = 0; rc == 0 && part < months_parts(store); part++)
        if (months_since(store, part, since))
            rc = months_run(store, part, "SELECT run_id FROM ttmem_pools@ WHERE pool = $1 AND (free_seen & $2) <> 0", keys, 2,
                            take_id, &set, NULL, err);
    if (set.ids.len) qsort(set.ids.items, set.ids.len, sizeof *set.ids.items, by_number);
    bool lower = slice_ends(name, SLICE(".peak")) || slice_ends(name, SLICE(".dram"));
    for (size_t i = 0; i < s->points.len; i++) {
        s->points.items[i].bound = set_has(&set, s->points.items[i].id);
        s->points.items[i].at_least = s->points.items[i].bound && lower;
    }
    vec_release(&set.ids);
    return rc;
}

static int by_age(const void *x, const void *y) {
    const struct history_point *a = x, *b = y;
    if (a->added != b->added) return a->added > b->added ? -1 : 1;
    return a->id > b->id ? -1 : a->id < b->id;
}

/* With several parts, the newest N are known only after all have been read. */
static void keep_newest(struct history_series *s, int64_t limit) {
    if (!limit || s->points.len <= (size_t)limit) return;
    qsort(s->points.items, s->points.len, sizeof *s->points.items, by_age);
    s->points.len = (size_t)limit;
}

int history_series(struct store *store, const struct measure *measure, const struct history_filter *filter,
                   struct history_series *out, struct err *err) {
    *out = (struct history_series){0};
    struct conditions c = {.count = 1};
    c.values[0] = STORE_T(slice_from(measure->name));
    strbuf_addz(&c.sql, series_source(store));
    add_filter(&c, filter);
    if (filter->limit) {
        c.values[c.count++] = STORE_I(filter->limit);
        strbuf_addf(&c.sql, " ORDER BY r.added DESC LIMIT $%zu", c.count);
    } else {
        strbuf_addz(&c.sql, " ORDER BY r.model, r.added, r.run_id");
    }
    int rc = 0;
    for (size_t part = 0; rc == 0 && part < months_parts(store); part++)
        if (months_since(store, part, filter->since))
            rc = months_run(store, part, strbuf_text(&c.sql), c.values, c.count, take_point, out, NULL, err);
    strbuf_release(&c.sql);
    keep_newest(out, filter->limit);
    put_in_order(out);
    if (rc == 0) rc = mark_bounds(store, measure, filter->since, out, err);
    if (rc == 0) rc = mark_ended(store, measure, filter->since, out, err);
    return rc;
}

void history_series_release(struct history_series *series) {
    vec_release(&series->points);
    vec_release(&series->models);
    arena_release(&series->arena);
}
