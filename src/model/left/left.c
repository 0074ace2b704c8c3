/* SPDX-License-Identifier: Apache-2.0 */
#include "model/left/left.h"

#include <stdlib.h>

#include "base/table/map.h"
#include "model/left/pass_growth.h"

static const struct block *dram_block(const struct run *run, const struct step *step) {
    if (step->block == NONE || !(run->blocks.items[step->block].have & 1u << POOL_DRAM)) return NULL;
    return &run->blocks.items[step->block];
}

/* DRAM at the end of an execution: the block after its submit, or the one before its last op. `rank_end`: the rank has no
 * step from there on, for example because its file ended and those of others follow. */
static bool end_of_pass(const struct run *run, const struct execution *execution, uint32_t rank_end, uint32_t *allocated) {
    for (size_t i = execution->end_step; i < rank_end; i++) {
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

/* A series while its passes are counted. */
struct counted {
    struct pass_series now;
    uint32_t programs; /* programs that had run on the rank when `now` began */
    uint32_t part_end; /* end of the current part of the run */
};

static void count_pass(const struct run *run, struct counted *c, struct pass_series *best, const struct execution *execution,
                       uint32_t allocated, uint32_t programs) {
    struct pass_series *s = &c->now;
    uint32_t part_end = run_part_end(run, execution->rank, execution->first_step);
    if (c->programs != programs || c->part_end != part_end || !s->passes)
        *s = (struct pass_series){
            .program = execution->program, .rank = execution->rank, .first = allocated, .first_step = execution->first_step};
    c->programs = programs;
    c->part_end = part_end;
    if (s->passes == 1) s->second = allocated;
    s->last = allocated;
    s->end_step = execution->end_step;
    s->passes++;
    if (s->passes >= best->passes) *best = *s;
}

/* Finds where the steps of each rank end, from the back, so that a run with one rank needs only one step. */
static void find_rank_ends(const struct run *run, uint32_t *ends) {
    size_t unseen = run->ranks.len ? run->ranks.len : 1;
    for (size_t i = run->steps.len; i-- > 0 && unseen;) {
        uint32_t *end = &ends[run->steps.items[i].rank];
        unseen -= !*end;
        if (!*end) *end = (uint32_t)i + 1;
    }
}

static void find_series(const struct run *run, struct left_behind *out, struct map *rows) {
    VEC(struct counted) counted = {0};
    struct map met = {0};
    uint32_t *programs = mem_zalloc(run->ranks.len + 1, sizeof *programs); /* programs that ran so far, by rank */
    uint32_t *rank_ends = mem_zalloc(run->ranks.len + 1, sizeof *rank_ends);
    find_rank_ends(run, rank_ends);
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *execution = &run->executions.items[i];
        uint32_t allocated;
        bool added;
        if (execution->parent != NONE || execution->program >= run->programs.len) continue;
        map_at(&met, series_key(execution), &added);
        programs[execution->rank] += added;
        bool counts = execution->finished && execution->end_step <= run->steps.len;
        if (!counts || !end_of_pass(run, execution, rank_ends[execution->rank], &allocated)) continue;
        uint32_t *row = map_at(rows, series_key(execution), &added);
        if (added) {
            *row = (uint32_t)out->series.len;
            vec_push(&out->series, ((struct pass_series){0}));
            vec_push(&counted, ((struct counted){0}));
        }
        count_pass(run, &counted.items[*row], &out->series.items[*row], execution, allocated, programs[execution->rank]);
        out->known |= run->deallocates && out->series.items[*row].passes > 1;
    }
    vec_release(&counted);
    map_release(&met);
    free(rank_ends);
    free(programs);
    pass_growth_of_series(run, out->series.items, out->series.len);
}

/* Is the tensor freed by a deallocate, or by an op that frees its operand? Otherwise it ends with the program or is released
 * by the host. */
static bool is_deallocated(const struct run *run, const struct tensor *tensor) {
    if (tensor->left) return false;
    if (tensor->gone == NONE || !tensor->gone || tensor->gone > run->steps.len) return false;
    const struct step *step = &run->steps.items[tensor->gone - 1];
    if (step->op == NONE || step->rank != tensor->rank) return false;
    const struct op *op = &run->ops.items[step->op];
    if (op->kind != OP_DEALLOCATE && !op->frees_first_operand) return false;
    if (tensor->gone < run->executions.items[tensor->execution].end_step) return true;
    /* everything goes after the last step of the program: is that step about this tensor? */
    const struct step *made = &run->steps.items[tensor->producer];
    return made->op != NONE && op->operand_count && run->refs.items[op->first_ref].value == run->ops.items[made->op].result;
}

/* The series of an execution if its passes leave memory allocated, else NONE. */
static uint32_t leaving_series(const struct left_behind *left, const struct map *rows, const struct execution *execution) {
    const uint32_t *row = map_find(rows, series_key(execution));
    int64_t growth;
    if (!row || !execution->finished || !pass_series_growth(&left->series.items[*row], &growth)) return NONE;
    const struct pass_series *s = &left->series.items[*row];
    bool counts = execution->first_step >= s->first_step && execution->end_step <= s->end_step;
    return growth > 0 && counts ? *row : NONE;
}

static bool any_leaves(const struct left_behind *left) {
    int64_t growth;
    for (size_t i = 0; i < left->series.len; i++)
        if (pass_series_growth(&left->series.items[i], &growth) && growth > 0) return true;
    return false;
}

static void find_candidates(const struct run *run, struct left_behind *out, const struct map *rows) {
    if (!any_leaves(out)) return; /* the usual case */
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (tensor->retained || tensor->class != TENSOR_ACTIVATION || tensor->execution == NONE || tensor->producer == NONE ||
            run->types.items[tensor->type].buffer != BUFFER_DRAM || is_deallocated(run, tensor))
            continue;
        uint32_t series = leaving_series(out, rows, &run->executions.items[tensor->execution]);
        const struct step *made = &run->steps.items[tensor->producer];
        if (series == NONE || made->record == NONE) continue;
        vec_push(&out->candidates, ((struct leak_candidate){
                                       .series = series,
                                       .kind = made->op == NONE ? made->op_type : made->op,
                                       .tensor = (uint32_t)i,
                                       .per_bank_bytes = tensor_per_bank_bytes(&run->types.items[tensor->type], &run->geometry),
                                       .returned = tensor->returned}));
    }
    leak_pick(out->series.items, out->candidates.items, out->candidates.len);
}

void left_find(const struct run *run, struct left_behind *out) {
    *out = (struct left_behind){0};
    struct map rows = {0};
    find_series(run, out, &rows);
    if (!run->addresses.len && out->known) find_candidates(run, out, &rows);
    map_release(&rows);
}

void left_release(struct left_behind *left) {
    vec_release(&left->series);
    vec_release(&left->candidates);
}

void run_link_left(struct run *run) {
    struct left_behind found;
    left_find(run, &found);
    for (size_t i = 0; i < found.candidates.len; i++) {
        const struct leak_candidate *candidate = &found.candidates.items[i];
        struct tensor *tensor = &run->tensors.items[candidate->tensor];
        if (!candidate->leaks || candidate->suspect) continue;
        tensor->left = true;
        tensor->gone = run_part_end(run, tensor->rank, tensor->born);
    }
    left_release(&found);
}
