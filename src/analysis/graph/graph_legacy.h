/* SPDX-License-Identifier: Apache-2.0 */
/* tt-metal's oldest figure, extract_peak_L1_memory_usage: bytes of L1 buffers over the whole device plus circular buffers per
 * core, in one sum. Kept because published numbers use it. */
#ifndef TTMEM_ANALYSIS_GRAPH_LEGACY_H
#define TTMEM_ANALYSIS_GRAPH_LEGACY_H

#include "parse/foreign/graph.h"

struct graph_legacy {
    uint32_t circular, buffer, peak; /* wrap like the original's */
    uint64_t depth;
    bool in_inputs; /* in the run of tensor and buffer nodes that follows an outermost function_start */
};

void graph_legacy_node(struct graph_legacy *legacy, const struct graph_node *node, const struct mem_event *event);

/* The figure; call at the end of the capture. */
uint32_t graph_legacy_peak(struct graph_legacy *legacy);

#endif
