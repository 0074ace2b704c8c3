/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/graph/graph_replay.h"

#include <stdlib.h>
#include <string.h>

struct graph_replaying {
    const struct graph_session *session;
    struct graph_what_if *what;
    struct sim_map map;
    enum graph_order order;
    VEC(struct graph_simulated) devices;
    VEC(struct core_range) ranges; /* of the current event */
    bool no_memory;
};

static struct sim *device_of(struct graph_replaying *r, uint64_t id) {
    for (size_t i = 0; i < r->devices.len; i++)
        if (r->devices.items[i].device == id) return &r->devices.items[i].sim;
    struct graph_simulated *added = vec_add(&r->devices);
    added->device = id;
    if (sim_init(&added->sim, &r->map) != SIM_OK) r->no_memory = true;
    return &added->sim;
}

/* --- order --- */

struct placed_event {
    const struct graph_trace_event *event;
    size_t run; /* consecutive allocations share a number */
    size_t at;
};

static int persistent_first(const void *a, const void *b) {
    const struct placed_event *x = a, *y = b;
    if (x->run != y->run) return x->run < y->run ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int largest_first(const void *a, const void *b) {
    const struct placed_event *x = a, *y = b;
    if (x->run != y->run) return x->run < y->run ? -1 : 1;
    if (x->event->size != y->event->size) return x->event->size > y->event->size ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Buffers that stay to the end come in run 0, everything else in run 1; or each sequence of allocations is a run. */
static void put_in_order(const struct graph_trace *trace, enum graph_order order, struct placed_event *out) {
    size_t run = 0;
    for (size_t i = 0; i < trace->events.len; i++) {
        const struct graph_trace_event *event = &trace->events.items[i];
        bool comes = event->kind == MEM_ALLOCATE;
        if (order == ORDER_PERSISTENT_FIRST) run = !(comes && trace->ends.items[event->buffer] == UINT32_MAX);
        else run += !comes || (i && trace->events.items[i - 1].kind != MEM_ALLOCATE);
        out[i] = (struct placed_event){event, run, i};
    }
    if (order == ORDER_CAPTURED || !trace->events.len) return;
    qsort(out, trace->events.len, sizeof *out, order == ORDER_PERSISTENT_FIRST ? persistent_first : largest_first);
}

/* --- changes --- */

static bool is_meant(const struct graph_session *session, const struct graph_change *change,
                     const struct graph_trace_event *event) {
    if (change->by_counter) return event->counter == change->counter;
    const struct graph_segment *segment = &session->details.items[event->segment];
    return event->function < segment->functions.len &&
           slice_equal(strtab_get(&session->texts, segment->functions.items[event->function].name), change->function);
}

static void halve(struct graph_what_if *what, const struct graph_trace_event *event, struct mem_event *out) {
    if (event->kind != MEM_CIRCULAR_BUFFER || event->borrowed) return;
    out->size = out->size / 2 + out->size % 2;
    what->matched++;
}

/* The buffer goes to L1, wherever it was; its pages go round the cores. */
static void shard(struct graph_what_if *what, unsigned cores, struct mem_event *out) {
    if (out->kind == MEM_ALLOCATE) what->matched++;
    out->type = MEM_L1;
    out->sharded = true;
    out->num_cores = cores;
    out->size_per_bank = 0;
}

static void change(struct graph_replaying *r, const struct graph_trace_event *event, struct mem_event *out) {
    const struct graph_trace *trace = &r->session->trace;
    bool of_buffer = event->kind == MEM_ALLOCATE || event->kind == MEM_FREE;
    const struct graph_trace_event *named = of_buffer ? &trace->events.items[trace->allocations.items[event->buffer]] : event;
    for (size_t i = 0; i < r->what->changes.len; i++) {
        const struct graph_change *wanted = &r->what->changes.items[i];
        if (wanted->kind == CHANGE_HALVE && is_meant(r->session, wanted, named)) halve(r->what, event, out);
        if (wanted->kind == CHANGE_SHARD && of_buffer && is_meant(r->session, wanted, named))
            shard(r->what, wanted->cores, out);
    }
}

/* The event for the simulator: buffers are identified only by the number of their allocation. */
static struct mem_event event_of(struct graph_replaying *r, const struct graph_trace_event *event) {
    struct mem_event out = {.kind = event->kind,
                            .type = event->type,
                            .has_device = true,
                            .device = event->device,
                            .borrowed = event->borrowed,
                            .sharded = event->sharded,
                            .top_down = event->top_down,
                            .size = event->size,
                            .page_size = event->page_size,
                            .size_per_bank = event->size_per_bank,
                            .num_cores = event->num_cores};
    if (event->kind == MEM_ALLOCATE || event->kind == MEM_FREE) out.id = (uint64_t)event->buffer + 1;
    struct slice set = strtab_get(&r->session->trace.range_sets, event->ranges);
    if (set.len) {
        vec_reserve(&r->ranges, set.len / sizeof *r->ranges.items);
        memcpy(r->ranges.items, set.ptr, set.len);
        out.ranges = r->ranges.items;
        out.ranges_len = set.len / sizeof *r->ranges.items;
    }
    change(r, event, &out);
    return out;
}

/* --- results --- */

static uint64_t lacking(const struct graph_replaying *r, const struct sim_failure *failure) {
    switch (failure->kind) {
        case SIM_OUT_OF_MEMORY:
            return failure->size_per_bank - failure->bank.free;
        case SIM_FRAGMENTED:
            return failure->size_per_bank - failure->bank.largest_free;
        case SIM_BEYOND_L1: /* and the buffers there must stay */
            return failure->region_end -
                   (failure->lowest_l1 && failure->lowest_l1 < r->map.l1_end ? failure->lowest_l1 : r->map.l1_end);
        case SIM_CLASH:
            return failure->region_end - failure->lowest_l1;
    }
    return 0;
}

static void note_failure(struct graph_replaying *r, const struct graph_trace_event *event, const struct sim_failure *failure) {
    uint64_t bytes = lacking(r, failure);
    if (r->what->failures++ && bytes <= r->what->lacking) return;
    r->what->lacking = bytes;
    r->what->worst = (struct graph_sim_failure){*failure, event->function, event->counter};
    r->what->worst_segment = event->segment;
}

/* tt-metal compares a program with the buffers when it starts the program: a buffer that comes on its own can use everything
 * above the base. */
static void note_room(struct graph_replaying *r, const struct sim *sim, const struct mem_event *event) {
    struct graph_what_if *what = r->what;
    bool program = event->kind == MEM_CIRCULAR_BUFFER || event->kind == MEM_DATAFLOW_BUFFER || event->kind == MEM_SCRATCHPAD;
    bool buffer = event->kind == MEM_ALLOCATE && event->type == MEM_L1;
    if (event->kind == MEM_ALLOCATE && event->type == MEM_DRAM) {
        const struct allocator *dram = &sim->pools[MEM_DRAM].allocator;
        uint64_t left = dram->size - dram->high_water;
        if (!what->uses_dram || left < what->dram_left) what->dram_left = left;
        what->uses_dram = true;
    }
    if (!program && !buffer) return;
    const struct allocator *l1 = &sim->pools[MEM_L1].allocator;
    uint64_t lowest, end = r->map.l1_base;
    if (!allocator_lowest(l1, &lowest)) lowest = l1->start + l1->size;
    if (program && sim->circular.highest_end > end) end = sim->circular.highest_end;
    if (program && sim->dataflow.highest_end > end) end = sim->dataflow.highest_end;
    int64_t left = (int64_t)lowest - (int64_t)end;
    if (!what->uses_l1 || left < what->l1_left) what->l1_left = left;
    what->uses_l1 = true;
}

/* A grid that the chip does not have: it would need another program. */
static void note_cores(struct graph_replaying *r, const struct mem_event *event) {
    uint64_t cores = event->kind == MEM_ALLOCATE ? event->num_cores : core_ranges_count(event->ranges, event->ranges_len);
    if (event->type == MEM_DRAM && event->kind == MEM_ALLOCATE) return;
    unsigned most = r->map.l1_banks;
    for (size_t i = 0; i < CHIP_L1_BANK_COUNTS; i++)
        if (r->what->chip->l1_bank_counts[i] > most) most = r->what->chip->l1_bank_counts[i];
    if (cores <= most || cores <= r->what->cores_wanted) return;
    r->what->cores_wanted = cores;
    r->what->cores_there = most;
}

static void replay_event(struct graph_replaying *r, const struct graph_trace_event *event) {
    struct sim_failure failure;
    struct mem_event sent = event_of(r, event);
    if (event->kind == MEM_RELEASE_PROGRAM && event->everywhere) {
        for (size_t i = 0; i < r->devices.len; i++) sim_event(&r->devices.items[i].sim, &sent, NULL, &failure);
        return;
    }
    struct sim *sim = device_of(r, event->device);
    if (r->no_memory) return;
    note_cores(r, &sent);
    switch (sim_event(sim, &sent, NULL, &failure)) {
        case SIM_NO_MEMORY:
            r->no_memory = true;
            break;
        case SIM_FAILED:
            note_failure(r, event, &failure);
            break;
        case SIM_OK:
            note_room(r, sim, &sent);
            break;
    }
}

bool graph_replay(const struct graph_session *session, struct graph_what_if *what) {
    struct graph_replaying r = {.session = session, .what = what};
    const struct graph_trace *trace = &session->trace;
    what->chip = session->simulate;
    for (size_t i = 0; i < what->changes.len; i++) {
        const struct graph_change *wanted = &what->changes.items[i];
        if (wanted->kind == CHANGE_CHIP) what->chip = wanted->chip;
        if (wanted->kind == CHANGE_ORDER) r.order = wanted->order;
    }
    r.map = graph_sim_map(session, what->chip);
    struct placed_event *events = mem_zalloc(trace->events.len + 1, sizeof *events);
    put_in_order(trace, r.order, events);
    for (size_t i = 0; i < trace->events.len && !r.no_memory; i++) replay_event(&r, events[i].event);
    free(events);
    for (size_t i = 0; i < r.devices.len; i++) sim_release(&r.devices.items[i].sim);
    vec_release(&r.devices);
    vec_release(&r.ranges);
    return !r.no_memory;
}
