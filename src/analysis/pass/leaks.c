/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/pass/leaks.h"

#include <stdlib.h>

#include "model/left/pass_growth.h"
#include "analysis/pass/pass_leaks.h"
#include "base/num.h"

/* Candidates of one series and kind are one row. */
static void make_rows(const struct run *run, struct leaks *out) {
    uint32_t last_pass = NONE;
    for (size_t i = 0; i < out->left.candidates.len; i++) {
        const struct leak_candidate *c = &out->left.candidates.items[i], *before = i ? c - 1 : NULL;
        const struct pass_series *series = &out->left.series.items[c->series];
        const struct tensor *tensor = &run->tensors.items[c->tensor];
        if (!c->leaks || (c->suspect && series->passes < 3)) continue;
        if (!before || before->series != c->series || before->kind != c->kind) {
            vec_push(&out->rows,
                     ((struct leak_row){.record = NONE, .pool = POOL_DRAM, .suspect = c->suspect, .of = series->passes}));
            last_pass = NONE;
        }
        struct leak_row *row = &vec_last(&out->rows);
        row->record = run->steps.items[tensor->producer].record;
        row->tensor = c->tensor;
        row->passes += tensor->execution != last_pass;
        last_pass = tensor->execution;
        row->tensors++;
        row->bytes += c->per_bank_bytes;
    }
}

/* For inputs that record when buffers are freed. */
static void take_pass_leaks(const struct run *run, struct leaks *out) {
    struct pass_leaks found;
    pass_leaks_find(run, &found);
    out->left.known = found.passes > 0;
    for (size_t i = 0; i < found.ops.len; i++) {
        const struct pass_leak *leak = &found.ops.items[i];
        vec_push(&out->rows, ((struct leak_row){.record = leak->record,
                                                .tensor = leak->tensor,
                                                .pool = leak->pool,
                                                .passes = leak->passes,
                                                .of = leak->of,
                                                .tensors = leak->buffers,
                                                .bytes = leak->bank_bytes}));
    }
    pass_leaks_release(&found);
}

/* Highest state of DRAM on a rank and the size of its bank there; 0: unknown. */
static void highest(const struct run *run, uint32_t rank, uint32_t *allocated, uint32_t *total) {
    *allocated = *total = 0;
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        if (!(block->have & 1u << POOL_DRAM) || run->steps.items[block->step].rank != rank) continue;
        if (block->allocated[POOL_DRAM] < *allocated) continue;
        *allocated = block->allocated[POOL_DRAM];
        *total = block_config(run, block, POOL_DRAM)->total;
    }
}

/* How many more passes are possible. */
static void find_end(const struct run *run, struct leaks *out) {
    uint32_t rank = 0, allocated, total;
    for (size_t i = 0; i < out->left.series.len; i++) {
        int64_t growth;
        const struct pass_series *s = &out->left.series.items[i];
        if (!pass_series_growth(s, &growth) || growth <= 0) continue;
        if ((s->slope.known ? s->slope.per_step : num_milli_mb_to_bytes(growth)) <= out->growth) continue;
        out->growth = s->slope.known ? s->slope.per_step : num_milli_mb_to_bytes(growth);
        out->passes = s->passes;
        rank = s->rank;
    }
    if (run->addresses.len) {
        struct slope slope;
        pass_growth_find(run, POOL_DRAM, &slope);
        out->growth = slope.known && slope.rises ? slope.per_step : 0;
        out->passes = slope.known ? (uint32_t)slope.points : 0;
    }
    if (out->growth <= 0 || out->passes < 3) return; /* one difference is not a trend */
    highest(run, rank, &allocated, &total);
    if (!total || total < allocated) return;
    out->end_known = true;
    out->passes_left = (uint64_t)num_milli_mb_to_bytes((int64_t)total - allocated) / (uint64_t)out->growth;
}

static int more_first(const void *a, const void *b) {
    const struct leak_row *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->record < y->record ? -1 : x->record > y->record;
}

void leaks_find(const struct run *run, struct leaks *out) {
    *out = (struct leaks){0};
    left_find(run, &out->left);
    if (run->addresses.len) take_pass_leaks(run, out);
    else if (out->left.known) make_rows(run, out);
    if (out->rows.len) qsort(out->rows.items, out->rows.len, sizeof *out->rows.items, more_first);
    find_end(run, out);
}

void leaks_release(struct leaks *leaks) {
    left_release(&leaks->left);
    vec_release(&leaks->rows);
}

int64_t live_left_room(const struct live_sum *sum, int64_t allocated) {
    return sum->bank_unknown ? -1 : num_milli_mb_to_bytes(allocated - num_bytes_to_milli_mb(sum->per_bank_bytes) + 1);
}

bool live_left_take(const struct run *run, const struct leak_candidate *candidate, uint32_t step, int64_t *room) {
    const struct tensor *tensor = &run->tensors.items[candidate->tensor];
    if (!candidate->leaks || tensor->left || tensor->gone > step) return false;
    if (run_part_end(run, tensor->rank, tensor->born) <= step || (int64_t)candidate->per_bank_bytes > *room) return false;
    *room -= (int64_t)candidate->per_bank_bytes;
    return true;
}

void live_add_left(const struct run *run, const struct leaks *leaks, uint32_t step, enum pool pool, int64_t allocated,
                   struct live_set *set) {
    int64_t room = live_left_room(&set->sum, allocated);
    if (pool != POOL_DRAM || room < 0 || step >= run->steps.len) return;
    for (size_t i = 0; i < leaks->left.candidates.len; i++) {
        const struct leak_candidate *candidate = &leaks->left.candidates.items[i];
        const struct tensor *tensor = &run->tensors.items[candidate->tensor];
        if (tensor->rank != run->steps.items[step].rank || !live_left_take(run, candidate, step, &room)) continue;
        struct live_sum sum = tensor_sum(run, tensor);
        live_sum_add(&set->sum, &sum);
        live_sum_add(&set->by_class[tensor_live_class(run, tensor)], &sum);
        live_sum_add(&set->left, &sum);
        vec_push(&set->tensors, candidate->tensor);
    }
    if (set->left.tensors) live_sort(run, set);
}
