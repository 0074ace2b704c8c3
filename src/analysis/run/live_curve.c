/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/live_curve.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

enum order { BY_BIRTH, BY_DEATH, BY_SURE_END };

static uint32_t place_of(const struct run *run, const struct tensor *tensor, enum order order) {
    uint32_t end = order == BY_SURE_END ? tensor_sure_end(run, tensor) : tensor->gone;
    return order == BY_BIRTH ? tensor->born : end > tensor->born ? end : tensor->born;
}

static struct ordered_tensors order_by(const struct run *run, enum order order) {
    size_t steps = run->steps.len;
    struct ordered_tensors out = {mem_alloc((run->tensors.len + 1) * sizeof *out.ids),
                                  mem_zalloc(steps + 3, sizeof *out.starts)};
    /* counted two places further, moved back by one when an id is put down */
    for (size_t i = 0; i < run->tensors.len; i++) {
        uint32_t step = place_of(run, &run->tensors.items[i], order);
        out.starts[(step < steps ? step : steps) + 2]++;
    }
    for (size_t i = 1; i < steps + 3; i++) out.starts[i] += out.starts[i - 1];
    for (size_t i = 0; i < run->tensors.len; i++) {
        uint32_t step = place_of(run, &run->tensors.items[i], order);
        out.ids[out.starts[(step < steps ? step : steps) + 1]++] = (uint32_t)i;
    }
    return out;
}

static void ordered_release(struct ordered_tensors *ordered) {
    free(ordered->ids);
    free(ordered->starts);
}

static void apply(const struct run *run, struct live_walk_rank *ranks, bool sure, uint32_t id, bool birth) {
    const struct tensor *tensor = &run->tensors.items[id];
    struct live_sum sum = tensor_sum(run, tensor);
    for (unsigned pool = 0; pool < LIVE_POOLS; pool++) {
        if (!tensor_in_pool(run, tensor, (enum pool)pool)) continue;
        struct live_point *point = sure ? &ranks[tensor->rank].sure[pool] : &ranks[tensor->rank].all[pool];
        point->logical_bytes += birth ? sum.logical_bytes : 0 - sum.logical_bytes;
        point->padded_bytes += birth ? sum.padded_bytes : 0 - sum.padded_bytes;
        point->per_bank_bytes += birth ? sum.per_bank_bytes : 0 - sum.per_bank_bytes;
        point->tensors += birth ? 1u : 0u - 1u;
        point->bank_unknown += birth ? (uint32_t)sum.bank_unknown : 0u - (uint32_t)sum.bank_unknown;
    }
}

bool live_walk_begin(struct live_walk *walk, const struct run *run) {
    *walk = (struct live_walk){.run = run};
    if (!run->tensors.len || !run->records.len) return false;
    walk->births = order_by(run, BY_BIRTH);
    walk->deaths = order_by(run, BY_DEATH);
    walk->has_sure = live_may_be_gone(run);
    if (walk->has_sure) walk->sure_ends = order_by(run, BY_SURE_END);
    walk->ranks = mem_zalloc(run->ranks.len, sizeof *walk->ranks);
    return true;
}

/* The last block measured it already. */
static void add_to_base(struct live_walk *walk, const struct tensor *tensor) {
    for (unsigned pool = 0; pool < LIVE_POOLS; pool++)
        if (tensor_in_pool(walk->run, tensor, (enum pool)pool))
            walk->ranks[tensor->rank].base[pool].tensors_bytes += tensor_sum(walk->run, tensor).per_bank_bytes;
}

static void move_to(struct live_walk *walk, uint32_t step, bool is_end) {
    const struct run *run = walk->run;
    for (; walk->born < walk->births.starts[step + 1]; walk->born++) {
        uint32_t id = walk->births.ids[walk->born];
        const struct tensor *tensor = &run->tensors.items[id];
        if (is_end && (tensor->execution == NONE || !run->executions.items[tensor->execution].finished)) continue;
        apply(run, walk->ranks, false, id, true);
        if (walk->has_sure) apply(run, walk->ranks, true, id, true);
        if (walk->has_sure && tensor_was_there(tensor)) add_to_base(walk, tensor);
    }
    if (is_end) return;
    for (; walk->gone < walk->deaths.starts[step + 1]; walk->gone++)
        apply(run, walk->ranks, false, walk->deaths.ids[walk->gone], false);
    for (; walk->has_sure && walk->sure_gone < walk->sure_ends.starts[step + 1]; walk->sure_gone++)
        apply(run, walk->ranks, true, walk->sure_ends.ids[walk->sure_gone], false);
    for (; walk->part < run->parts.len && run->parts.items[walk->part].step <= step; walk->part++)
        memset(walk->ranks[run->parts.items[walk->part].rank].base, 0, sizeof walk->ranks->base);
}

/* What the tensors since the last block add to what it measured. */
static uint64_t least_since(const struct live_base *base, const struct live_point *all) {
    if (!base->known || all->bank_unknown) return 0;
    uint64_t now = base->allocated_bytes + all->per_bank_bytes;
    return now > base->tensors_bytes ? now - base->tensors_bytes : 0;
}

static void set_point(const struct live_walk *walk, struct live_walk_rank *rank, unsigned pool, const struct block *block,
                      struct live_point *out) {
    struct live_base *base = &rank->base[pool];
    *out = rank->all[pool];
    if (!walk->has_sure) {
        out->least_bytes = out->per_bank_bytes;
        return;
    }
    if (block && block->have >> pool & 1) {
        *base = (struct live_base){true, (uint64_t)num_milli_mb_to_bytes(block->allocated[pool]), out->per_bank_bytes};
        return;
    }
    const struct live_point *sure = &rank->sure[pool];
    if (!base->known || !live_agrees(base->tensors_bytes, base->allocated_bytes)) *out = *sure;
    uint64_t since = least_since(base, &rank->all[pool]);
    out->least_bytes = since > sure->per_bank_bytes ? since : sure->per_bank_bytes;
}

const struct live_point *live_walk_to(struct live_walk *walk, uint32_t step) {
    const struct run *run = walk->run;
    bool is_end = step >= run->steps.len;
    move_to(walk, step, is_end);
    struct live_walk_rank *rank = &walk->ranks[is_end ? 0 : run->steps.items[step].rank];
    uint32_t number = is_end ? NONE : run->steps.items[step].block;
    const struct block *block = number == NONE ? NULL : &run->blocks.items[number];
    for (unsigned pool = 0; pool < LIVE_POOLS; pool++) set_point(walk, rank, pool, block, &walk->points[pool]);
    return walk->points;
}

void live_walk_end(struct live_walk *walk) {
    ordered_release(&walk->births);
    ordered_release(&walk->deaths);
    ordered_release(&walk->sure_ends);
    free(walk->ranks);
}

struct live_point (*live_curve(const struct run *run))[LIVE_POOLS] {
    struct live_walk walk;
    if (!live_walk_begin(&walk, run)) return NULL;
    struct live_point(*curve)[LIVE_POOLS] = mem_alloc(sizeof *curve * run->records.len);
    for (uint32_t step = 0, record = 0; record < run->records.len; step++) { /* blocks of other steps tell as well */
        const struct live_point *points = live_walk_to(&walk, step);
        if (run->records.items[record] == step) memcpy(curve[record++], points, sizeof *curve);
    }
    live_walk_end(&walk);
    return curve;
}
