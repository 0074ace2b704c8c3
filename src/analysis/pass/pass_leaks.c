/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/pass/pass_leaks.h"

#include <stdlib.h>

#include "analysis/run/live.h"
#include "base/table/map.h"

static int more_first(const void *a, const void *b) {
    const struct pass_leak *x = a, *y = b;
    if (x->bank_bytes != y->bank_bytes) return x->bank_bytes < y->bank_bytes ? 1 : -1;
    return x->record < y->record ? -1 : x->record > y->record;
}

/* For each execution the end of the last one of the same program and rank; 0: it is itself the first or the last. */
static uint32_t *last_ends(const struct run *run, uint64_t *passes) {
    size_t pairs = run->programs.len * run->ranks.len;
    uint32_t *ends = mem_zalloc(run->executions.len + 1, sizeof *ends);
    uint32_t *last = mem_zalloc(pairs + 1, sizeof *last);
    uint32_t *first = mem_zalloc(pairs + 1, sizeof *first);
    for (size_t i = run->executions.len; i-- > 0;) {
        const struct execution *e = &run->executions.items[i];
        if (e->parent != NONE || !e->finished || e->program >= run->programs.len) continue;
        size_t pair = e->program * run->ranks.len + e->rank;
        ends[i] = last[pair];
        if (!last[pair]) last[pair] = e->end_step;
        first[pair] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < pairs; i++)
        if (first[i]) ends[first[i] - 1] = 0;
    *passes = 0;
    for (size_t i = 0; i < run->executions.len; i++) *passes += ends[i] > 0;
    free(last);
    free(first);
    return ends;
}

static void add(struct pass_leaks *out, struct map *known, const struct run *run, const struct tensor *tensor) {
    const struct step *made = &run->steps.items[tensor->producer];
    const struct execution *pass = &run->executions.items[made->execution];
    uint32_t place = made->record - run->steps.items[pass->first_step].record;
    unsigned pool = 0;
    while (pool < POOL_COUNT && !tensor_in_pool(run, tensor, (enum pool)pool)) pool++;
    if (pool == POOL_COUNT) return;
    bool added;
    uint64_t key = ((uint64_t)pass->program << 32 | place) * POOL_COUNT + pool;
    uint32_t *row = map_at(known, (struct hash128){hash_mix(0, key), key}, &added);
    if (added) {
        *row = (uint32_t)out->ops.len;
        vec_push(&out->ops, ((struct pass_leak){.place = place, .pool = (uint8_t)pool, .last_pass = NONE}));
    }
    struct pass_leak *leak = &out->ops.items[*row];
    leak->passes += leak->last_pass != made->execution;
    leak->last_pass = made->execution;
    leak->record = made->record;
    leak->tensor = (uint32_t)(tensor - run->tensors.items);
    leak->buffers++;
    leak->bank_bytes += tensor_sum(run, tensor).per_bank_bytes;
}

void pass_leaks_find(const struct run *run, struct pass_leaks *out) {
    *out = (struct pass_leaks){0};
    if (!run->addresses.len || !run->executions.len) return;
    struct map known = {0};
    uint32_t *ends = last_ends(run, &out->passes);
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (tensor->producer == NONE) continue;
        const struct step *made = &run->steps.items[tensor->producer];
        if (made->execution == NONE || made->record == NONE || !ends[made->execution]) continue;
        if (run->steps.items[run->executions.items[made->execution].first_step].record == NONE) continue;
        if (tensor->gone == NONE || tensor->gone > ends[made->execution]) add(out, &known, run, tensor);
    }
    free(ends);
    map_release(&known);
    size_t kept = 0;
    for (size_t i = 0; i < out->ops.len; i++)
        if (out->ops.items[i].passes > 1) out->ops.items[kept++] = out->ops.items[i];
    out->ops.len = kept;
    if (out->ops.len) qsort(out->ops.items, out->ops.len, sizeof *out->ops.items, more_first);
}

void pass_leaks_release(struct pass_leaks *leaks) { vec_release(&leaks->ops); }
