/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/graph/graph_tree.h"

static struct graph_segment *current(struct graph_session *session) { return &vec_last(&session->details); }

static void lift(int64_t *peak, int64_t value) {
    if (value > *peak) *peak = value;
}

static struct hash128 key_of(uint64_t a, uint64_t b, uint64_t c) {
    return (struct hash128){hash_mix(hash_mix(a, b), c), hash_mix(hash_mix(c + 1, a), b)};
}

static void push_frame(struct graph_session *session, uint32_t function) {
    vec_push(&session->frames, ((struct graph_frame){.function = function,
                                                     .dram_start = session->dram_now,
                                                     .dram_high = session->dram_now,
                                                     .l1_start = session->l1_now,
                                                     .l1_high = session->l1_now,
                                                     .begin = session->timeline.nodes}));
    session->usage.tag = function;
}

void graph_tree_begin(struct graph_session *session) {
    map_clear(&session->children);
    map_clear(&session->circular_rows);
    vec_clear(&session->frames);
    session->dram_now = session->l1_now = 0;
    session->program = 1;
    vec_push(&current(session)->functions, ((struct graph_function){.calls = 1}));
    push_frame(session, 0);
}

static uint32_t child_of(struct graph_session *session, uint32_t parent, uint32_t name) {
    struct graph_segment *segment = current(session);
    bool added;
    uint32_t *place = map_at(&session->children, key_of(parent, name, 1), &added);
    if (!added) return *place;
    uint32_t child = *place = (uint32_t)segment->functions.len;
    vec_push(&segment->functions, ((struct graph_function){.name = name, .parent = parent}));
    struct graph_function *above = &segment->functions.items[parent];
    if (above->last_child) segment->functions.items[above->last_child].next_sibling = child;
    else above->first_child = child;
    above->last_child = child;
    return child;
}

/* Calls in a loop have the same few arguments; if all arguments of a capture differ, not all are kept. */
enum { ARGUMENTS_KEPT = 64, ARGUMENT_BYTES = 4096, ALL_ARGUMENTS = 1 << 22, ALL_ARGUMENT_BYTES = 64 << 20 };

static void keep_arguments(struct graph_session *session, const struct graph_node *node, struct graph_frame *frame) {
    size_t count = node->arguments_len < ARGUMENTS_KEPT ? node->arguments_len : ARGUMENTS_KEPT;
    if (session->argument_ids.len + count > ALL_ARGUMENTS || session->argument_bytes > ALL_ARGUMENT_BYTES) return;
    frame->arguments = (uint32_t)session->argument_ids.len;
    frame->arguments_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        size_t known = session->texts.strings.len;
        struct slice text = slice_take(node->arguments[i], ARGUMENT_BYTES);
        vec_push(&session->argument_ids, strtab_id(&session->texts, text));
        if (session->texts.strings.len > known) session->argument_bytes += text.len;
    }
}

void graph_tree_enter(struct graph_session *session, const struct graph_node *node) {
    uint32_t parent = vec_last(&session->frames).function;
    uint32_t id = child_of(session, parent, strtab_id(&session->texts, node->name));
    push_frame(session, id);
    struct graph_frame *frame = &vec_last(&session->frames);
    struct graph_function *function = &current(session)->functions.items[id];
    bool first = !function->calls++;
    if (!first && !session->timeline.wanted) return; /* one call represents all */
    keep_arguments(session, node, frame);
    if (!first) return;
    function->arguments = frame->arguments;
    function->arguments_count = frame->arguments_count;
}

static void note_call(struct graph_session *session, const struct graph_frame *frame, uint64_t duration_ns) {
    if (!frame->function) return;
    graph_timeline_call(&session->timeline, &(struct graph_call){.begin = frame->begin,
                                                                 .end = session->timeline.nodes,
                                                                 .segment = (uint32_t)session->details.len - 1,
                                                                 .function = frame->function,
                                                                 .depth = (uint32_t)session->frames.len,
                                                                 .arguments = frame->arguments,
                                                                 .arguments_count = frame->arguments_count,
                                                                 .duration_ns = duration_ns,
                                                                 .dram_start = frame->dram_start,
                                                                 .dram_end = session->dram_now,
                                                                 .dram_rise = sat_add(frame->dram_high, -frame->dram_start),
                                                                 .l1_start = frame->l1_start,
                                                                 .l1_end = session->l1_now,
                                                                 .l1_rise = sat_add(frame->l1_high, -frame->l1_start),
                                                                 .program_peak = frame->program_high});
}

static void pop_frame(struct graph_session *session, uint64_t duration_ns) {
    struct graph_frame frame = vec_last(&session->frames);
    session->frames.len--;
    note_call(session, &frame, duration_ns);
    struct graph_function *function = &current(session)->functions.items[frame.function];
    function->duration_ns += duration_ns;
    function->dram_allocated = sat_add(function->dram_allocated, frame.allocated);
    function->dram_freed = sat_add(function->dram_freed, frame.freed);
    lift(&function->dram_rise, sat_add(frame.dram_high, -frame.dram_start));
    lift(&function->l1_rise, sat_add(frame.l1_high, -frame.l1_start));
    lift(&function->program_peak, frame.program_high);
    if (!session->frames.len) return;
    struct graph_frame *caller = &vec_last(&session->frames);
    caller->allocated = sat_add(caller->allocated, frame.allocated);
    caller->freed = sat_add(caller->freed, frame.freed);
    lift(&caller->dram_high, frame.dram_high);
    lift(&caller->l1_high, frame.l1_high);
    lift(&caller->program_high, frame.program_high);
    session->usage.tag = caller->function;
}

void graph_tree_leave(struct graph_session *session, uint64_t duration_ns) {
    if (session->frames.len > 1) pop_frame(session, duration_ns);
}

void graph_tree_end(struct graph_session *session) {
    while (session->frames.len) pop_frame(session, 0);
    session->usage.tag = 0;
}

/* --- program memory --- */

static bool lowest_l1(struct graph_session *session, uint64_t device, uint64_t *address) {
    if (session->lowest_serial != session->usage.l1_serial + 1 || session->lowest_device != device) {
        session->has_lowest = usage_lowest_l1(&session->usage, device, &session->lowest_l1);
        session->lowest_serial = session->usage.l1_serial + 1;
        session->lowest_device = device;
    }
    *address = session->lowest_l1;
    return session->has_lowest;
}

static void measure_gap(struct graph_session *session, struct graph_circular *row, const struct mem_event *event) {
    uint64_t end = event->address + event->size, lowest;
    if (!event->address || event->borrowed || end < event->address) return;
    if (end > row->region_end) row->region_end = end;
    if (!lowest_l1(session, usage_owner(&session->usage, event), &lowest) || lowest > INT64_MAX || end > INT64_MAX) return;
    int64_t gap = (int64_t)lowest - (int64_t)end;
    if (row->has_gap && gap >= row->gap) return;
    row->has_gap = true;
    row->gap = gap;
    row->lowest_l1 = lowest;
}

static void add_circular(struct graph_session *session, const struct graph_node *node, const struct mem_event *event) {
    struct graph_segment *segment = current(session);
    uint32_t cores = strtab_id(&session->texts, node->core_text);
    uint32_t function = vec_last(&session->frames).function;
    uint64_t device = event->has_device ? event->device : USAGE_NO_DEVICE;
    bool added;
    uint32_t *place = map_at(&session->circular_rows, key_of((uint64_t)function << 32 | cores, device, event->kind), &added);
    if (added) {
        *place = (uint32_t)segment->circular.len;
        vec_push(&segment->circular,
                 ((struct graph_circular){.function = function,
                                          .cores = cores,
                                          .kind = event->kind,
                                          .device = device,
                                          .core_count = core_ranges_count(event->ranges, event->ranges_len)}));
    }
    struct graph_circular *row = &segment->circular.items[*place];
    if (row->program != session->program) {
        row->program = session->program;
        row->now_bytes = row->now_buffers = row->now_borrowed = 0;
    }
    row->now_buffers++;
    if (event->borrowed) row->now_borrowed++;
    else row->now_bytes += event->size;
    if (row->now_bytes >= row->bytes) {
        row->bytes = row->now_bytes;
        row->buffers = row->now_buffers;
        row->borrowed = row->now_borrowed;
    }
    measure_gap(session, row, event);
}

static int64_t program_total(const struct usage *usage, const struct mem_event *event) {
    const uint32_t *index = idmap_find(&usage->device_index, event->has_device ? event->device : USAGE_NO_DEVICE);
    return index ? usage->devices[*index].program.most.total : 0;
}

void graph_tree_event(struct graph_session *session, const struct graph_node *node, const struct mem_event *event) {
    struct graph_frame *frame = &vec_last(&session->frames);
    int64_t change = session->usage.dram_change;
    session->dram_now = sat_add(session->dram_now, change);
    session->l1_now = sat_add(session->l1_now, session->usage.l1_change);
    if (change > 0) frame->allocated = sat_add(frame->allocated, change);
    else frame->freed = sat_add(frame->freed, -change);
    lift(&frame->dram_high, session->dram_now);
    lift(&frame->l1_high, session->l1_now);
    if (event->kind == MEM_RELEASE_PROGRAM) {
        session->program++;
    } else if (event->kind != MEM_ALLOCATE && event->kind != MEM_FREE) {
        lift(&frame->program_high, program_total(&session->usage, event));
        add_circular(session, node, event);
    }
}
