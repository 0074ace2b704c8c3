/* SPDX-License-Identifier: Apache-2.0 */
#include "usage/upstream.h"

#include "usage/program.h"

static bool is_dram(enum mem_type type) { return type == MEM_DRAM || type == MEM_TRACE; }

/* ceil(ceil(float(size) / page) / cores) * page, in single precision like the original. */
static uint64_t old_per_core(const struct mem_event *event, unsigned interleaved_cores) {
    uint64_t cores = event->num_cores ? event->num_cores : interleaved_cores ? interleaved_cores : 1;
    if (!event->page_size) return event->size;
    float pages = (float)event->size / (float)event->page_size;
    uint64_t whole = (uint64_t)pages;
    whole += (float)whole < pages;
    return (whole / cores + (whole % cores != 0)) * event->page_size;
}

static uint64_t per_core(struct usage_upstream *sums, const struct mem_event *event, unsigned interleaved_cores) {
    if (event->size_per_bank) return event->size_per_bank;
    sums->old_rule = true;
    return old_per_core(event, interleaved_cores);
}

static void lift(uint64_t *peak, uint64_t value) {
    if (value > *peak) *peak = value;
}

static void add_program(struct usage_upstream *sums, const struct mem_event *event, uint64_t *sum, uint64_t *peak) {
    if (event->borrowed) return;
    *sum += event->size;
    sums->total += event->size;
    lift(peak, *sum);
    lift(&sums->peak_total, sums->total);
}

static void allocate(struct usage_upstream *sums, const struct mem_event *event, unsigned interleaved_cores) {
    if (is_dram(event->type)) {
        sums->dram_current = sat_add(sums->dram_current, (int64_t)event->size);
        sums->dram_allocated = sat_add(sums->dram_allocated, (int64_t)event->size);
        if (sums->dram_current > sums->dram_peak) sums->dram_peak = sums->dram_current;
        return;
    }
    uint64_t bytes = per_core(sums, event, interleaved_cores);
    sums->buffer += bytes;
    sums->total += bytes;
    lift(&sums->peak_buffer, sums->buffer);
    lift(&sums->peak_total, sums->total);
}

static void release(struct usage_upstream *sums, const struct mem_event *event, unsigned interleaved_cores) {
    if (event->node_is_dram) {
        sums->dram_current = sat_add(sums->dram_current, -(int64_t)event->node_size);
        sums->dram_freed = sat_add(sums->dram_freed, (int64_t)event->node_size);
    }
    if (is_dram(event->type)) return;
    uint64_t bytes = per_core(sums, event, interleaved_cores);
    sums->buffer -= bytes;
    sums->total -= bytes;
}

void upstream_event(struct usage_upstream *sums, const struct mem_event *event, unsigned interleaved_cores) {
    switch (event->kind) {
        case MEM_ALLOCATE:
            allocate(sums, event, interleaved_cores);
            break;
        case MEM_FREE:
            release(sums, event, interleaved_cores);
            break;
        case MEM_CIRCULAR_BUFFER:
            add_program(sums, event, &sums->circular, &sums->peak_circular);
            break;
        case MEM_DATAFLOW_BUFFER:
            add_program(sums, event, &sums->dataflow, &sums->peak_dataflow);
            break;
        case MEM_SCRATCHPAD:
            add_program(sums, event, &sums->scratchpad, &sums->peak_scratchpad);
            break;
        case MEM_RELEASE_PROGRAM:
            sums->total -= sums->circular + sums->dataflow + sums->scratchpad;
            sums->circular = sums->dataflow = sums->scratchpad = 0;
            break;
        case MEM_NONE:
            break;
    }
}
