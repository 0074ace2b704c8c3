/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/graph/graph_trace.h"

/* What a buffer is identified by. */
static uint32_t *named(struct graph_trace *trace, const struct mem_event *event, uint64_t device, bool by_address) {
    const uint64_t name[] = {device, (uint64_t)event->type, by_address, by_address ? event->address : event->id};
    bool added;
    return name[3] ? map_at(&trace->by_name, hash_bytes(slice_of((const char *)name, sizeof name)), &added) : NULL;
}

/* Number of the live allocation at the event's address, else under its id; UINT32_MAX: none. */
static uint32_t find(struct graph_trace *trace, const struct mem_event *event, uint64_t device) {
    const uint32_t *found = named(trace, event, device, true);
    if (!found || !*found) found = named(trace, event, device, false);
    if (!found || !*found || trace->ends.items[*found - 1] != UINT32_MAX) return UINT32_MAX;
    return *found - 1;
}

static void end_buffer(struct graph_trace *trace, uint32_t buffer, const struct graph_trace_place *place) {
    struct graph_trace_event event = trace->events.items[trace->allocations.items[buffer]];
    event.kind = MEM_FREE;
    event.counter = place->counter;
    event.segment = place->segment;
    event.function = place->function;
    trace->ends.items[buffer] = (uint32_t)trace->events.len;
    vec_push(&trace->events, event);
}

static void begin_buffer(struct graph_trace *trace, struct graph_trace_event *event, const struct mem_event *as_read) {
    uint32_t buffer = (uint32_t)trace->allocations.len;
    for (int by_address = 0; by_address < 2; by_address++) {
        uint32_t *name = named(trace, as_read, event->device, by_address);
        if (name) *name = buffer + 1;
    }
    event->buffer = buffer;
    vec_push(&trace->allocations, (uint32_t)trace->events.len);
    vec_push(&trace->ends, UINT32_MAX);
}

void graph_trace_add(struct graph_trace *trace, const struct mem_event *event, const struct graph_trace_place *place) {
    if (event->kind == MEM_NONE || event->type == MEM_SYSTEM_MEMORY || trace->full) return;
    if (trace->events.len + 2 > GRAPH_TRACE_MAX) {
        graph_trace_release(trace);
        trace->full = true;
        return;
    }
    bool of_buffer = event->kind == MEM_ALLOCATE || event->kind == MEM_FREE;
    uint32_t before = of_buffer ? find(trace, event, place->device) : UINT32_MAX;
    if (before != UINT32_MAX) end_buffer(trace, before, place); /* or its end was not recorded */
    if (event->kind == MEM_FREE) return;
    struct graph_trace_event kept = {.kind = event->kind,
                                     .type = event->type,
                                     .borrowed = event->borrowed,
                                     .sharded = event->sharded,
                                     .top_down = event->top_down,
                                     .everywhere = !event->has_device,
                                     .segment = place->segment,
                                     .function = place->function,
                                     .counter = place->counter,
                                     .device = place->device,
                                     .size = event->size,
                                     .page_size = event->page_size,
                                     .size_per_bank = event->size_per_bank,
                                     .num_cores = event->num_cores};
    if (event->kind == MEM_ALLOCATE) begin_buffer(trace, &kept, event);
    if (event->ranges_len)
        kept.ranges =
            strtab_id(&trace->range_sets, slice_of((const char *)event->ranges, event->ranges_len * sizeof *event->ranges));
    vec_push(&trace->events, kept);
}

void graph_trace_release(struct graph_trace *trace) {
    vec_release(&trace->events);
    vec_release(&trace->allocations);
    vec_release(&trace->ends);
    strtab_release(&trace->range_sets);
    map_release(&trace->by_name);
}
