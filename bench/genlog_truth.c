/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the truth from events in the order in which their lines reach the file; bench/GENLOG.md says what each key means. */
#include "genlog_truth.h"

#include <stdlib.h>
#include <string.h>

struct truth *truth_new(struct gen *g) {
    struct truth *t = xrealloc(NULL, sizeof *t);
    *t = (struct truth){.g = g, .rank_count = g->device_count};
    t->ranks = xrealloc(NULL, sizeof *t->ranks * (size_t)t->rank_count);
    memset(t->ranks, 0, sizeof *t->ranks * (size_t)t->rank_count);
    for (int i = 0; i < t->rank_count; i++) {
        t->ranks[i].last_record = t->ranks[i].block_record = NONE;
        for (int d = 0; d < MAX_DEPTH; d++) t->ranks[i].open[d] = NONE;
    }
    return t;
}

void truth_free(struct truth *t) {
    for (int i = 0; i < t->rank_count; i++) {
        free(t->ranks[i].waiting.items);
        free(t->ranks[i].filling.items);
    }
    free(t->ranks);
    free(t->ops);
    free(t->fns);
    free(t->details);
    free(t);
}

void truth_pass(struct truth *t) {
    if (!t->g->sink.full) t->passes++;
}

void truth_ambiguous(struct truth *t) { t->ambiguous = true; }

static void push(struct index_list *l, uint64_t index) {
    GROW(l->items, l->count, l->cap);
    l->items[l->count++] = index;
}

/* Op names are few, so a linear search is quick. */
static void count_op(struct truth *t, const char *name) {
    for (size_t i = 0; i < t->op_count; i++)
        if (t->ops[i].name == name || !strcmp(t->ops[i].name, name)) {
            t->ops[i].count++;
            return;
        }
    GROW(t->ops, t->op_count, t->op_cap);
    t->ops[t->op_count++] = (struct name_count){name, 1};
}

static struct fn_count *fn_counter(struct truth *t, const struct event *e) {
    for (size_t i = t->fn_count; i-- > 0;)
        if (t->fns[i].graph == e->graph && t->fns[i].fn == e->fn) return &t->fns[i];
    GROW(t->fns, t->fn_count, t->fn_cap);
    t->fns[t->fn_count] = (struct fn_count){.graph = e->graph, .fn = e->fn};
    return &t->fns[t->fn_count++];
}

/* Gives the next index to a record of this rank. */
static uint64_t add_record(struct truth *t, struct rank_truth *r, const struct event *e, const char *name, uint64_t line,
                           bool cut) {
    uint64_t index = t->records++;
    r->records++;
    count_op(t, name);
    for (int p = 0; p < POOL_COUNT; p++) {
        if (r->peaks[p].await) {
            r->peaks[p].await = false;
            r->peaks[p].before = index;
        }
        if (t->peaks[p].await && t->peaks[p].rank == e->rank) {
            t->peaks[p].await = false;
            t->peaks[p].before = index;
        }
    }
    if (t->g->opt.truth_records) {
        GROW(t->details, (size_t)index, t->detail_cap);
        struct detail *d = &t->details[index];
        *d = (struct detail){.op = e->op,
                             .optype = e->op->optype,
                             .graph = e->graph,
                             .fn = e->fn,
                             .const_eval_fn = e->const_eval_fn,
                             .rank = e->rank,
                             .line = line,
                             .live_bytes = {e->live_bytes[0], e->live_bytes[1]},
                             .live = e->live,
                             .truncated = cut,
                             .hit = e->hit,
                             .nests = e->nests && !t->g->opt.no_ops};
        for (int p = 0; p < POOL_COUNT; p++) d->before[p] = d->after[p] = NONE;
    }
    return index;
}

/* Nested programs of the op at this depth are over: its `after` is the next block. */
static void close_nested(struct truth *t, struct rank_truth *r) {
    if (r->open[r->depth] != NONE && t->g->opt.truth_records) push(&r->waiting, r->open[r->depth]);
    r->open[r->depth] = NONE;
}

static void on_op(struct truth *t, struct rank_truth *r, const struct event *e, uint64_t line, bool cut) {
    t->op_lines++;
    t->truncated += cut;
    close_nested(t, r);
    r->block_record = NONE;
    if (e->op->kind == OP_DEALLOC || e->op->kind == OP_GET_DEVICE) {
        t->deallocates += e->op->kind == OP_DEALLOC;
        t->get_devices += e->op->kind == OP_GET_DEVICE;
        return;
    }
    uint64_t index = add_record(t, r, e, e->op->name, line, cut);
    fn_counter(t, e)->records++;
    r->block_record = index;
    if (!(t->g->opt.level & LEVEL_OPERATION)) r->last_record = index;
    if (!(t->g->opt.level & LEVEL_OPERATION)) return; /* without a block of its own it has no `after` */
    if (e->nests) r->open[r->depth] = index;
    else if (t->g->opt.truth_records) push(&r->waiting, index);
}

static void on_block(struct truth *t, struct rank_truth *r, const struct event *e, uint64_t line) {
    r->block_line = line;
    r->block_has_pool = false;
    r->block_op = e->optype;
    r->block_anonymous = e->owner == OWNER_ANONYMOUS;
    if (e->owner == OWNER_SUBMIT) r->block_record = NONE;
    if (r->block_anonymous) {
        r->block_record = NONE;
        bool dealloc = e->op->kind == OP_DEALLOC, get = e->op->kind == OP_GET_DEVICE;
        t->memory_only_deallocates += dealloc;
        t->memory_only_get_devices += get;
        if (!dealloc && !get) {
            r->block_record = add_record(t, r, e, e->optype, line, false);
            if (t->g->opt.truth_records) push(&r->waiting, r->block_record);
        }
    }
    /* This block is the `after` of every record that waits, except the one it stands before. */
    r->filling.count = 0;
    size_t kept = 0;
    for (size_t i = 0; i < r->waiting.count; i++) {
        uint64_t index = r->waiting.items[i];
        if (index == r->block_record) r->waiting.items[kept++] = index;
        else push(&r->filling, index);
    }
    r->waiting.count = kept;
}

static void raise_peak(struct peak *p, const struct rank_truth *r, const struct event *e, uint64_t line) {
    if (p->set && e->thousandths <= p->value) return;
    *p = (struct peak){.set = true,
                       .value = e->thousandths,
                       .line = line,
                       .block_line = r->block_line,
                       .op_index = r->last_record,
                       .before = r->block_record,
                       .block_op = r->block_op,
                       .await = r->block_record == NONE,
                       .rank = e->rank};
}

static void on_pool(struct truth *t, struct rank_truth *r, const struct event *e, uint64_t line) {
    if (!r->block_has_pool) {
        r->block_has_pool = true;
        t->blocks++;
        t->submit_blocks += e->owner == OWNER_SUBMIT;
    }
    raise_peak(&r->peaks[e->pool], r, e, line);
    raise_peak(&t->peaks[e->pool], r, e, line);
    if (t->g->opt.truth_records) {
        if (r->block_record != NONE) t->details[r->block_record].before[e->pool] = e->thousandths;
        for (size_t i = 0; i < r->filling.count; i++) t->details[r->filling.items[i]].after[e->pool] = e->thousandths;
    }
    if (e->pool == POOL_TRACE && r->block_record != NONE)
        r->last_record = r->block_record; /* after its own block a record is the one that was last run */
}

static void on_start(struct truth *t, struct rank_truth *r, const struct event *e) {
    fn_counter(t, e)->runs++;
    if (r->depth + 1 < MAX_DEPTH) r->depth++;
    r->open[r->depth] = NONE;
}

static void on_finish(struct truth *t, struct rank_truth *r, const struct event *e) {
    fn_counter(t, e)->finished++;
    close_nested(t, r);
    if (r->depth) r->depth--;
}

static void on_failure(struct truth *t, struct rank_truth *r, const struct event *e) {
    t->ooms += e->kind == EV_OOM;
    t->throws += e->kind == EV_THROW;
    for (int d = 0; d < MAX_DEPTH; d++) r->open[d] = NONE;
    r->depth = 0;
}

void truth_event(struct truth *t, const struct event *e, uint64_t line, bool cut) {
    struct rank_truth *r = &t->ranks[e->rank < 0 ? 0 : e->rank];
    switch (e->kind) {
        case EV_OP:
            on_op(t, r, e, line, cut);
            break;
        case EV_BLOCK:
            on_block(t, r, e, line);
            break;
        case EV_POOL:
            on_pool(t, r, e, line);
            break;
        case EV_START:
            on_start(t, r, e);
            break;
        case EV_FINISH:
            on_finish(t, r, e);
            break;
        case EV_HIT:
            fn_counter(t, e)->hits++;
            break;
        case EV_MISS:
            fn_counter(t, e)->misses++;
            break;
        case EV_OOM:
        case EV_THROW:
            on_failure(t, r, e);
            break;
        case EV_MODULE:
            t->modules++;
            break;
        case EV_NONE:
            break;
    }
}
