/* SPDX-License-Identifier: Apache-2.0 */
#include "usage/program.h"

#include <stdlib.h>
#include <string.h>

enum { OUTSIDE = PROGRAM_GRID * PROGRAM_GRID, CELLS = OUTSIDE + 1 };

static struct program_bytes bytes_of(const struct mem_event *event) {
    int64_t size = (int64_t)event->size;
    struct program_bytes bytes = {.total = size};
    if (event->kind == MEM_CIRCULAR_BUFFER) bytes.circular = size;
    else if (event->kind == MEM_DATAFLOW_BUFFER) bytes.dataflow = size;
    else bytes.scratchpad = size;
    return bytes;
}

static void add(struct program_bytes *sum, const struct program_bytes *more) {
    sum->circular = sat_add(sum->circular, more->circular);
    sum->dataflow = sat_add(sum->dataflow, more->dataflow);
    sum->scratchpad = sat_add(sum->scratchpad, more->scratchpad);
    sum->total = sat_add(sum->total, more->total);
}

static void lift(int64_t *most, int64_t value) {
    if (value > *most) *most = value;
}

/* Compares one core, plus what is on every core, with the maximum so far. Sums only grow until the release. */
static void lift_most(struct program_memory *program, const struct program_bytes *here) {
    struct program_bytes sum = *here;
    add(&sum, &program->everywhere);
    lift(&program->most.circular, sum.circular);
    lift(&program->most.dataflow, sum.dataflow);
    lift(&program->most.scratchpad, sum.scratchpad);
    lift(&program->most.total, sum.total);
}

static void add_range(struct program_memory *program, struct core_range range, const struct program_bytes *bytes) {
    for (unsigned y = range.y0; y <= range.y1 && y < PROGRAM_GRID; y++)
        for (unsigned x = range.x0; x <= range.x1 && x < PROGRAM_GRID; x++) {
            struct program_bytes *cell = &program->grid[y * PROGRAM_GRID + x];
            add(cell, bytes);
            lift_most(program, cell);
        }
    if (range.x1 >= PROGRAM_GRID || range.y1 >= PROGRAM_GRID) {
        add(&program->grid[OUTSIDE], bytes);
        lift_most(program, &program->grid[OUTSIDE]);
    }
}

static bool turn_to_cores(struct program_memory *program) {
    if (!program->grid) program->grid = malloc(CELLS * sizeof *program->grid);
    if (!program->grid) return false;
    memset(program->grid, 0, CELLS * sizeof *program->grid);
    program->by_core = true;
    for (size_t s = 0; s < program->sets_len; s++)
        for (size_t r = 0; r < program->sets[s].len; r++)
            add_range(program, program->sets[s].ranges[r], &program->sets[s].bytes);
    return true;
}

static bool same_set(const struct program_set *set, const struct mem_event *event) {
    if (set->len != event->ranges_len) return false;
    for (size_t i = 0; i < set->len; i++)
        if (!core_range_equal(set->ranges[i], event->ranges[i])) return false;
    return true;
}

static bool meets_set(const struct program_set *set, const struct mem_event *event) {
    for (size_t i = 0; i < set->len; i++)
        for (size_t k = 0; k < event->ranges_len; k++)
            if (core_range_meets(set->ranges[i], event->ranges[k])) return true;
    return false;
}

/* The set with the event's cores, a new one if they are disjoint from all others, NULL if sums per core are needed. */
static struct program_set *find_set(struct program_memory *program, const struct mem_event *event) {
    if (event->ranges_len > PROGRAM_RANGES) return NULL;
    bool meets = false;
    for (size_t i = 0; i < program->sets_len; i++) {
        if (same_set(&program->sets[i], event)) return &program->sets[i];
        meets |= meets_set(&program->sets[i], event);
    }
    if (meets || program->sets_len == PROGRAM_SETS) return NULL;
    struct program_set *set = &program->sets[program->sets_len++];
    set->len = event->ranges_len;
    set->bytes = (struct program_bytes){0};
    memcpy(set->ranges, event->ranges, set->len * sizeof *set->ranges);
    return set;
}

bool program_add(struct program_memory *program, const struct mem_event *event) {
    struct program_bytes bytes = bytes_of(event);
    if (!event->ranges_len) {
        add(&program->everywhere, &bytes);
        add(&program->most, &bytes);
        return true;
    }
    struct program_set *set = program->by_core ? NULL : find_set(program, event);
    if (set) {
        add(&set->bytes, &bytes);
        lift_most(program, &set->bytes);
        return true;
    }
    if (!program->by_core && !turn_to_cores(program)) return false;
    for (size_t i = 0; i < event->ranges_len; i++) add_range(program, event->ranges[i], &bytes);
    return true;
}

void program_clear(struct program_memory *program) {
    program->sets_len = 0;
    program->everywhere = program->most = (struct program_bytes){0};
    program->by_core = false;
}

void program_free(struct program_memory *program) {
    free(program->grid);
    program->grid = NULL;
    program_clear(program);
}

static int64_t cell_bytes(const struct program_memory *program, unsigned x, unsigned y) {
    return program->grid[y * PROGRAM_GRID + x].total;
}

/* How far the cells to the right in the row hold as much as this one. */
static unsigned run_end(const struct program_memory *program, unsigned x, unsigned y) {
    unsigned end = x;
    while (end + 1 < PROGRAM_GRID && cell_bytes(program, end + 1, y) == cell_bytes(program, x, y)) end++;
    return end;
}

/* Does a run of the row go from x to end? */
static bool is_run(const struct program_memory *program, unsigned x, unsigned end, unsigned y) {
    return (!x || cell_bytes(program, x - 1, y) != cell_bytes(program, x, y)) && run_end(program, x, y) == end;
}

/* Does the row above have the same run? Then it was reported with that one. */
static bool same_above(const struct program_memory *program, unsigned x, unsigned end, unsigned y) {
    return y && cell_bytes(program, x, y - 1) == cell_bytes(program, x, y) && is_run(program, x, end, y - 1);
}

void program_each_area(const struct program_memory *program,
                       void (*each)(void *context, struct core_range cores, int64_t bytes), void *context) {
    int64_t everywhere = program->everywhere.total;
    if (everywhere && !program->sets_len && !program->by_core)
        each(context, (struct core_range){0, 0, UINT16_MAX, UINT16_MAX}, everywhere);
    for (size_t s = 0; s < program->sets_len && !program->by_core; s++)
        for (size_t r = 0; r < program->sets[s].len; r++)
            each(context, program->sets[s].ranges[r], sat_add(program->sets[s].bytes.total, everywhere));
    for (unsigned y = 0; program->by_core && y < PROGRAM_GRID; y++)
        for (unsigned x = 0; x < PROGRAM_GRID; x++) {
            unsigned end = run_end(program, x, y), last = y;
            if (cell_bytes(program, x, y) && !same_above(program, x, end, y)) {
                while (last + 1 < PROGRAM_GRID && is_run(program, x, end, last + 1) && same_above(program, x, end, last + 1))
                    last++;
                each(context, (struct core_range){(uint16_t)x, (uint16_t)y, (uint16_t)end, (uint16_t)last},
                     sat_add(cell_bytes(program, x, y), everywhere));
            }
            x = end;
        }
}
