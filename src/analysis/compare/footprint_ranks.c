/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a footprint: their peaks, and what is alive at each rank's own. */
#include <stdlib.h>

#include "analysis/compare/footprint_make.h"
#include "analysis/compare/ranks.h"

void footprint_rank_peaks(struct making *m, const struct overview *o) {
    bool *bounds = mem_zalloc(m->run->ranks.len + 1, sizeof *bounds);
    rank_bounds_find(m->run, bounds);
    for (uint32_t i = 0; i < m->run->ranks.len; i++) {
        const struct rank *rank = &m->run->ranks.items[i];
        if (!rank->records && !rank->blocks && !rank->failures) continue;
        struct footprint_rank row = {.rank = i, .after_op = NONE};
        for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
            const struct peak *peak = &o->by_rank[i].pools[pool];
            if (!peak->seen) continue;
            row.seen |= (uint8_t)(1u << pool);
            if (peak->at_least || bounds[i]) row.bound |= (uint8_t)(1u << pool);
            row.peak[pool] = peak->allocated;
            row.total[pool] = peak->total;
            if (pool == POOL_DRAM) row.after_op = peak->after_record;
        }
        for (unsigned figure = 0; figure < FIGURE_COUNT; figure++) row.figures[figure].tensor = NONE;
        vec_push(&m->f->rank_peaks, row);
    }
    free(bounds);
}

/* Sums of what is alive at one rank's peak in a pool. */
struct rank_sum {
    struct footprint_rank *row; /* NULL: a rank that ran nothing */
    const struct peak *peak;    /* NULL: none with a step */
    struct live_sum sum;
    int64_t room;                /* for possible leaks */
    uint64_t most[FIGURE_COUNT]; /* of a single tensor */
};

static void add(struct making *m, struct rank_sum *at, unsigned figure, uint64_t bytes, uint64_t whole, uint32_t tensor,
                enum pool pool) {
    struct footprint_rank_figure *to = &at->row->figures[figure];
    to->known = true;
    to->value += (int64_t)bytes;
    to->whole += (int64_t)whole;
    if (bytes <= at->most[figure]) return;
    at->most[figure] = bytes;
    struct footprint_tensor row = footprint_tensor_row(m, &m->run->tensors.items[tensor], pool);
    if (to->tensor == NONE) {
        to->tensor = (uint32_t)m->f->rank_tensors.len;
        vec_push(&m->f->rank_tensors, row);
    } else {
        m->f->rank_tensors.items[to->tensor] = row;
    }
}

static void add_tensor(struct making *m, struct rank_sum *at, uint32_t id, enum pool pool) {
    static const uint8_t figures[LIVE_CLASS_COUNT] = {[LIVE_ACTIVATION] = FIGURE_ACTIVATION,
                                                      [LIVE_WEIGHT] = FIGURE_WEIGHT,
                                                      [LIVE_CONST_EVAL] = FIGURE_CONST_EVAL,
                                                      [LIVE_INPUT] = FIGURE_INPUT};
    const struct tensor *tensor = &m->run->tensors.items[id];
    struct live_sum sum = tensor_sum(m->run, tensor);
    live_sum_add(&at->sum, &sum);
    add(m, at, pool == POOL_DRAM ? FIGURE_PADDING_DRAM : FIGURE_PADDING_L1, sum.padding_bytes, sum.logical_bytes, id, pool);
    unsigned figure = figures[tensor_live_class(m->run, tensor)];
    if (pool == POOL_DRAM && figure) add(m, at, figure, sum.per_bank_bytes, 0, id, pool);
}

/* Possible leaks, as far as the peak has room for them (live_add_left). */
static void add_left(struct making *m, struct rank_sum *ranks) {
    for (size_t i = 0; i < m->run->ranks.len; i++)
        ranks[i].room = ranks[i].peak ? live_left_room(&ranks[i].sum, ranks[i].peak->allocated) : -1;
    for (size_t i = 0; i < m->leaks.left.candidates.len; i++) {
        const struct leak_candidate *candidate = &m->leaks.left.candidates.items[i];
        struct rank_sum *at = &ranks[m->run->tensors.items[candidate->tensor].rank];
        if (!at->row || at->room < 0 || at->peak->step >= m->run->steps.len) continue;
        if (live_left_take(m->run, candidate, at->peak->step, &at->room)) add_tensor(m, at, candidate->tensor, POOL_DRAM);
    }
}

static void add_alive(struct making *m, const struct overview *o, enum pool pool, struct rank_sum *ranks) {
    for (size_t i = 0; i < m->run->ranks.len; i++) {
        const struct peak *peak = &o->by_rank[i].pools[pool];
        ranks[i].peak = peak->seen && peak->step != NONE ? peak : NULL;
        ranks[i].sum = (struct live_sum){0};
    }
    for (uint32_t i = 0; i < m->run->tensors.len; i++) {
        const struct tensor *tensor = &m->run->tensors.items[i];
        struct rank_sum *at = &ranks[tensor->rank];
        if (!at->row || !at->peak || !tensor_alive(tensor, at->peak->step, tensor->rank)) continue;
        if (tensor_in_pool(m->run, tensor, pool)) add_tensor(m, at, i, pool);
    }
    if (pool == POOL_DRAM) add_left(m, ranks);
}

static void add_never_freed(struct making *m, struct rank_sum *ranks) {
    for (size_t i = 0; m->f->has_leaks && i < m->f->rank_peaks.len; i++)
        m->f->rank_peaks.items[i].figures[FIGURE_NEVER_FREED].known = true;
    for (size_t i = 0; i < m->leaks.left.candidates.len; i++) {
        const struct leak_candidate *candidate = &m->leaks.left.candidates.items[i];
        struct footprint_rank *row = ranks[m->run->tensors.items[candidate->tensor].rank].row;
        if (candidate->leaks && row) row->figures[FIGURE_NEVER_FREED].value += (int64_t)candidate->per_bank_bytes;
    }
}

/* For a rank with tensors every class is known: a class without tensors holds 0. */
static void know_classes(struct footprint_rank *row) {
    bool any = row->figures[FIGURE_PADDING_DRAM].known || row->figures[FIGURE_PADDING_L1].known;
    for (unsigned figure = FIGURE_WEIGHT; figure <= FIGURE_INPUT; figure++) {
        row->figures[figure].known = any && row->seen >> POOL_DRAM & 1;
        row->figures[figure].whole = num_milli_mb_to_bytes(row->total[POOL_DRAM]);
    }
}

void footprint_rank_figures(struct making *m, const struct overview *o) {
    if (m->pass || m->f->rank_peaks.len < 2) return;
    struct rank_sum *ranks = mem_zalloc(m->run->ranks.len + 1, sizeof *ranks);
    for (size_t i = 0; i < m->f->rank_peaks.len; i++) ranks[m->f->rank_peaks.items[i].rank].row = &m->f->rank_peaks.items[i];
    add_alive(m, o, POOL_DRAM, ranks);
    add_alive(m, o, POOL_L1, ranks);
    add_never_freed(m, ranks);
    for (size_t i = 0; i < m->f->rank_peaks.len; i++) know_classes(&m->f->rank_peaks.items[i]);
    free(ranks);
}
