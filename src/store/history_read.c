/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a history -> lists, series, details. */
#include <stdio.h>
#include <stdlib.h>

#include "store/history.h"

static struct slice keep(struct arena *arena, const struct store_value *value) { return arena_copy(arena, value->text); }

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
    if (!filter->label) return;
    condition(
        c, "EXISTS (SELECT 1 FROM ttmem_labels l WHERE l.run_id = r.run_id AND l.label = ", STORE_T(slice_from(filter->label)));
    condition(c, "l.value = ", STORE_T(slice_from(filter->label_value)));
    strbuf_addc(&c->sql, ')');
}

/* --- the list --- */

#define RUN_COLUMNS \
    "r.run_id, r.added, r.name, r.model, r.git_commit, r.branch, r.host, r.job, r.chip, r.source, r.ops, r.has_ops"
enum { RUN_COLUMN_COUNT = 12 };

static struct history_run read_run(struct arena *arena, const struct store_value *row) {
    return (struct history_run){.id = row[0].number,
                                .added = row[1].number,
                                .name = keep(arena, &row[2]),
                                .model = keep(arena, &row[3]),
                                .commit = keep(arena, &row[4]),
                                .branch = keep(arena, &row[5]),
                                .host = keep(arena, &row[6]),
                                .job = keep(arena, &row[7]),
                                .chip = keep(arena, &row[8]),
                                .source = keep(arena, &row[9]),
                                .ops = row[10].number,
                                .has_ops = row[11].number != 0};
}

/* By the bits that are kept beside the figures of free memory: see history_add. */
static struct history_peak peak_of(const struct store_value *bits) {
    if (bits->kind != STORE_INT) return (struct history_peak){0};
    uint8_t source = (uint8_t)(bits->number >> 2 & 3) % PEAK_SOURCES;
    return (struct history_peak){source, bits->number & 2 || source != PEAK_MEASURED};
}

static bool take_listed(void *who, const struct store_value *row) {
    struct history_list *list = who;
    const struct store_value *more = row + RUN_COLUMN_COUNT;
    struct history_listed listed = {.run = read_run(&list->arena, row),
                                    .has_dram = more[0].kind == STORE_INT,
                                    .dram = more[0].number,
                                    .dram_whole = more[1].number,
                                    .has_l1 = more[2].kind == STORE_INT,
                                    .l1 = more[2].number,
                                    .l1_whole = more[3].number,
                                    .failures = more[4].number,
                                    .dram_peak = peak_of(&more[5]),
                                    .l1_peak = peak_of(&more[6])};
    vec_push(&list->runs, listed);
    return true;
}

int history_list(struct store *store, const struct history_filter *filter, struct history_list *out, struct err *err) {
    *out = (struct history_list){0};
    struct conditions c = {0};
    strbuf_addz(&c.sql, "SELECT " RUN_COLUMNS
                        ", d.value, d.whole, m.value, m.whole, f.value, p.free_seen, q.free_seen FROM ttmem_runs r "
                        "LEFT JOIN ttmem_measures d ON d.run_id = r.run_id AND d.measure = 'dram.peak' "
                        "LEFT JOIN ttmem_measures m ON m.run_id = r.run_id AND m.measure = 'l1.peak' "
                        "LEFT JOIN ttmem_measures f ON f.run_id = r.run_id AND f.measure = 'failures' "
                        "LEFT JOIN ttmem_pools p ON p.run_id = r.run_id AND p.pool = 0 "
                        "LEFT JOIN ttmem_pools q ON q.run_id = r.run_id AND q.pool = 1 WHERE 1 = 1");
    add_filter(&c, filter);
    strbuf_addz(&c.sql, " ORDER BY r.added DESC, r.run_id DESC");
    if (filter->limit) {
        c.values[c.count++] = STORE_I(filter->limit);
        strbuf_addf(&c.sql, " LIMIT $%zu", c.count);
    }
    int rc = store->ops->run(store, strbuf_text(&c.sql), c.values, c.count, take_listed, out, NULL, err);
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
    struct history_label label = {keep(&l->arena, &row[1]), keep(&l->arena, &row[2])};
    vec_push(&l->items, ((struct history_run_label){row[0].number, label}));
    return true;
}

int history_labels(struct store *store, int64_t newest, struct history_labels *out, struct err *err) {
    *out = (struct history_labels){0};
    struct store_value limit = STORE_I(newest);
    return store->ops->run(store,
                           "SELECT run_id, label, value FROM ttmem_labels WHERE run_id IN (SELECT run_id FROM ttmem_runs "
                           "ORDER BY added DESC, run_id DESC LIMIT $1) ORDER BY run_id, label",
                           &limit, 1, take_run_label, out, NULL, err);
}

void history_labels_release(struct history_labels *labels) {
    vec_release(&labels->items);
    arena_release(&labels->arena);
}

/* --- one measure over time --- */

static bool take_point(void *who, const struct store_value *row) {
    struct history_series *s = who;
    struct slice last = s->points.len ? vec_last(&s->points).model : SLICE("");
    struct history_point point = {.id = row[0].number,
                                  .added = row[1].number,
                                  .model = slice_equal(row[2].text, last) ? last : keep(&s->arena, &row[2]),
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

/* Databases order texts by their own rules; ours is by bytes, and is mostly there already. */
static void put_in_order(struct history_series *s) {
    for (size_t i = 1; i < s->points.len; i++)
        if (in_order(&s->points.items[i - 1], &s->points.items[i]) > 0) {
            qsort(s->points.items, s->points.len, sizeof *s->points.items, in_order);
            return;
        }
}

/* An older history has not got the columns of the trend index yet. */
static int series_source(struct store *store, struct strbuf *sql, struct err *err) {
    int64_t version;
    if (store->ops->version(store, &version, err) != 0) return -1;
    strbuf_addz(sql, version < 2
                         ? "SELECT r.run_id, r.added, r.model, m.value, m.whole FROM ttmem_measures m JOIN ttmem_runs r ON "
                           "r.run_id = m.run_id WHERE m.measure = $1"
                         : "SELECT r.run_id, r.added, r.model, r.value, r.whole FROM ttmem_measures r WHERE r.measure = $1");
    return 0;
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

/* Marks the peaks that are lower bounds. */
static int mark_bounds(struct store *store, const struct measure *measure, struct history_series *s, struct err *err) {
    struct slice name = slice_from(measure->name);
    if (!slice_ends(name, SLICE(".peak")) || !s->points.len) return 0;
    unsigned pool = 0;
    while (pool < POOL_COUNT && !slice_equal(slice_take(name, name.len - 5), slice_from(pool_keys[pool]))) pool++;
    if (pool == POOL_COUNT) return 0;
    struct id_set set = {0};
    struct store_value key = STORE_I(pool);
    /* the bits of next_pool: known around programs only, not measured, sizes that are bounds */
    int rc = store->ops->run(store, "SELECT run_id FROM ttmem_pools WHERE pool = $1 AND (free_seen & 30) <> 0", &key, 1,
                             take_id, &set, NULL, err);
    if (set.ids.len) qsort(set.ids.items, set.ids.len, sizeof *set.ids.items, by_number);
    for (size_t i = 0; set.ids.len && i < s->points.len; i++)
        s->points.items[i].at_least =
            bsearch(&s->points.items[i].id, set.ids.items, set.ids.len, sizeof *set.ids.items, by_number) != NULL;
    vec_release(&set.ids);
    return rc;
}

int history_series(struct store *store, const struct measure *measure, const struct history_filter *filter,
                   struct history_series *out, struct err *err) {
    *out = (struct history_series){0};
    struct conditions c = {.count = 1};
    c.values[0] = STORE_T(slice_from(measure->name));
    int rc = series_source(store, &c.sql, err);
    add_filter(&c, filter);
    if (filter->limit) {
        c.values[c.count++] = STORE_I(filter->limit);
        strbuf_addf(&c.sql, " ORDER BY r.added DESC LIMIT $%zu", c.count);
    } else {
        strbuf_addz(&c.sql, " ORDER BY r.model, r.added, r.run_id");
    }
    if (rc == 0) rc = store->ops->run(store, strbuf_text(&c.sql), c.values, c.count, take_point, out, NULL, err);
    strbuf_release(&c.sql);
    put_in_order(out);
    if (rc == 0) rc = mark_bounds(store, measure, out, err);
    return rc;
}

static bool take_commit(void *who, const struct store_value *row) {
    strbuf_add(who, row[0].text);
    return true;
}

int history_commit(struct store *store, int64_t id, struct strbuf *out, struct err *err) {
    struct store_value key = STORE_I(id);
    return store->ops->run(store, "SELECT git_commit FROM ttmem_runs WHERE run_id = $1", &key, 1, take_commit, out, NULL, err);
}

void history_series_release(struct history_series *series) {
    vec_release(&series->points);
    arena_release(&series->arena);
}

/* --- one run --- */

bool history_word(const char *word) {
    if (strncmp(word, "branch:", 7) == 0) return word[7] != '\0';
    size_t n = strspn(word, "0123456789abcdef");
    return n >= HISTORY_PREFIX_MIN && n <= HISTORY_ID_DIGITS && !word[n];
}

struct found_run {
    int64_t id;
    unsigned count;
};

static bool take_found(void *who, const struct store_value *row) {
    struct found_run *found = who;
    found->id = row[0].number;
    return ++found->count < 2;
}

/* Ids that begin with these digits are a range of numbers. */
static int find_prefix(struct store *store, const char *word, struct found_run *found, struct err *err) {
    size_t missing = HISTORY_ID_DIGITS - strlen(word);
    uint64_t low = strtoull(word, NULL, 16) << 4 * missing;
    const struct store_value values[] = {STORE_I(low), STORE_I(low + ((uint64_t)1 << 4 * missing) - 1)};
    return store->ops->run(store, "SELECT run_id FROM ttmem_runs WHERE run_id BETWEEN $1 AND $2 LIMIT 2", values, 2, take_found,
                           found, NULL, err);
}

int history_find(struct store *store, const char *word, int64_t *id, struct err *err) {
    struct found_run found = {0};
    if (!history_word(word))
        return err_set(err, ERR_USAGE, "%.100s is not the id of a run: give its first digits, at least %d, or branch:NAME",
                       word, HISTORY_PREFIX_MIN);
    bool branch = strncmp(word, "branch:", 7) == 0;
    struct store_value name = STORE_T(slice_from(branch ? word + 7 : word));
    int rc = branch ? store->ops->run(
                          store, "SELECT run_id FROM ttmem_runs WHERE branch = $1 ORDER BY added DESC, run_id DESC LIMIT 1",
                          &name, 1, take_found, &found, NULL, err)
                    : find_prefix(store, word, &found, err);
    if (rc != 0) return -1;
    if (!found.count) return err_set(err, ERR_INPUT, "the history has no run %.100s", word);
    if (found.count > 1)
        return err_set(err, ERR_INPUT, "several runs of the history begin with %.100s: give more digits", word);
    *id = found.id;
    return 0;
}

static bool take_run(void *who, const struct store_value *row) {
    struct history_details *d = who;
    d->run = read_run(&d->arena, row);
    return true;
}

static bool take_label(void *who, const struct store_value *row) {
    struct history_details *d = who;
    vec_push(&d->labels, ((struct history_label){keep(&d->arena, &row[0]), keep(&d->arena, &row[1])}));
    return true;
}

static bool take_measure(void *who, const struct store_value *row) {
    struct history_details *d = who;
    vec_push(&d->measures, keep(&d->arena, &row[0]));
    vec_push(&d->values, row[1].number);
    vec_push(&d->wholes, row[2].number);
    return true;
}

static bool take_peak(void *who, const struct store_value *row) {
    struct history_details *d = who;
    if (row[0].number >= 0 && row[0].number < POOL_COUNT) d->peaks[row[0].number] = peak_of(&row[1]);
    return true;
}

static bool take_other_fatal(void *who, const struct store_value *row) {
    struct history_details *d = who;
    d->other_fatal = keep(&d->arena, &row[0]);
    d->other_fatal_line = row[1].number;
    return true;
}

const struct history_peak *history_peak_of(const struct history_details *details, struct slice measure) {
    static const char *const names[POOL_COUNT] = {"dram.peak", "l1.peak", "l1_small.peak", "trace.peak"};
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (slice_equal(measure, slice_from(names[pool]))) return &details->peaks[pool];
    return NULL;
}

int history_details(struct store *store, int64_t id, struct history_details *out, struct err *err) {
    struct store_value key = STORE_I(id);
    int64_t version;
    *out = (struct history_details){0};
    if (store->ops->version(store, &version, err) != 0) return -1;
    int rc = store->ops->run(store, "SELECT " RUN_COLUMNS " FROM ttmem_runs r WHERE r.run_id = $1", &key, 1, take_run, out,
                             NULL, err);
    if (rc == 0)
        rc = store->ops->run(store, "SELECT label, value FROM ttmem_labels WHERE run_id = $1 ORDER BY label", &key, 1,
                             take_label, out, NULL, err);
    if (rc == 0)
        rc = store->ops->run(store, "SELECT measure, value, whole FROM ttmem_measures WHERE run_id = $1 ORDER BY measure", &key,
                             1, take_measure, out, NULL, err);
    if (rc == 0)
        rc = store->ops->run(store, "SELECT pool, free_seen FROM ttmem_pools WHERE run_id = $1", &key, 1, take_peak, out, NULL,
                             err);
    if (rc == 0 && version >= 5)
        rc = store->ops->run(store, "SELECT message, line FROM ttmem_other_fatals WHERE run_id = $1", &key, 1, take_other_fatal,
                             out, NULL, err);
    return rc;
}

void history_details_release(struct history_details *details) {
    vec_release(&details->labels);
    vec_release(&details->measures);
    vec_release(&details->values);
    vec_release(&details->wholes);
    arena_release(&details->arena);
}
