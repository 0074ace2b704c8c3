/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/utf8.h"
#include "store/history_rows.h"
#include "store/months.h"

/* Texts in the form that a database accepts: valid UTF-8 without NUL. Those of a footprint are cleaned once and kept by id. */
struct adding {
    struct store *store;
    const struct footprint *f;
    int64_t run;
    size_t part; /* of the store */
    struct slice *texts;
    struct arena arena;
    size_t at; /* current row of the table being written */
    const struct history_label *labels;
    size_t label_count;
    struct slice model, branch; /* of the run, for its measures */
    int64_t added;
};

static struct slice clean(struct arena *arena, struct slice text) {
    struct strbuf out = {0};
    utf8_add_valid(&out, text);
    for (size_t i = 0; i < out.len; i++)
        if (!out.data[i]) out.data[i] = ' ';
    struct slice kept = arena_copy(arena, strbuf_slice(&out));
    strbuf_release(&out);
    return kept;
}

static struct store_value text_of(struct adding *a, uint32_t id) {
    if (!a->texts[id].ptr) a->texts[id] = clean(&a->arena, footprint_text(a->f, id));
    return STORE_T(a->texts[id]);
}

static struct store_value number_or_null(uint32_t n) {
    struct store_value value = STORE_I(n);
    if (n == NONE) value.kind = STORE_NULL;
    return value;
}

static bool next_label(void *who, struct store_value *row) {
    struct adding *a = who;
    if (a->at == a->label_count) return false;
    row[0] = STORE_I(a->run);
    row[1] = STORE_T(a->labels[a->at].name);
    row[2] = STORE_T(a->labels[a->at++].value);
    return true;
}

static bool next_measure(void *who, struct store_value *row) {
    struct adding *a = who;
    for (; a->at < measure_count; a->at++) {
        struct measure_value value = measure_read(&measure_table[a->at], a->f);
        if (!value.known) continue;
        row[0] = STORE_I(a->run);
        row[1] = STORE_T(slice_from(measure_table[a->at++].name));
        row[2] = STORE_I(value.value);
        row[3] = STORE_I(value.whole);
        row[4] = STORE_T(a->model);
        row[5] = STORE_T(a->branch);
        row[6] = STORE_I(a->added);
        return true;
    }
    return false;
}

/* Read by next_pool of history_footprint.c. Queries use bit 1: the peak is known only around programs, or the log is cut. */
static int64_t pool_bits(const struct footprint_pool *p) {
    return (p->free_seen ? 1 : 0) | (p->sparse || p->early || p->unread || p->unspread || p->of_thread ? 2 : 0) |
           p->source << 2 | (p->bounded ? 16 : 0) | (p->any_bound ? 32 : 0) | (p->gaps ? 64 : 0) |
           (p->early == EARLY_CUT ? 128 : 0) | (p->sparse ? 256 : 0) | (p->early == EARLY_RANK ? 512 : 0) |
           (p->unread ? 1024 : 0) | (p->unspread ? 2048 : 0) | (p->early == EARLY_MODULE ? 4096 : 0) |
           (p->of_thread ? 8192 : 0) | (p->no_classes ? 16384 : 0) | (p->shapeless ? 32768 : 0);
}

static bool next_pool(void *who, struct store_value *row) {
    struct adding *a = who;
    while (a->at < POOL_COUNT && !a->f->pools[a->at].seen) a->at++;
    if (a->at == POOL_COUNT) return false;
    const struct footprint_pool *p = &a->f->pools[a->at];
    const struct store_value cells[] = {STORE_I(a->run),
                                        STORE_I(a->at++),
                                        STORE_I(p->banks),
                                        STORE_I(p->total),
                                        STORE_I(p->peak),
                                        number_or_null(p->after_op),
                                        number_or_null(p->before_op),
                                        STORE_I(p->rank),
                                        STORE_I(p->line),
                                        STORE_I(pool_bits(p)),
                                        STORE_I(p->largest_free),
                                        number_or_null(p->largest_free_op),
                                        STORE_I(p->gap),
                                        number_or_null(p->gap_op)};
    memcpy(row, cells, sizeof cells);
    return true;
}

static bool next_type(void *who, struct store_value *row) {
    struct adding *a = who;
    if (a->at == a->f->types.len) return false;
    const struct footprint_type *t = &a->f->types.items[a->at];
    const struct store_value cells[] = {
        STORE_I(a->run),     STORE_I(a->at++), text_of(a, t->shape),      text_of(a, t->dtype),     text_of(a, t->layout),
        text_of(a, t->grid), STORE_I(t->pool), STORE_I(t->logical_bytes), STORE_I(t->padded_bytes), STORE_I(t->per_bank_bytes)};
    memcpy(row, cells, sizeof cells);
    return true;
}

static bool next_kind(void *who, struct store_value *row) {
    struct adding *a = who;
    if (a->at == a->f->kinds.len) return false;
    const struct footprint_kind *k = &a->f->kinds.items[a->at];
    const struct store_value cells[] = {STORE_I(a->run),         STORE_I(a->at++),       text_of(a, k->name),
                                        text_of(a, k->location), text_of(a, k->program), number_or_null(k->type)};
    memcpy(row, cells, sizeof cells);
    return true;
}

static bool next_tensor(void *who, struct store_value *row) {
    struct adding *a = who;
    if (a->at == a->f->tensors.len) return false;
    const struct footprint_tensor *t = &a->f->tensors.items[a->at];
    const struct store_value cells[] = {
        STORE_I(a->run),        STORE_I(a->at++), number_or_null(t->op), number_or_null(t->kind), text_of(a, t->name),
        text_of(a, t->program), STORE_I(t->type), STORE_I(t->result),    STORE_I(t->class),       STORE_I(t->pool)};
    memcpy(row, cells, sizeof cells);
    return true;
}

static bool next_op(void *who, struct store_value *row) {
    struct adding *a = who;
    if (a->at == a->f->ops.len) return false;
    const struct footprint_op *op = &a->f->ops.items[a->at];
    row[0] = STORE_I(a->run);
    row[1] = STORE_I(a->at++);
    row[2] = STORE_I(op->kind);
    row[3] = number_or_null(op->reached[POOL_DRAM]);
    row[4] = number_or_null(op->reached[POOL_L1]);
    row[5] = number_or_null(op->held);
    row[6] = STORE_I(op->line);
    row[7] = STORE_I(op->rank);
    return true;
}

static bool next_program(void *who, struct store_value *row) {
    struct adding *a = who;
    if (a->at == a->f->programs.len) return false;
    const struct footprint_program *p = &a->f->programs.items[a->at];
    const struct store_value cells[] = {STORE_I(a->run),   STORE_I(a->at++),   text_of(a, p->name), STORE_I(p->passes),
                                        STORE_I(p->first), STORE_I(p->second), STORE_I(p->last)};
    memcpy(row, cells, sizeof cells);
    return true;
}

static bool next_leak(void *who, struct store_value *row) {
    struct adding *a = who;
    if (a->at == a->f->leaks.len) return false;
    const struct footprint_leak *l = &a->f->leaks.items[a->at];
    const struct store_value cells[] = {STORE_I(a->run), STORE_I(a->at++), STORE_I(l->kind), STORE_I(l->tensors),
                                        STORE_I(l->per_bank_bytes)};
    memcpy(row, cells, sizeof cells);
    return true;
}

static bool next_failure(void *who, struct store_value *row) {
    struct adding *a = who;
    if (a->at == a->f->failures.len) return false;
    const struct footprint_failure *failure = &a->f->failures.items[a->at];
    const struct store_value cells[] = {
        STORE_I(a->run),        STORE_I(a->at++),         text_of(a, failure->title), number_or_null(failure->op),
        STORE_I(failure->line), STORE_I(failure->outcome)};
    memcpy(row, cells, sizeof cells);
    return true;
}

static bool next_rank(void *who, struct store_value *row) {
    struct adding *a = who;
    if (a->at == a->f->ranks.len) return false;
    row[0] = STORE_I(a->run);
    row[1] = STORE_I(a->at);
    row[2] = text_of(a, a->f->ranks.items[a->at++]);
    return true;
}

/* Pools of ranks, then their figures, numbered consecutively. */
static bool next_rank_peak(void *who, struct store_value *row) {
    struct adding *a = who;
    enum { CELLS = POOL_COUNT + FIGURE_COUNT };
    for (; a->at < a->f->rank_peaks.len * CELLS; a->at++) {
        const struct footprint_rank *rank = &a->f->rank_peaks.items[a->at / CELLS];
        unsigned pool = (unsigned)(a->at % CELLS);
        const struct footprint_rank_figure *figure = pool < POOL_COUNT ? NULL : &rank->figures[pool - POOL_COUNT];
        if (figure ? !figure->known : !(rank->seen >> pool & 1)) continue;
        row[0] = STORE_I(a->run);
        row[1] = STORE_I(rank->rank);
        row[2] = STORE_I(figure ? HISTORY_FIGURES + pool - POOL_COUNT : pool);
        row[3] = STORE_I(figure ? figure->value : rank->peak[pool]);
        row[4] = STORE_I(figure ? figure->whole : rank->total[pool]);
        row[5] = number_or_null(pool == POOL_DRAM ? rank->after_op : NONE);
        a->at++;
        return true;
    }
    return false;
}

static bool next_other_fatal(void *who, struct store_value *row) {
    struct adding *a = who;
    if (a->at++ || !a->f->other_fatal_line) return false;
    const struct store_value cells[] = {STORE_I(a->run), text_of(a, a->f->other_fatal), STORE_I(a->f->other_fatal_line)};
    memcpy(row, cells, sizeof cells);
    return true;
}

struct bulk {
    const char *table, *columns;
    size_t width;
    store_next_fn *next;
};

static const struct bulk ops_bulk = {"ttmem_ops@", "run_id, op, kind, dram, l1, held, line, op_rank", 8, next_op};

static const struct bulk bulks[] = {
    {"ttmem_labels@", "run_id, label, value", 3, next_label},
    {"ttmem_measures@", "run_id, measure, value, whole, model, branch, added", 7, next_measure},
    {"ttmem_pools@",
     "run_id, pool, banks, total, peak, after_op, before_op, peak_rank, line, free_seen, largest_free, largest_free_op, gap, "
     "gap_op",
     14, next_pool},
    {"ttmem_types@", "run_id, type, shape, dtype, layout, grid, pool, logical_bytes, padded_bytes, per_bank_bytes", 10,
     next_type},
    {"ttmem_kinds@", "run_id, kind, name, location, program, type", 6, next_kind},
    {"ttmem_tensors@", "run_id, tensor, op, kind, name, program, type, result, class, pool", 10, next_tensor},
    {"ttmem_programs@", "run_id, program, name, passes, after_first, after_second, after_last", 7, next_program},
    {"ttmem_leaks@", "run_id, leak, kind, tensors, per_bank_bytes", 5, next_leak},
    {"ttmem_failures@", "run_id, failure, title, op, line, outcome", 6, next_failure},
    {"ttmem_ranks@", "run_id, op_rank, name", 3, next_rank},
    {"ttmem_rank_peaks@", "run_id, op_rank, pool, peak, total, after_op", 6, next_rank_peak},
    {"ttmem_other_fatals@", "run_id, message, line", 3, next_other_fatal},
};

static int write_bulk(struct adding *a, const struct bulk *bulk, struct err *err) {
    struct strbuf table = {0};
    a->at = 0;
    months_sql(&table, a->store, a->part, bulk->table);
    int rc = a->store->ops->bulk(a->store, strbuf_text(&table), bulk->columns, bulk->width, bulk->next, a, err);
    strbuf_release(&table);
    return rc;
}

static int by_name(const void *a, const void *b) {
    const struct history_label *x = a, *y = b;
    size_t n = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order = n ? memcmp(x->name.ptr, y->name.ptr, n) : 0;
    return order ? order : x->name.len < y->name.len ? -1 : x->name.len > y->name.len;
}

/* The same content with the same labels is the same run. 60 bits: positive, and 15 digits. */
static int64_t id_of(const struct history_run *run, const struct history_label *labels, size_t count, struct hash128 content) {
    uint64_t h = hash_mix(hash_mix(0, content.low), content.high);
    const struct slice own[] = {run->name, run->model, run->commit, run->branch, run->host, run->job};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) h = hash_mix(h, hash_bytes64(own[i]));
    for (size_t i = 0; i < count; i++) h = hash_mix(hash_mix(h, hash_bytes64(labels[i].name)), hash_bytes64(labels[i].value));
    return (int64_t)(h >> 4);
}

/* Each month has its own key: the list of ids keeps a run from being in two months. A month that is being removed is no
 * longer read, and may have to wait for its server: its runs can be added again meanwhile. */
static int take_id(struct adding *a, int64_t *changed, struct err *err) {
    const struct store_value values[] = {STORE_I(a->run), STORE_I(a->store->months->items.items[a->part].month)};
    return a->store->ops->run(a->store,
                              "INSERT INTO ttmem_run_ids AS i (run_id, month) VALUES ($1, $2) ON CONFLICT (run_id) DO UPDATE "
                              "SET month = excluded.month WHERE i.month IN (SELECT month FROM ttmem_months WHERE going = 1)",
                              values, 2, NULL, NULL, changed, err);
}

static int add_row(struct adding *a, const struct history_run *run, bool with_ops, int64_t *changed, struct err *err) {
    char content[33];
    struct strbuf sql = {0};
    *changed = 1;
    if (a->store->months && take_id(a, changed, err) != 0) return -1;
    if (!*changed) return 0;
    snprintf(content, sizeof content, "%016llx%016llx", (unsigned long long)a->f->content.high,
             (unsigned long long)a->f->content.low);
    const struct store_value values[] = {
        STORE_I(run->id),
        STORE_I(run->added),
        STORE_T(slice_from(content)),
        STORE_T(clean(&a->arena, run->name)),
        STORE_T(clean(&a->arena, run->model)),
        STORE_T(clean(&a->arena, run->commit)),
        STORE_T(clean(&a->arena, run->branch)),
        STORE_T(clean(&a->arena, run->host)),
        STORE_T(clean(&a->arena, run->job)),
        STORE_T(clean(&a->arena, run->chip)),
        STORE_T(clean(&a->arena, run->source)),
        STORE_I(run->ops),
        STORE_I(with_ops),
        STORE_I((a->f->has_lifetimes ? 1 : 0) | (a->f->ends_early ? 2 : 0) | (a->f->more_failures ? 4 : 0) |
                (a->f->no_messages ? 8 : 0)),
        STORE_I(a->f->has_leaks),
    };
    months_sql(&sql, a->store, a->part,
               "INSERT INTO ttmem_runs@ (run_id, added, content, name, model, git_commit, branch, host, job, chip, "
               "source, ops, has_ops, has_lifetimes, has_leaks) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, "
               "$11, $12, $13, $14, $15) ON CONFLICT DO NOTHING");
    int rc = a->store->ops->run(a->store, strbuf_text(&sql), values, sizeof values / sizeof *values, NULL, NULL, changed, err);
    strbuf_release(&sql);
    return rc;
}

static bool take_month(void *who, const struct store_value *row) {
    *(int64_t *)who = row[0].number;
    return true;
}

/* The part where the run is; it stays there until the end of the transaction. */
static int find_again(struct adding *a, struct err *err) {
    struct store_value id = STORE_I(a->run);
    int64_t month = -1;
    if (!a->store->months) return 0;
    if (a->store->ops->run(a->store, "SELECT month FROM ttmem_run_ids WHERE run_id = $1 FOR UPDATE", &id, 1, take_month, &month,
                           NULL, err) != 0)
        return -1;
    if (months_known(a->store, month, &a->part)) return 0;
    if (months_load(a->store, err) != 0) return -1; /* it may be newer than the list */
    if (months_known(a->store, month, &a->part)) return 0;
    return err_set(err, ERR_OUTPUT, "%s: the run is being removed with its month; add it again", a->store->name);
}

/* The run exists without its ops: they are added to it. */
static int add_ops_later(struct adding *a, struct err *err) {
    struct store_value id = STORE_I(a->run);
    struct strbuf sql = {0};
    int64_t changed = 0;
    months_sql(&sql, a->store, a->part, "UPDATE ttmem_runs@ SET has_ops = 1 WHERE run_id = $1 AND has_ops = 0");
    int rc = a->store->ops->run(a->store, strbuf_text(&sql), &id, 1, NULL, NULL, &changed, err);
    strbuf_release(&sql);
    return rc == 0 && changed ? write_bulk(a, &ops_bulk, err) : rc;
}

static int add_all(struct adding *a, const struct history_run *run, bool with_ops, bool *added, struct err *err) {
    int64_t changed = 0;
    int rc = add_row(a, run, with_ops, &changed, err);
    *added = changed > 0;
    if (rc == 0 && !*added) {
        rc = find_again(a, err);
        return rc == 0 && with_ops ? add_ops_later(a, err) : rc;
    }
    for (size_t i = 0; rc == 0 && i < sizeof bulks / sizeof *bulks; i++) rc = write_bulk(a, &bulks[i], err);
    return rc == 0 && with_ops ? write_bulk(a, &ops_bulk, err) : rc;
}

int history_add(struct store *store, struct history_run *run, struct history_label *labels, size_t label_count,
                const struct footprint *footprint, bool with_ops, bool *added, struct err *err) {
    struct adding a = {.store = store, .f = footprint, .labels = labels, .label_count = label_count};
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    for (size_t i = 0; i < label_count; i++) {
        labels[i].name = clean(&a.arena, labels[i].name);
        labels[i].value = clean(&a.arena, labels[i].value);
    }
    if (label_count) qsort(labels, label_count, sizeof *labels, by_name);
    if (!run->added) run->added = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
    run->id = a.run = id_of(run, labels, label_count, footprint->content);
    run->ops = (int64_t)footprint->op_count;
    run->has_ops = with_ops && footprint->has_ops;
    a.texts = mem_zalloc(footprint->strings.strings.len + 1, sizeof *a.texts);
    a.model = clean(&a.arena, run->model);
    a.branch = clean(&a.arena, run->branch);
    a.added = run->added;
    int rc = months_part_for(store, run->added, &a.part, err);
    if (rc == 0) rc = store->ops->begin(store, true, err);
    if (rc == 0) {
        rc = add_all(&a, run, run->has_ops, added, err);
        if (rc == 0) rc = store->ops->commit(store, err);
        if (rc != 0) store->ops->rollback(store);
    }
    free(a.texts);
    arena_release(&a.arena);
    return rc;
}
