/* SPDX-License-Identifier: Apache-2.0 */
/* Results that the host passes to a later program. TT-XLA passes the same tensor: if the program wants another layout, a
 * buffer in that layout replaces the result (ensure_layout, tensor.cc), otherwise it is the result's own. Either way the
 * result does not exist beside the argument. No line tells which tensor an argument is: it is taken to be the newest result
 * of its shape and element type, as in a prediction. Memory blocks on both sides of the program's start have the last word;
 * without them, an input that is new with the program is taken to be the result. */
#include <stdlib.h>

#include "model/run_write.h"

enum {
    TRIES = 4,       /* starts of programs that a result may go to */
    LOOK_AHEAD = 512 /* executions after the one that made it */
};

/* The start of a program, which may take results. */
struct start {
    uint32_t execution;
    uint32_t before, after; /* steps between which the known tensors are compared */
    int64_t over;           /* thousandths by which the known tensors rise more than measured */
    bool measured;
};

/* A result, the argument that it may be, and the start where it would happen. */
struct handing {
    uint32_t result, argument, start;
};

struct handed {
    struct run *run;
    struct map arguments; /* by program, rank, part of the run, shape and element */
    struct map taken;     /* arguments of a start that a newer result went to */
    VEC(struct start) starts;
    VEC(struct handing) handings;
};

static struct hash128 argument_key(const struct run *run, const struct tensor *tensor, uint32_t program, uint32_t part_end) {
    const struct tensor_type *type = &run->types.items[tensor->type];
    uint64_t kind = hash_mix(hash_bytes64(type->shape), hash_bytes64(type->dtype));
    return (struct hash128){hash_mix(kind, (uint64_t)program << 16 | tensor->rank), hash_mix(part_end, kind)};
}

static bool is_in_dram(const struct run *run, const struct tensor *tensor) {
    return run->types.items[tensor->type].buffer == BUFFER_DRAM;
}

static void find_arguments(struct handed *h) {
    const struct run *run = h->run;
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        bool is_another = tensor->born == tensor->gone;
        if (tensor->class != TENSOR_ARGUMENT || tensor->execution == NONE || is_another || !is_in_dram(run, tensor)) continue;
        uint32_t program = run->executions.items[tensor->execution].program;
        uint32_t entry = program_argument(run, program, tensor->argument);
        if (tensor->kv_cache || (entry != NONE && registry_is_weight(&run->registry.items[entry]))) continue;
        bool added;
        uint32_t *first =
            map_at(&h->arguments, argument_key(run, tensor, program, run_part_end(run, tensor->rank, tensor->born)), &added);
        if (added) *first = (uint32_t)i;
    }
}

static bool has_dram(const struct run *run, const struct step *step) {
    return step->block != NONE && run->blocks.items[step->block].have & 1u << POOL_DRAM;
}

/* The blocks next to the start of a program: between them lies what the host does between two programs, and no op but the
 * last one of the program before. */
static void measure(const struct run *run, struct start *start) {
    const struct execution *execution = &run->executions.items[start->execution];
    uint32_t before = NONE, after = NONE;
    for (size_t i = execution->first_step; i-- > 0 && before == NONE;) {
        const struct step *step = &run->steps.items[i];
        if (step->rank != execution->rank) continue;
        if (step->kind == STEP_BEFORE_SUBMIT && after == NONE && has_dram(run, step)) after = (uint32_t)i;
        else if (has_dram(run, step)) before = (uint32_t)i;
        else if (step->kind == STEP_OP) return;
    }
    for (size_t i = execution->first_step; i < execution->end_step && i < run->steps.len && after == NONE; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->rank != execution->rank) continue;
        if (!has_dram(run, step)) return;
        after = (uint32_t)i;
    }
    if (before == NONE || after == NONE) return;
    start->measured = true;
    start->before = before;
    start->after = after > execution->first_step ? after : execution->first_step;
    start->over = (int64_t)run->blocks.items[run->steps.items[before].block].allocated[POOL_DRAM] -
                  run->blocks.items[run->steps.items[after].block].allocated[POOL_DRAM];
}

static int64_t thousandths(const struct run *run, const struct tensor *tensor) {
    return (int64_t)(tensor_per_bank_bytes(&run->types.items[tensor->type], &run->geometry) * 1000 / 1048576);
}

static void list_handings(struct handed *h) {
    const struct run *run = h->run;
    struct map starts = {0};
    for (size_t i = run->tensors.len; i-- > 0;) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (!tensor->returned || tensor->retained || tensor->class != TENSOR_ACTIVATION || tensor->execution == NONE ||
            !is_in_dram(run, tensor))
            continue;
        uint32_t part_end = run_part_end(run, tensor->rank, tensor->born);
        size_t first = tensor->execution + (size_t)1, tries = 0;
        for (size_t e = first; e < run->executions.len && e < first + LOOK_AHEAD && tries < TRIES; e++) {
            const struct execution *next = &run->executions.items[e];
            if (next->first_step >= tensor->gone || next->first_step >= part_end) break;
            if (next->parent != NONE || next->rank != tensor->rank || next->first_step < tensor->born) continue;
            const uint32_t *argument = map_find(&h->arguments, argument_key(run, tensor, next->program, part_end));
            if (!argument || *argument == i) continue;
            bool added;
            uint32_t *start = map_at(&starts, (struct hash128){hash_mix(e, 1), e}, &added);
            if (added) {
                *start = (uint32_t)h->starts.len;
                vec_push(&h->starts, ((struct start){.execution = (uint32_t)e}));
                measure(run, &h->starts.items[*start]);
            }
            vec_push(&h->handings, ((struct handing){(uint32_t)i, *argument, *start}));
            tries++;
        }
    }
    map_release(&starts);
}

static int by_step(const void *a, const void *b) {
    const struct start *const *x = a, *const *y = b;
    return (*x)->after < (*y)->after ? -1 : (*x)->after > (*y)->after;
}

/* Adds `size` to the rise of the known tensors at the start whose range contains `step`. */
static void count_event(const struct run *run, struct start **sorted, size_t count, uint16_t rank, uint32_t step,
                        int64_t size) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle]->after < step) low = middle + 1;
        else high = middle;
    }
    /* starts of other ranks are interleaved; those of one rank do not overlap */
    for (size_t i = low; i < count; i++) {
        if (run->executions.items[sorted[i]->execution].rank != rank) continue;
        if (sorted[i]->before < step) sorted[i]->over += size;
        return;
    }
}

static size_t sort_measured(struct handed *h, struct start ***out) {
    size_t count = 0;
    *out = mem_alloc((h->starts.len + 1) * sizeof **out);
    for (size_t i = 0; i < h->starts.len; i++)
        if (h->starts.items[i].measured) (*out)[count++] = &h->starts.items[i];
    if (count) qsort(*out, count, sizeof **out, by_step);
    return count;
}

static void count_known(struct handed *h, struct start **sorted, size_t count) {
    const struct run *run = h->run;
    for (size_t i = 0; count && i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (tensor->born == tensor->gone || !is_in_dram(run, tensor)) continue;
        int64_t size = thousandths(run, tensor);
        count_event(run, sorted, count, tensor->rank, tensor->born, size);
        if (tensor->gone != NONE) count_event(run, sorted, count, tensor->rank, tensor->gone, -size);
    }
}

/* Is the result gone? Then the known tensors rise by its size more than measured. A conversion leaves a kernel, and figures
 * are rounded. */
static bool is_gone(const struct start *start, int64_t size, bool is_new) {
    enum { SLACK = 16 };
    if (!start->measured) return is_new;
    return start->over + (size / 2 < SLACK ? size / 2 : SLACK) >= size;
}

/* An argument that a module calls an input, and that appears with the program's first run. */
static bool is_new_input(const struct run *run, const struct tensor *argument, uint32_t execution) {
    if (argument->execution != execution) return false;
    return program_argument(run, run->executions.items[execution].program, argument->argument) != NONE;
}

static void hand_on(struct handed *h, struct start **sorted, size_t count) {
    struct run *run = h->run;
    for (size_t i = 0; i < h->handings.len; i++) {
        const struct handing *handing = &h->handings.items[i];
        struct tensor *result = &run->tensors.items[handing->result];
        struct start *start = &h->starts.items[handing->start];
        uint32_t step = run->executions.items[start->execution].first_step;
        if (result->gone <= step) continue;
        struct hash128 key = {hash_mix(handing->argument, handing->start), handing->start};
        if (map_find(&h->taken, key)) continue;
        int64_t size = thousandths(run, result);
        bool is_new = is_new_input(run, &run->tensors.items[handing->argument], start->execution);
        if ((start->measured && !size) || !is_gone(start, size, is_new)) continue;
        bool added;
        map_at(&h->taken, key, &added);
        if (result->gone != NONE) count_event(run, sorted, count, result->rank, result->gone, size);
        if (start->measured) start->over -= size;
        result->gone = step;
    }
}

void run_link_handed(struct run *run) {
    if (run->origin != RUN_LOG) return;
    struct handed h = {.run = run};
    find_arguments(&h);
    if (h.arguments.len) list_handings(&h);
    if (h.handings.len) {
        struct start **sorted;
        size_t count = sort_measured(&h, &sorted);
        count_known(&h, sorted, count);
        hand_on(&h, sorted, count);
        free(sorted);
    }
    map_release(&h.arguments);
    map_release(&h.taken);
    vec_release(&h.starts);
    vec_release(&h.handings);
}
