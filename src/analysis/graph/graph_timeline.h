/* SPDX-License-Identifier: Apache-2.0 */
/* A capture over its nodes: how much memory is in use, and which functions run. Bounded for any size of the capture: if
 * there are too many points, two neighbours become one that keeps the higher of both; if there are too many calls, the
 * shortest half is left out, and some of those that are equally short. Owns its memory. */
#ifndef TTMEM_ANALYSIS_GRAPH_TIMELINE_H
#define TTMEM_ANALYSIS_GRAPH_TIMELINE_H

#include "base/vec.h"
#include "usage/usage.h"

enum { TIMELINE_POINTS = 1 << 16, TIMELINE_CALLS = 1 << 15 };

/* The device that holds most, at its highest moment within this point's nodes. */
struct graph_point {
    int64_t dram;                 /* all banks, since the start of the first segment */
    int64_t l1;                   /* buffers, per core */
    struct program_bytes program; /* of the same moment as l1 */
};

/* One call of a function: nodes [begin, end]. */
struct graph_call {
    uint64_t begin, end;
    uint32_t segment, function, depth;
    uint32_t arguments, arguments_count; /* as in struct graph_function */
    uint64_t duration_ns;
    int64_t dram_start, dram_end, dram_rise, l1_start, l1_end, l1_rise, program_peak;
};

struct graph_timeline {
    bool wanted; /* set it before the first segment */
    uint64_t nodes;
    uint64_t stride; /* nodes per point */
    VEC(struct graph_point) points;
    VEC(struct graph_call) calls; /* in the order of their ends */
    uint64_t shortest;            /* calls of fewer nodes are left out, */
    uint64_t every, equal;        /* of those with exactly as many, all but one in `every`; `equal` counts them */
    uint64_t left_out;
    struct graph_point now;
    VEC(int64_t) dram_before; /* per device of usage: what earlier segments left */
};

/* After every node; `changed`: it touched memory. */
void graph_timeline_node(struct graph_timeline *timeline, const struct usage *usage, bool changed);
void graph_timeline_call(struct graph_timeline *timeline, const struct graph_call *call);

/* At the end of a segment, before usage starts the next. */
void graph_timeline_segment(struct graph_timeline *timeline, const struct usage *usage);
void graph_timeline_release(struct graph_timeline *timeline);

#endif
