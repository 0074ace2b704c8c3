/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/live_curve.h"

#include <stdlib.h>

/* Tensors in the order of a step of theirs: those of step i stand from starts[i] on, up to starts[i + 1]. The last place is for
 * those that live to the end. */
struct ordered_tensors {
    uint32_t *ids;
    uint32_t *starts;
};

static struct ordered_tensors order_by(const struct run *run, bool births) {
    size_t steps = run->steps.len;
    struct ordered_tensors out = {mem_alloc((run->tensors.len + 1) * sizeof *out.ids),
                                  mem_zalloc(steps + 3, sizeof *out.starts)};
    /* counted two places further, moved back by one when an id is put down */
    for (size_t i = 0; i < run->tensors.len; i++) {
        uint32_t step = births ? run->tensors.items[i].born : run->tensors.items[i].gone;
        out.starts[(step < steps ? step : steps) + 2]++;
    }
    for (size_t i = 1; i < steps + 3; i++) out.starts[i] += out.starts[i - 1];
    for (size_t i = 0; i < run->tensors.len; i++) {
        uint32_t step = births ? run->tensors.items[i].born : run->tensors.items[i].gone;
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
        point->per_bank_bytes += birth ? sum.per_bank_bytes : 0 - sum.per_bank_bytes;
        point->tensors += birth ? 1u : 0u - 1u;
        point->bank_unknown += birth ? (uint32_t)sum.bank_unknown : 0u - (uint32_t)sum.bank_unknown;
    }
}

struct live_point (*live_curve(const struct run *run))[LIVE_POOLS] {
    if (!run->tensors.len || !run->records.len) return NULL;
    struct ordered_tensors births = order_by(run, true), deaths = order_by(run, false);
    struct live_point(*sums)[LIVE_POOLS] = mem_zalloc(run->ranks.len, sizeof *sums);
    struct live_point(*curve)[LIVE_POOLS] = mem_alloc(sizeof *curve * run->records.len);
    size_t born = 0, gone = 0;
    for (size_t record = 0; record < run->records.len; record++) {
        uint32_t step = run->records.items[record];
        for (; born < births.starts[step + 1]; born++) apply(run, sums, births.ids[born], true);
        for (; gone < deaths.starts[step + 1]; gone++) apply(run, sums, deaths.ids[gone], false);
        memcpy(curve[record], sums[run->steps.items[step].rank], sizeof *curve);
    }
    ordered_release(&births);
    ordered_release(&deaths);
    free(sums);
    return curve;
}
