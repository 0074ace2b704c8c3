/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/fragmentation.h"

#include <stdlib.h>

#include "model/buffer/block_bytes.h"

static int number_order(uint32_t less, uint32_t more) { return less < more ? -1 : less > more; }

/* By the byte, if thousandths of a MB do not distinguish them. */
static int largest_order(const struct run *run, const struct free_state *a, const struct free_state *b, unsigned pool) {
    if (a->largest != b->largest || !run->rests.len) return number_order(a->largest, b->largest);
    int left = block_rest(run, &run->blocks.items[a->block])->largest[pool];
    int right = block_rest(run, &run->blocks.items[b->block])->largest[pool];
    return left < right ? -1 : left > right;
}

/* Does a state replace the one that is kept? `order` is below zero if it is worse; of equal ones the first of the first rank
 * stays. */
static bool replaces(const struct fragmentation *f, const struct free_state *state, const struct free_state *kept, int order) {
    return !f->seen || order < 0 || (order == 0 && state->rank < kept->rank);
}

static int share_order(uint32_t a, uint32_t a_total, uint32_t b, uint32_t b_total) {
    uint64_t left = (uint64_t)a * b_total, right = (uint64_t)b * a_total;
    return left > right ? -1 : left < right;
}

static void consider(const struct run *run, struct fragmentation *f, const struct step *step, enum pool pool,
                     uint32_t after_record) {
    const struct block *block = &run->blocks.items[step->block];
    if (run->told_by_files) return; /* the worst state may have been between two ops */
    /* a cut line may lack the free bytes or the largest block */
    if (!(block->have & ~block->partial & 1u << pool) || !block_config(run, block, pool)->total) return;
    struct free_state state = {step->block,
                               block->free[pool],
                               block->largest[pool],
                               after_record,
                               block_config(run, block, pool)->total,
                               step->rank,
                               0};
    const struct free_state *worst = &f->worst_share, *tightest = &f->tightest_share;
    if (replaces(f, &state, &f->worst, number_order(free_gap(&f->worst), free_gap(&state)))) f->worst = state;
    if (replaces(f, &state, &f->tightest, f->seen ? largest_order(run, &state, &f->tightest, pool) : 0)) f->tightest = state;
    if (replaces(f, &state, worst, share_order(free_gap(&state), state.total, free_gap(worst), worst->total)))
        f->worst_share = state;
    if (replaces(f, &state, tightest, share_order(tightest->largest, tightest->total, state.largest, state.total)))
        f->tightest_share = state;
    f->seen = true;
}

void fragmentation_find(const struct run *run, struct fragmentation *out) {
    uint32_t *last = mem_alloc(sizeof *last * (run->ranks.len + 1));
    for (size_t i = 0; i < run->ranks.len; i++) last[i] = NONE;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) out[pool] = (struct fragmentation){0};
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        for (unsigned pool = 0; step->block != NONE && pool < POOL_COUNT; pool++)
            consider(run, &out[pool], step, (enum pool)pool, last[step->rank]);
        if (step->record != NONE) last[step->rank] = step->record;
    }
    free(last);
}

void fragmentation_between(const struct run *run, uint16_t rank, uint32_t first, uint32_t end, struct fragmentation *out) {
    uint32_t last = NONE;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) out[pool] = (struct fragmentation){0};
    for (size_t i = first; i < end; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->rank != rank) continue;
        for (unsigned pool = 0; step->block != NONE && pool < POOL_COUNT; pool++)
            consider(run, &out[pool], step, (enum pool)pool, last);
        if (step->record != NONE) last = step->record;
    }
}

void fragmentation_by_rank(const struct run *run, enum pool pool, struct fragmentation *out) {
    uint32_t *last = mem_alloc(sizeof *last * (run->ranks.len + 1));
    for (size_t i = 0; i < run->ranks.len; i++) {
        last[i] = NONE;
        out[i] = (struct fragmentation){0};
    }
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->block != NONE) consider(run, &out[step->rank], step, pool, last[step->rank]);
        if (step->record != NONE) last[step->rank] = step->record;
    }
    free(last);
}
