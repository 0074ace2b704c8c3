/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/byte_seconds.h"

#include <stdlib.h>

#include "analysis/run/live.h"
#include "device/tensor_type.h"

static const uint64_t NS_PER_MS = 1000000;

bool has_durations(const struct run *run) {
    if (!run->times.len || run->times.len != run->steps.len) return false;
    for (size_t i = 0; i < run->times.len; i++)
        if (run->times.items[i].duration_ns) return true;
    return false;
}

/* When the last step of each rank ended. */
static uint64_t *rank_ends(const struct run *run) {
    uint64_t *ends = mem_zalloc(run->ranks.len + 1, sizeof *ends);
    for (size_t i = 0; i < run->times.len; i++) {
        uint64_t end = run->times.items[i].start_ns + run->times.items[i].duration_ns;
        if (end > ends[run->steps.items[i].rank]) ends[run->steps.items[i].rank] = end;
    }
    return ends;
}

static int64_t add_product(int64_t sum, uint64_t bytes, uint64_t ns) {
    double product = (double)bytes * ((double)ns / (double)NS_PER_MS);
    if (product >= (double)(INT64_MAX / 2) || sum > INT64_MAX / 2) return INT64_MAX / 2;
    return sum + (int64_t)(product + 0.5);
}

int64_t *records_byte_seconds(const struct run *run, enum pool pool) {
    int64_t *sums = mem_zalloc(run->records.len + 1, sizeof *sums);
    if (!has_durations(run)) return sums;
    uint64_t *ends = rank_ends(run);
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *t = &run->tensors.items[i];
        const struct tensor_type *type = &run->types.items[t->type];
        uint32_t record = t->producer == NONE ? NONE : run->steps.items[t->producer].record;
        if (record == NONE || t->class == TENSOR_CIRCULAR_BUFFER || !tensor_in_pool(run, t, pool)) continue;
        uint64_t from = run->times.items[t->producer].start_ns;
        uint64_t until = t->gone == NONE || t->gone >= run->times.len ? ends[t->rank] : run->times.items[t->gone].start_ns;
        if (until > from) sums[record] = add_product(sums[record], tensor_per_bank_bytes(type, &run->geometry), until - from);
    }
    free(ends);
    return sums;
}
