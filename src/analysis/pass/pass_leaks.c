/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/pass/pass_leaks.h"

#include <stdlib.h>

#include "analysis/run/live.h"
#include "base/table/map.h"

enum { LONGER = 2 }; /* times the longest lifetime of what was freed */

static int more_first(const void *a, const void *b) {
    const struct pass_leak *x = a, *y = b;
    if (x->bank_bytes != y->bank_bytes) return x->bank_bytes < y->bank_bytes ? 1 : -1;
    return x->record < y->record ? -1 : x->record > y->record;
}

/* For each execution the end of the last one of the same program and rank; 0: it is itself the first or the last. */
static uint32_t *last_ends(const struct run *run, uint64_t *passes, uint32_t *of_program) {
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
    for (size_t i = 0; i < run->executions.len; i++) {
        if (!ends[i]) continue;
        ++*passes;
        of_program[run->executions.items[i].program]++;
    }
    free(last);
    free(first);
    return ends;
}

/* The row for what the tensor's op makes in its pool, or NULL; `added` as for a map. */
static struct pass_leak *row_of(struct pass_leaks *out, struct map *known, const struct run *run, const struct tensor *tensor) {
    const struct step *made = &run->steps.items[tensor->producer];
    const struct execution *pass = &run->executions.items[made->execution];
    uint32_t place = made->record - run->steps.items[pass->first_step].record;
    unsigned pool = 0;
    while (pool < POOL_COUNT && !tensor_in_pool(run, tensor, (enum pool)pool)) pool++;
    if (pool == POOL_COUNT) return NULL;
    bool added;
    uint64_t key = ((uint64_t)pass->program << 32 | place) * POOL_COUNT + pool;
    uint32_t *row = map_at(known, (struct hash128){hash_mix(0, key), key}, &added);
    if (added) {
        *row = (uint32_t)out->ops.len;
        vec_push(&out->ops, ((struct pass_leak){.place = place, .pool = (uint8_t)pool, .last_pass = NONE}));
    }
    return &out->ops.items[*row];
}

static void add(struct pass_leak *leak, const struct run *run, const struct tensor *tensor) {
    const struct step *made = &run->steps.items[tensor->producer];
    leak->passes += leak->last_pass != made->execution;
    leak->last_pass = made->execution;
    leak->record = made->record;
    leak->tensor = (uint32_t)(tensor - run->tensors.items);
    leak->buffers++;
    leak->bank_bytes += tensor_sum(run, tensor).per_bank_bytes;
}

/* Goes through what passes made: first the lifetimes of what is freed, then what stayed clearly longer. */
static void take(const struct run *run, const uint32_t *ends, struct pass_leaks *out, struct map *known, bool lives) {
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (tensor->producer == NONE) continue;
        const struct step *made = &run->steps.items[tensor->producer];
        if (made->execution == NONE || made->record == NONE || !ends[made->execution]) continue;
        if (run->steps.items[run->executions.items[made->execution].first_step].record == NONE) continue;
        uint32_t end = ends[made->execution];
        bool stays = tensor->gone == NONE || tensor->gone > end;
        struct pass_leak *row = stays == lives ? NULL : row_of(out, known, run, tensor);
        if (!row) continue;
        if (stays && (end - tensor->producer) / LONGER > row->longest_life) add(row, run, tensor);
        if (!stays && tensor->gone - tensor->producer > row->longest_life) row->longest_life = tensor->gone - tensor->producer;
    }
}

void pass_leaks_find(const struct run *run, struct pass_leaks *out) {
    *out = (struct pass_leaks){0};
    if (!run->addresses.len || !run->executions.len) return;
    struct map known = {0};
    uint32_t *of_program = mem_zalloc(run->programs.len + 1, sizeof *of_program);
    uint32_t *ends = last_ends(run, &out->passes, of_program);
    take(run, ends, out, &known, true);
    take(run, ends, out, &known, false);
    free(ends);
    map_release(&known);
    size_t kept = 0;
    for (size_t i = 0; i < out->ops.len; i++) {
        struct pass_leak *leak = &out->ops.items[i];
        if (leak->passes < 2) continue;
        leak->of = of_program[run->executions.items[leak->last_pass].program];
        out->ops.items[kept++] = *leak;
    }
    out->ops.len = kept;
    free(of_program);
    if (out->ops.len) qsort(out->ops.items, out->ops.len, sizeof *out->ops.items, more_first);
}

void pass_leaks_release(struct pass_leaks *leaks) { vec_release(&leaks->ops); }
