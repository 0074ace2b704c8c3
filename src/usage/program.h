/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the program that runs on a chip: bytes of circular buffers, dataflow buffers and scratchpads on the fullest core.
 * Buffers on disjoint cores do not add up. As long as all core sets are equal or disjoint (nearly always) a few sums are
 * enough; the first overlap turns to one sum per core until the program is released.
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
    struct program_bytes everywhere; /* of events that do not say where */
    struct program_bytes *grid;      /* PROGRAM_GRID x PROGRAM_GRID, and one for all cores outside; NULL until needed */
    bool by_core;
    struct program_bytes most; /* each the maximum over cores, `everywhere` included */
};

/* False: no memory for the grid; the event is not counted. */
bool program_add(struct program_memory *program, const struct mem_event *event);
void program_clear(struct program_memory *program);
void program_free(struct program_memory *program);

/* The cores that hold some of it and how much each of them does, as rectangles that do not meet; one of every core where events
 * do not say where. */
void program_each_area(const struct program_memory *program,
                       void (*each)(void *context, struct core_range cores, int64_t bytes), void *context);

/* a + b, stopping at the ends of the range instead of wrapping. */
static inline int64_t sat_add(int64_t a, int64_t b) {
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b < 0 ? INT64_MIN : INT64_MAX;
}

#endif
