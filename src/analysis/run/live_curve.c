/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/live_curve.h"

#include <stdlib.h>

struct change {
    uint32_t step;
    uint32_t tensor;
};

static int earlier_first(const void *a, const void *b) {
    const struct change *x = a, *y = b;
    return x->step < y->step ? -1 : x->step > y->step;
}

static struct change *sorted_changes(const struct run *run, bool births) {
    struct change *changes = mem_alloc(sizeof *changes * (run->tensors.len + 1));
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        changes[i] = (struct change){births ? tensor->born : tensor->gone, (uint32_t)i};
    }
    qsort(changes, run->tensors.len, sizeof *changes, earlier_first);
    return changes;
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
    struct change *births = sorted_changes(run, true), *deaths = sorted_changes(run, false);
    struct live_point(*sums)[LIVE_POOLS] = mem_zalloc(run->ranks.len, sizeof *sums);
    struct live_point(*curve)[LIVE_POOLS] = mem_alloc(sizeof *curve * run->records.len);
    size_t born = 0, gone = 0;
    for (size_t record = 0; record < run->records.len; record++) {
        uint32_t step = run->records.items[record];
        for (; born < run->tensors.len && births[born].step <= step; born++) apply(run, sums, births[born].tensor, true);
        for (; gone < run->tensors.len && deaths[gone].step <= step; gone++) apply(run, sums, deaths[gone].tensor, false);
        memcpy(curve[record], sums[run->steps.items[step].rank], sizeof *curve);
    }
    free(births);
    free(deaths);
    free(sums);
    return curve;
}
