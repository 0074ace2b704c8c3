/* SPDX-License-Identifier: Apache-2.0 */
#include "usage/segments.h"

#include <stdlib.h>

#include "base/try.h"

enum usage_result segments_close(struct segments *segments, struct usage *usage, struct slice name) {
    if (!vec_try_reserve(segments, segments->len + 1)) return USAGE_NO_MEMORY;
    struct segment segment = {.name_len = name.len, .devices_len = usage->devices_len, .upstream = usage->upstream};
    segment.name = malloc(name.len + 1);
    segment.devices = malloc((usage->devices_len + 1) * sizeof *segment.devices);
    if (!segment.name || !segment.devices) {
        free(segment.name);
        free(segment.devices);
        return USAGE_NO_MEMORY;
    }
    if (name.len) memcpy(segment.name, name.ptr, name.len);
    segment.name[name.len] = '\0';
    for (size_t i = 0; i < usage->devices_len; i++) {
        const struct usage_device *device = &usage->devices[i];
        segment.devices[i] =
            (struct segment_device){.id = device->id, .tied = device->tied, .mesh = device->mesh, .l1 = device->l1};
        memcpy(segment.devices[i].pools, device->pools, sizeof device->pools);
    }
    segments->items[segments->len++] = segment;
    usage_next_segment(usage);
    return USAGE_OK;
}

void segments_release(struct segments *segments) {
    for (size_t i = 0; i < segments->len; i++) {
        free(segments->items[i].name);
        free(segments->items[i].devices);
    }
    free(segments->items);
    *segments = (struct segments){0};
}

struct usage_pool segment_pool(const struct segment *segment, uint64_t device, enum mem_type type) {
    for (size_t i = 0; i < segment->devices_len; i++)
        if (segment->devices[i].id == device) return segment->devices[i].pools[type];
    return (struct usage_pool){0};
}

static struct usage_line dram_line(const struct segment *segment, uint64_t device) {
    struct usage_pool dram = segment_pool(segment, device, MEM_DRAM);
    return (struct usage_line){.dram_peak = dram.peak, .dram_allocated = dram.allocated, .dram_freed = dram.freed};
}

/* The last segment knows all devices. */
uint64_t segments_main_device(const struct segments *segments) {
    uint64_t main_device = USAGE_NO_DEVICE;
    int64_t highest = -1, most_allocated = -1;
    const struct segment *last = segments->len ? &segments->items[segments->len - 1] : NULL;
    for (size_t d = 0; last && d < last->devices_len; d++) {
        uint64_t id = last->devices[d].id;
        int64_t peak = 0, current = 0, allocated = 0;
        for (size_t s = 0; s < segments->len; s++) {
            struct usage_line line = dram_line(&segments->items[s], id);
            int64_t reached = sat_add(current, line.dram_peak);
            if (reached > peak) peak = reached;
            current = sat_add(current, sat_add(line.dram_allocated, -line.dram_freed));
            allocated = sat_add(allocated, sat_add(line.dram_allocated, line.dram_freed));
        }
        if (peak > highest || (peak == highest && allocated > most_allocated)) {
            highest = peak;
            most_allocated = allocated;
            main_device = id;
        }
    }
    return main_device;
}

static void lift(int64_t *peak, int64_t value) {
    if (value > *peak) *peak = value;
}

struct usage_l1 segment_l1(const struct segment *segment) {
    struct usage_l1 most = {0};
    for (size_t i = 0; i < segment->devices_len; i++) {
        const struct usage_l1 *l1 = &segment->devices[i].l1;
        lift(&most.peak_circular, l1->peak_circular);
        lift(&most.peak_buffer, l1->peak_buffer);
        lift(&most.peak_dataflow, l1->peak_dataflow);
        lift(&most.peak_scratchpad, l1->peak_scratchpad);
        lift(&most.at_start, l1->at_start);
        lift(&most.at_end, l1->at_end);
        if (l1->peak_total <= most.peak_total) continue;
        most.peak_total = l1->peak_total;
        most.peak_tag = l1->peak_tag;
        most.program_at_peak = l1->program_at_peak;
        most.buffer_at_peak = l1->buffer_at_peak;
    }
    return most;
}

void segments_lines(const struct segments *segments, bool upstream_rules, struct usage_line *out) {
    uint64_t main_device = segments_main_device(segments);
    for (size_t i = 0; i < segments->len; i++) {
        const struct segment *segment = &segments->items[i];
        const struct usage_upstream *upstream = &segment->upstream;
        struct usage_l1 l1 = segment_l1(segment);
        if (upstream_rules) {
            out[i] = (struct usage_line){.dram_peak = upstream->dram_peak,
                                         .dram_allocated = upstream->dram_allocated,
                                         .dram_freed = upstream->dram_freed,
                                         .l1_circular = upstream->peak_circular,
                                         .l1_buffer = upstream->peak_buffer,
                                         .l1_total = upstream->peak_total};
        } else {
            out[i] = dram_line(segment, main_device);
            out[i].l1_circular = (uint64_t)l1.peak_circular;
            out[i].l1_buffer = (uint64_t)l1.peak_buffer;
            out[i].l1_total = (uint64_t)l1.peak_total;
        }
        out[i].name = slice_of(segment->name, segment->name_len);
    }
}
