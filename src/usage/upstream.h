/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of tt-metal's graph_trace_utils, with all their quirks: devices mixed, TRACE in DRAM, L1_SMALL in L1, core ranges
 * ignored, unsigned per-core sums that wrap when a buffer from before the capture is freed. For comparison only. */
#ifndef TTMEM_USAGE_UPSTREAM_H
#define TTMEM_USAGE_UPSTREAM_H

#include "device/event.h"

struct usage_upstream {
    /* whole device, signed */
    int64_t dram_current, dram_peak, dram_allocated, dram_freed;
    /* per core, wrapping */
    uint64_t circular, buffer, dataflow, scratchpad, total;
    uint64_t peak_circular, peak_buffer, peak_dataflow, peak_scratchpad, peak_total;
    bool old_rule; /* some event had no bytes per bank: the formula from before 2026-05 was used, which HEAD would refuse */
};

/* `interleaved_cores` as the caller of the old formula gave it; 0 counts as 1, which is what tt-train used. */
void upstream_event(struct usage_upstream *sums, const struct mem_event *event, unsigned interleaved_cores);

#endif
