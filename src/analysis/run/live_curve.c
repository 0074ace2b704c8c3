/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/live_curve.h"

#include <stdlib.h>

/* Up to where a tensor certainly exists. */
static uint32_t sure_end(const struct run *run, const struct tensor *tensor) {
    bool kept = tensor->retained || tensor->class == TENSOR_CONST_EVAL; /* by the runtime */
    if (run->origin != RUN_LOG || run->addresses.len || kept || tensor->execution == NONE) return tensor->gone;
    uint32_t end = run->executions.items[tensor->execution].end_step;
    uint32_t user = tensor->last_use == NONE ? NONE : step_top(run, &run->steps.items[tensor->last_use]);
    if (user != NONE && run->executions.items[user].end_step > end) end = run->executions.items[user].end_step;
    return end < tensor->gone ? end : tensor->gone;
}

enum order { BY_BIRTH, BY_DEATH, BY_SURE_END };

static uint32_t place_of(const struct run *run, const struct tensor *tensor, enum order order) {
    uint32_t end = order == BY_SURE_END ? sure_end(run, tensor) : tensor->gone;
    return order == BY_BIRTH ? tensor->born : end > tensor->born ? end : tensor->born;
}

static struct ordered_tensors order_by(const struct run *run, enum order order) {
    size_t steps = run->steps.len;
    struct ordered_tensors out = {mem_alloc((run->tensors.len + 1) * sizeof *out.ids),
                                  mem_zalloc(steps + 3, sizeof *out.starts)};
    /* counted two places further; moved back by one when an id is stored */
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

static void apply(const struct run *run, struct live_point (*sums)[LIVE_POOLS], uint32_t id, bool birth) {
    const struct tensor *tensor = &run->tensors.items[id];
    struct live_sum sum = tensor_sum(run, tensor);
    for (unsigned pool = 0; pool < LIVE_POOLS; pool++) {
        if (!tensor_in_pool(run, tensor, (enum pool)pool)) continue;
        struct live_point *point = &sums[tensor->rank][pool];
        point->logical_bytes += birth ? sum.logical_bytes : 0 - sum.logical_bytes;
        point->padded_bytes += birth ? sum.padded_bytes : 0 - sum.padded_bytes;
        point->padding_bytes += birth ? sum.padding_bytes : 0 - sum.padding_bytes;
        point->per_bank_bytes += birth ? sum.per_bank_bytes : 0 - sum.per_bank_bytes;
        point->tensors += birth ? 1u : 0u - 1u;
        point->bank_unknown += birth ? (uint32_t)sum.bank_unknown : 0u - (uint32_t)sum.bank_unknown;
    }
}

static bool walk_begin(struct live_walk *walk, const struct run *run, enum order deaths) {
    *walk = (struct live_walk){.run = run};
    if (!run->tensors.len || !run->records.len) return false;
    walk->births = order_by(run, BY_BIRTH);
    walk->deaths = order_by(run, deaths);
    walk->sums = mem_zalloc(run->ranks.len, sizeof *walk->sums);
    return true;
}

bool live_walk_begin(struct live_walk *walk, const struct run *run) { return walk_begin(walk, run, BY_DEATH); }

bool live_walk_begin_sure(struct live_walk *walk, const struct run *run) { return walk_begin(walk, run, BY_SURE_END); }

const struct live_point *live_walk_to(struct live_walk *walk, uint32_t step) {
    const struct run *run = walk->run;
    bool is_end = step >= run->steps.len;
    for (; walk->born < walk->births.starts[step + 1]; walk->born++) {
        uint32_t id = walk->births.ids[walk->born];
        const struct tensor *tensor = &run->tensors.items[id];
        if (is_end && (tensor->execution == NONE || !run->executions.items[tensor->execution].finished)) continue;
        apply(run, walk->sums, id, true);
    }
    for (; !is_end && walk->gone < walk->deaths.starts[step + 1]; walk->gone++)
        apply(run, walk->sums, walk->deaths.ids[walk->gone], false);
    return walk->sums[is_end ? 0 : run->steps.items[step].rank];
}

void live_walk_end(struct live_walk *walk) {
    ordered_release(&walk->births);
    ordered_release(&walk->deaths);
    free(walk->sums);
}

struct live_point (*live_curve(const struct run *run))[LIVE_POOLS] {
    struct live_walk walk;
    if (!live_walk_begin(&walk, run)) return NULL;
    struct live_point(*curve)[LIVE_POOLS] = mem_alloc(sizeof *curve * run->records.len);
    for (size_t record = 0; record < run->records.len; record++)
        memcpy(curve[record], live_walk_to(&walk, run->records.items[record]), sizeof *curve);
    live_walk_end(&walk);
    return curve;
}
