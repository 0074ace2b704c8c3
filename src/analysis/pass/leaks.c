/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/pass/leaks.h"

#include <stdlib.h>

#include "analysis/pass/pass_growth.h"
#include "analysis/pass/pass_leaks.h"
#include "base/num.h"
#include "base/table/map.h"

static const struct block *dram_block(const struct run *run, const struct step *step) {
    if (step->block == NONE || !(run->blocks.items[step->block].have & 1u << POOL_DRAM)) return NULL;
    return &run->blocks.items[step->block];
}

/* DRAM at the end of an execution: the block after its submit, or the one before its last op. */
static bool end_of_pass(const struct run *run, const struct execution *execution, uint32_t *allocated) {
    for (size_t i = execution->end_step; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->rank != execution->rank) continue;
        const struct block *block = step->kind == STEP_AFTER_SUBMIT ? dram_block(run, step) : NULL;
        if (!block) break;
        *allocated = block->allocated[POOL_DRAM];
        return true;
    }
    for (size_t i = execution->end_step; i-- > execution->first_step;) {
        const struct step *step = &run->steps.items[i];
        const struct block *block = step->rank == execution->rank ? dram_block(run, step) : NULL;
        if (!block) continue;
        *allocated = block->allocated[POOL_DRAM];
        return true;
    }
    return false;
}

static struct hash128 series_key(const struct execution *execution) {
    uint64_t key = (uint64_t)execution->program << 32 | execution->rank;
    return (struct hash128){hash_mix(0, key), key};
}

static void find_series(const struct run *run, struct leaks *out, struct map *rows) {
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *execution = &run->executions.items[i];
        uint32_t allocated;
        bool added;
        bool counts = execution->parent == NONE && execution->finished && execution->program < run->programs.len;
        if (!counts || execution->end_step > run->steps.len || !end_of_pass(run, execution, &allocated)) continue;
        uint32_t *row = map_at(rows, series_key(execution), &added);
        if (added) {
            *row = (uint32_t)out->series.len;
            vec_push(&out->series, ((struct pass_series){.program = execution->program, .rank = execution->rank}));
        }
        struct pass_series *s = &out->series.items[*row];
        if (s->passes == 0) s->first = allocated;
        if (s->passes == 1) s->second = allocated;
        s->last = allocated;
        if (s->passes++) out->known |= run->deallocates > 0;
    }
    pass_growth_of_series(run, out->series.items, out->series.len);
}

/* Does a deallocate, or an op that frees its operand, end the tensor? Else the program's end or the host does. */
static bool is_deallocated(const struct run *run, const struct tensor *tensor) {
    if (tensor->gone == NONE || !tensor->gone || tensor->gone > run->steps.len) return false;
    const struct step *step = &run->steps.items[tensor->gone - 1];
    if (step->op == NONE || step->rank != tensor->rank) return false;
    const struct op *op = &run->ops.items[step->op];
    if (op->kind != OP_DEALLOCATE && !op->frees_first_operand) return false;
    if (tensor->gone < run->executions.items[tensor->execution].end_step) return true;
    /* the last step of the program, after which everything goes: is it about this tensor? */
    const struct step *made = &run->steps.items[tensor->producer];
    return made->op != NONE && op->operand_count && run->refs.items[op->first_ref].value == run->ops.items[made->op].result;
}

/* The series of an execution when its passes leave memory behind, else NONE. */
static uint32_t leaving_series(const struct leaks *leaks, const struct map *rows, const struct execution *execution) {
    const uint32_t *row = map_find(rows, series_key(execution));
    int64_t growth;
    if (!row || !execution->finished || !pass_series_growth(&leaks->series.items[*row], &growth)) return NONE;
    return growth > 0 ? *row : NONE;
}

static void find_candidates(const struct run *run, struct leaks *out, const struct map *rows) {
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (tensor->retained || tensor->class != TENSOR_ACTIVATION || tensor->execution == NONE || tensor->producer == NONE ||
            !tensor_in_pool(run, tensor, POOL_DRAM) || is_deallocated(run, tensor))
            continue;
        uint32_t series = leaving_series(out, rows, &run->executions.items[tensor->execution]);
        const struct step *made = &run->steps.items[tensor->producer];
        if (series == NONE || made->record == NONE) continue;
        vec_push(&out->candidates, ((struct leak_candidate){.series = series,
                                                            .kind = made->op == NONE ? made->op_type : made->op,
                                                            .tensor = (uint32_t)i,
                                                            .per_bank_bytes = tensor_sum(run, tensor).per_bank_bytes,
                                                            .returned = tensor->returned}));
    }
    leak_pick(out->series.items, out->candidates.items, out->candidates.len);
}

/* Candidates of one series and kind are one row. */
static void make_rows(const struct run *run, struct leaks *out) {
    uint32_t last_pass = NONE;
    for (size_t i = 0; i < out->candidates.len; i++) {
        const struct leak_candidate *c = &out->candidates.items[i], *before = i ? c - 1 : NULL;
        const struct pass_series *series = &out->series.items[c->series];
        const struct tensor *tensor = &run->tensors.items[c->tensor];
        if (!c->leaks || series->passes < 3) continue;
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

/* Of inputs that tell when buffers go. */
static void take_pass_leaks(const struct run *run, struct leaks *out) {
    struct pass_leaks found;
    pass_leaks_find(run, &found);
    out->known = found.passes > 0;
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

/* Highest state of DRAM on a rank and the size of its bank there; 0: not known. */
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

/* How far the passes can go on. */
static void find_end(const struct run *run, struct leaks *out) {
    uint32_t rank = 0, allocated, total;
    for (size_t i = 0; i < out->series.len; i++) {
        int64_t growth;
        const struct pass_series *s = &out->series.items[i];
        if (s->passes < 3 || !pass_series_growth(s, &growth) || growth <= 0) continue;
        if ((s->slope.known ? s->slope.per_step : num_milli_mb_to_bytes(growth)) <= out->growth) continue;
        out->growth = s->slope.known ? s->slope.per_step : num_milli_mb_to_bytes(growth);
        rank = s->rank;
    }
    if (run->addresses.len) {
        struct slope slope;
        pass_growth_find(run, POOL_DRAM, &slope);
        out->growth = slope.known && slope.rises ? slope.per_step : 0;
    }
    if (out->growth <= 0) return;
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
    struct map rows = {0};
    find_series(run, out, &rows);
    if (run->addresses.len) {
        take_pass_leaks(run, out);
    } else if (out->known) {
        find_candidates(run, out, &rows);
        make_rows(run, out);
    }
    map_release(&rows);
    if (out->rows.len) qsort(out->rows.items, out->rows.len, sizeof *out->rows.items, more_first);
    find_end(run, out);
}

void leaks_release(struct leaks *leaks) {
    vec_release(&leaks->series);
    vec_release(&leaks->candidates);
    vec_release(&leaks->rows);
}

void live_add_left(const struct run *run, const struct leaks *leaks, uint32_t step, enum pool pool, int64_t allocated,
                   struct live_set *set) {
    if (pool != POOL_DRAM || set->sum.bank_unknown || step >= run->steps.len) return;
    int64_t room = num_milli_mb_to_bytes(allocated - num_bytes_to_milli_mb(set->sum.per_bank_bytes) + 1);
    for (size_t i = 0; i < leaks->candidates.len; i++) {
        const struct leak_candidate *candidate = &leaks->candidates.items[i];
        const struct tensor *tensor = &run->tensors.items[candidate->tensor];
        if (!candidate->leaks || tensor->rank != run->steps.items[step].rank || tensor->gone > step) continue;
        if (run_part_end(run, tensor->rank, tensor->born) <= step || (int64_t)candidate->per_bank_bytes > room) continue;
        struct live_sum sum = tensor_sum(run, tensor);
        room -= (int64_t)candidate->per_bank_bytes;
        live_sum_add(&set->sum, &sum);
        live_sum_add(&set->by_class[tensor_live_class(run, tensor)], &sum);
        live_sum_add(&set->left, &sum);
        vec_push(&set->tensors, candidate->tensor);
    }
    if (set->left.tensors) live_sort(run, set);
}
