/* SPDX-License-Identifier: Apache-2.0 */
/* Graph captures as text. */
#include "base/json_read.h"
#include "parse/foreign/graph.h"
#include "track/track.h"

__attribute__((constructor)) static void at_load(void) { json_prepare(); }

struct feeding {
    ttmem_tracker *tracker;
    uint32_t stack[256];
    size_t depth; /* may exceed the stack: deeper functions have no name */
    ttmem_status status;
};

static uint32_t innermost(const struct feeding *feeding) {
    size_t room = sizeof feeding->stack / sizeof *feeding->stack;
    return feeding->depth && feeding->depth <= room ? feeding->stack[feeding->depth - 1] : 0;
}

static ttmem_status follow_functions(struct feeding *feeding, const struct graph_node *node) {
    if (node->kind == NODE_FUNCTION_END && feeding->depth) feeding->depth--;
    if (node->kind != NODE_FUNCTION_START) return TTMEM_OK;
    uint32_t tag;
    ttmem_status status = intern_function_locked(feeding->tracker, node->name, &tag);
    if (feeding->depth < sizeof feeding->stack / sizeof *feeding->stack) feeding->stack[feeding->depth] = tag;
    feeding->depth++;
    return status;
}

static ttmem_status tie_chips(ttmem_tracker *tracker, struct slice rest) {
    uint64_t chip, mesh;
    while (graph_next_chip(&rest, &chip, &mesh))
        if (usage_tie(&tracker->usage, chip, mesh) == USAGE_NO_MEMORY) return TTMEM_NO_MEMORY;
    return TTMEM_OK;
}

static bool on_node(void *context, const struct graph_node *node, const struct mem_event *event) {
    struct feeding *feeding = context;
    ttmem_status status = follow_functions(feeding, node);
    if (status == TTMEM_OK && node->device_tensors.len) status = tie_chips(feeding->tracker, node->device_tensors);
    if (status == TTMEM_OK && event) {
        struct mem_event copy = *event;
        feeding->tracker->usage.tag = innermost(feeding);
        status = feed_locked(feeding->tracker, &copy, NULL);
        if (status == TTMEM_BAD_ARGUMENT) status = TTMEM_OK; /* more devices than possible: not counted */
    }
    feeding->status = status;
    return status == TTMEM_OK;
}

static void on_device(void *context, const struct graph_device *device) {
    struct feeding *feeding = context;
    struct usage *usage = &feeding->tracker->usage;
    if (!feeding->tracker->interleaved_cores && device->l1_banks && device->l1_banks <= UINT16_MAX)
        usage->interleaved_cores = (unsigned)device->l1_banks;
}

static ttmem_status read_locked(ttmem_tracker *tracker, struct slice text) {
    struct feeding feeding = {.tracker = tracker};
    struct graph_calls calls = {.node = on_node, .device = on_device, .context = &feeding};
    struct graph_reader reader;
    ttmem_status status = TTMEM_NO_MEMORY;
    if (graph_reader_init(&reader, &calls)) {
        reader.capture = ++tracker->captures;
        bool all = graph_reader_push(&reader, text);
        enum graph_scan_end end = graph_reader_finish(&reader);
        if (!all) status = feeding.status != TTMEM_OK ? feeding.status : TTMEM_NO_MEMORY;
        else status = end == GRAPH_WHOLE && !reader.problems.unreadable ? TTMEM_OK : TTMEM_BAD_CAPTURE;
    }
    graph_reader_release(&reader);
    return status;
}

static ttmem_status tell(ttmem_status status) {
    switch (status) {
        case TTMEM_NO_MEMORY:
            return track_fail_no_memory();
        case TTMEM_BAD_CAPTURE:
            return track_fail(status, "MemoryUsageTracker: the text is not a whole graph capture");
        case TTMEM_NOT_ACTIVE:
            return track_fail(status, "MemoryUsageTracker: Capture is not active");
        case TTMEM_ACTIVE:
            return track_fail(status, "MemoryUsageTracker: Capture already active");
        default:
            return status;
    }
}

ttmem_status ttmem_capture_json(ttmem_tracker *tracker, const char *text, size_t len) {
    if (!tracker || (len && !text)) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    ttmem_status status = tracker->active ? read_locked(tracker, slice_of(text, len)) : TTMEM_NOT_ACTIVE;
    pthread_mutex_unlock(&tracker->lock);
    return tell(status);
}

ttmem_status ttmem_add_segment_json(ttmem_tracker *tracker, const char *name, const char *text, size_t len) {
    if (!tracker || !name || (len && !text)) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    ttmem_status status = TTMEM_ACTIVE;
    if (!tracker->active) {
        tracker->mode = TTMEM_NORMAL;
        usage_next_segment(&tracker->usage);
        status = read_locked(tracker, slice_of(text, len));
        if (status == TTMEM_OK || status == TTMEM_BAD_CAPTURE)
            if (segments_close(&tracker->segments, &tracker->usage, slice_from(name)) != USAGE_OK) status = TTMEM_NO_MEMORY;
    }
    pthread_mutex_unlock(&tracker->lock);
    return tell(status);
}
