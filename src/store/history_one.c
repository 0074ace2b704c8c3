/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a history: which one a word names, and what is kept about it. */
#include <stdio.h>
#include <stdlib.h>

#include "store/history.h"
#include "store/history_rows.h"
#include "store/months.h"

bool history_word(const char *word) {
    if (strncmp(word, "branch:", 7) == 0) return word[7] != '\0';
    size_t n = strspn(word, "0123456789abcdef");
    return n >= HISTORY_PREFIX_MIN && n <= HISTORY_ID_DIGITS && !word[n];
}

struct found_run {
    int64_t id, added;
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
    return store->ops->run(store,
                           store->months ? "SELECT i.run_id FROM ttmem_run_ids i JOIN ttmem_months m ON m.month = i.month AND "
                                           "m.going = 0 WHERE i.run_id BETWEEN $1 AND $2 LIMIT 2"
                                         : "SELECT run_id FROM ttmem_runs WHERE run_id BETWEEN $1 AND $2 LIMIT 2",
                           values, 2, take_found, found, NULL, err);
}

static bool take_newest(void *who, const struct store_value *row) {
    struct found_run *found = who;
    if (found->count && found->added >= row[1].number) return false;
    *found = (struct found_run){row[0].number, row[1].number, 1};
    return false;
}

/* The newest run of a branch. It could be in a missing month, unless that is older than the run that was found. */
static int find_branch(struct store *store, const char *branch, struct found_run *found, struct err *err) {
    struct store_value name = STORE_T(slice_from(branch));
    int rc = 0;
    for (size_t part = 0; rc == 0 && part < months_parts(store); part++) {
        if (found->count && !months_since(store, part, found->added)) continue;
        rc = months_run(store, part,
                        "SELECT run_id, added FROM ttmem_runs@ WHERE branch = $1 ORDER BY added DESC, run_id DESC LIMIT 1",
                        &name, 1, take_newest, found, NULL, err);
    }
    return rc == 0 ? months_whole(store, err) : rc;
}

int history_find(struct store *store, const char *word, int64_t *id, struct err *err) {
    struct found_run found = {0};
    if (!history_word(word))
        return err_set(err, ERR_USAGE, "'%.100s' is not the id of a run: give its first digits, at least %d, or branch:NAME",
                       word, HISTORY_PREFIX_MIN);
    bool branch = strncmp(word, "branch:", 7) == 0;
    int rc = branch ? find_branch(store, word + 7, &found, err) : find_prefix(store, word, &found, err);
    if (rc != 0) return -1;
    if (!found.count)
        return err_set(err, ERR_INPUT, "the history '%s' has no run %s'%.100s': ttmem history list shows what it has",
                       store->name, branch ? "of branch " : "", branch ? word + 7 : word);
    if (found.count > 1)
        return err_set(err, ERR_INPUT, "several runs of the history begin with '%.100s': give more digits", word);
    *id = found.id;
    return 0;
}

static bool take_commit(void *who, const struct store_value *row) {
    strbuf_add(who, row[0].text);
    return true;
}

int history_commit(struct store *store, int64_t id, struct strbuf *out, struct err *err) {
    struct store_value key = STORE_I(id);
    size_t part;
    if (months_find(store, id, &part, err) != 0) return -1;
    return months_run(store, part, "SELECT git_commit FROM ttmem_runs@ WHERE run_id = $1", &key, 1, take_commit, out, NULL,
                      err);
}

static bool take_run(void *who, const struct store_value *row) {
    struct history_details *d = who;
    d->run = history_row_run(&d->arena, row);
    return true;
}

static bool take_label(void *who, const struct store_value *row) {
    struct history_details *d = who;
    vec_push(&d->labels, ((struct history_label){history_keep(&d->arena, &row[0]), history_keep(&d->arena, &row[1])}));
    return true;
}

static bool take_measure(void *who, const struct store_value *row) {
    struct history_details *d = who;
    vec_push(&d->measures, history_keep(&d->arena, &row[0]));
    vec_push(&d->values, row[1].number);
    vec_push(&d->wholes, row[2].number);
    return true;
}

static bool take_peak(void *who, const struct store_value *row) {
    struct history_details *d = who;
    if (row[0].number >= 0 && row[0].number < POOL_COUNT) d->peaks[row[0].number] = history_row_peak(&row[1], d->ended);
    return true;
}

static bool take_other_fatal(void *who, const struct store_value *row) {
    struct history_details *d = who;
    d->other_fatal = history_keep(&d->arena, &row[0]);
    d->other_fatal_line = row[1].number;
    return true;
}

const struct history_peak *history_pool_of(const struct history_details *details, struct slice measure) {
    static const char *const kinds[] = {".peak", ".largest_free", ".free_gap"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct slice kind = slice_from(kinds[i]);
        for (unsigned pool = 0; slice_ends(measure, kind) && pool < POOL_COUNT; pool++)
            if (slice_equal(slice_take(measure, measure.len - kind.len), slice_from(pool_keys[pool])))
                return &details->peaks[pool];
    }
    return NULL;
}

const struct history_peak *history_peak_of(const struct history_details *details, struct slice measure) {
    return slice_ends(measure, SLICE(".peak")) ? history_pool_of(details, measure) : NULL;
}

static bool take_ended(void *who, const struct store_value *row) {
    struct history_details *d = who;
    d->ended = row[0].number != 0;
    return false;
}

/* Before the peaks, which are lower bounds then. */
static int read_ended(struct store *store, size_t part, const struct store_value *key, struct history_details *out,
                      struct err *err) {
    struct strbuf sql = {0};
    const char *source;
    int rc = 0;
    for (size_t i = 0; rc == 0 && !out->ended && (source = history_ended_source(store, i)); i++) {
        strbuf_clear(&sql);
        strbuf_addf(&sql, "SELECT 1 FROM %s AND e.run_id = $1", source);
        rc = months_run(store, part, strbuf_text(&sql), key, 1, take_ended, out, NULL, err);
    }
    strbuf_release(&sql);
    return rc;
}

static int read_details(struct store *store, int64_t id, struct history_details *out, struct err *err) {
    static const struct {
        int64_t version; /* the first schema that has it */
        const char *sql;
        store_row_fn *take;
    } tables[] = {
        {1, "SELECT " HISTORY_RUN_COLUMNS " FROM ttmem_runs@ r WHERE r.run_id = $1", take_run},
        {1, "SELECT label, value FROM ttmem_labels@ WHERE run_id = $1 ORDER BY label", take_label},
        {1, "SELECT measure, value, whole FROM ttmem_measures@ WHERE run_id = $1 ORDER BY measure", take_measure},
        {1, "SELECT pool, free_seen FROM ttmem_pools@ WHERE run_id = $1", take_peak},
        {5, "SELECT message, line FROM ttmem_other_fatals@ WHERE run_id = $1", take_other_fatal},
    };
    struct store_value key = STORE_I(id);
    size_t part;
    int rc = months_find(store, id, &part, err);
    if (rc == 0) rc = read_ended(store, part, &key, out, err);
    for (size_t i = 0; rc == 0 && i < sizeof tables / sizeof *tables; i++)
        if (store->version >= tables[i].version)
            rc = months_run(store, part, tables[i].sql, &key, 1, tables[i].take, out, NULL, err);
    return rc == 0 ? months_answered(store, part, err) : rc;
}

int history_details(struct store *store, int64_t id, struct history_details *out, struct err *err) {
    *out = (struct history_details){0};
    int rc = store->ops->begin(store, false, err);
    if (rc != 0) return -1;
    rc = read_details(store, id, out, err);
    store->ops->rollback(store); /* nothing was written */
    return rc;
}

void history_details_release(struct history_details *details) {
    vec_release(&details->labels);
    vec_release(&details->measures);
    vec_release(&details->values);
    vec_release(&details->wholes);
    arena_release(&details->arena);
}

int history_whole(const struct store *store, struct err *err) { return months_whole(store, err); }

size_t history_missing(const struct store *store, size_t from, char *name) {
    size_t count = store && store->months ? store->months->items.len : 0;
    while (from < count && !store->months->items.items[from].missing) from++;
    if (from >= count) return 0;
    int64_t month = store->months->items.items[from].month;
    snprintf(name, HISTORY_MONTH_ROOM, "%04d-%02d", (int)(month / 100), (int)(month % 100));
    return from + 1;
}
