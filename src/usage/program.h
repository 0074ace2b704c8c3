/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the program that runs on a chip: bytes of circular buffers, dataflow buffers and scratchpads on the fullest
 * core. Buffers on disjoint cores do not add up. As long as all core sets are equal or disjoint (nearly always) a few sums
 * are enough; the first overlap switches to one sum per core until the program is released.
 *
 * Owns its grid; never ends the process. Not thread-safe. */
#ifndef TTMEM_USAGE_PROGRAM_H
#define TTMEM_USAGE_PROGRAM_H

#include "device/event.h"

enum { PROGRAM_SETS = 16, PROGRAM_RANGES = 8, PROGRAM_GRID = 64 };

struct program_bytes {
    int64_t circular, dataflow, scratchpad, total;
};

struct program_set {
    struct core_range ranges[PROGRAM_RANGES];
    size_t len;
    struct program_bytes bytes;
};

struct program_memory {
    struct program_set sets[PROGRAM_SETS];
    size_t sets_len;
    struct program_bytes everywhere; /* of events without cores */
    struct program_bytes *grid;      /* PROGRAM_GRID x PROGRAM_GRID, and one for all cores outside; NULL until needed */
    bool by_core;
    struct program_bytes most; /* each the maximum over cores, `everywhere` included */
};

/* False: no memory for the grid; the event is not counted. */
bool program_add(struct program_memory *program, const struct mem_event *event);
void program_clear(struct program_memory *program);
void program_free(struct program_memory *program);

/* The cores that hold some of it and how much each does, as disjoint rectangles; one rectangle of every core if events do
 * not name cores. */
void program_each_area(const struct program_memory *program,
                       void (*each)(void *context, struct core_range cores, int64_t bytes), void *context);

/* When a program ends, from the functions of a capture. Its memory exists while it runs: it ends with the function that
 * reported it, even if only the next program reports the release (tt-metal releases just before it lays out another).
 * Allocations in between do not coexist with it. */
struct program_scope {
    uint64_t depth; /* functions that have not ended */
    uint64_t of;    /* depth at which the program was reported, the least of its parts */
    bool running;
};

static inline void program_scope_event(struct program_scope *scope, const struct mem_event *event) {
    if (event->kind == MEM_RELEASE_PROGRAM) scope->running = false;
    if (event->kind != MEM_CIRCULAR_BUFFER && event->kind != MEM_DATAFLOW_BUFFER && event->kind != MEM_SCRATCHPAD) return;
    if (!scope->running || scope->depth < scope->of) scope->of = scope->depth;
    scope->running = true;
}

/* A function begins or ends; true: the program ends there. A program reported outside functions ends where the next function
 * begins. */
static inline bool program_function_begins(struct program_scope *scope) {
    bool ends = !scope->depth++;
    if (ends) scope->running = false;
    return ends;
}

static inline bool program_function_ends(struct program_scope *scope) {
    bool ends = scope->depth <= 1 || (scope->running && scope->depth <= scope->of);
    scope->depth -= scope->depth > 0;
    if (ends) scope->running = false;
    return ends;
}

/* a + b, stopping at the ends of the range instead of wrapping. */
static inline int64_t sat_add(int64_t a, int64_t b) {
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b < 0 ? INT64_MIN : INT64_MAX;
}

#endif
