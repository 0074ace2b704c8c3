/* SPDX-License-Identifier: Apache-2.0 */
/* The memory events of graph captures in a form that can be replayed again and again: every free names the allocation that it
 * ends, however the capture identifies it, so that buffers can be placed in another order, elsewhere or in another shape.
 *
 * Kept up to GRAPH_TRACE_MAX events; a longer capture has none. Owns its memory. */
#ifndef TTMEM_ANALYSIS_GRAPH_TRACE_H
#define TTMEM_ANALYSIS_GRAPH_TRACE_H

#include "base/table/strtab.h"
#include "device/event.h"

enum { GRAPH_TRACE_MAX = 1 << 21 };

struct graph_trace_event {
    enum mem_event_kind kind;
    enum mem_type type;
    bool borrowed, sharded;
    bool top_down;    /* from the other end of DRAM: binaries of programs */
    bool everywhere;  /* a release that names no device */
    uint32_t buffer;  /* MEM_ALLOCATE, MEM_FREE: number of the allocation, from 0 */
    uint32_t ranges;  /* of program memory: a set of the trace, 0: every core */
    uint32_t segment; /* in which it occurred, and the function of that segment */
    uint32_t function;
    uint64_t counter; /* of the node */
    uint64_t device;  /* the one that holds the memory */
    uint64_t size, page_size, size_per_bank, num_cores;
};

struct graph_trace {
    VEC(struct graph_trace_event) events;
    VEC(uint32_t) allocations; /* event of each, and UINT32_MAX or the event that ends it */
    VEC(uint32_t) ends;
    struct strtab range_sets; /* the bytes of arrays of struct core_range */
    struct map by_name;       /* device, type and address or id -> allocation + 1; 0: ended */
    bool full;
};

/* The position of an event in its capture. */
struct graph_trace_place {
    uint64_t device, counter;
    uint32_t segment, function;
};

void graph_trace_add(struct graph_trace *trace, const struct mem_event *event, const struct graph_trace_place *place);
void graph_trace_release(struct graph_trace *trace);

#endif
