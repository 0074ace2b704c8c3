/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/graph/graph_timeline.h"

#include <stdlib.h>

#include "base/num.h"

static int64_t total_of(const struct graph_point *point) { return sat_add(point->l1, point->program.total); }

/* The higher of both, figure by figure; the parts of L1 stay those of one moment. */
static void keep_higher(struct graph_point *point, const struct graph_point *other) {
    int64_t dram = point->dram > other->dram ? point->dram : other->dram;
    if (total_of(other) > total_of(point)) *point = *other;
    point->dram = dram;
}

static int64_t dram_before(const struct graph_timeline *timeline, size_t device) {
    return device < timeline->dram_before.len ? timeline->dram_before.items[device] : 0;
}

static struct graph_point measure(const struct graph_timeline *timeline, const struct usage *usage) {
    struct graph_point now = {0};
    bool any = false;
    for (size_t i = 0; i < usage->devices_len; i++) {
        const struct usage_device *device = &usage->devices[i];
        if (device->program.most.total > now.program.total) now.program = device->program.most;
        if (device->l1_alive > now.l1) now.l1 = device->l1_alive;
        if (!device->has_buffers) continue;
        int64_t dram = sat_add(device->pools[MEM_DRAM].current, dram_before(timeline, i));
        if (!any || dram > now.dram) now.dram = dram;
        any = true;
    }
    return now;
}

static void halve_points(struct graph_timeline *timeline) {
    size_t kept = 0;
    for (size_t i = 0; i < timeline->points.len; i += 2) {
        struct graph_point point = timeline->points.items[i];
        if (i + 1 < timeline->points.len) keep_higher(&point, &timeline->points.items[i + 1]);
        timeline->points.items[kept++] = point;
    }
    timeline->points.len = kept;
    timeline->stride *= 2;
}

void graph_timeline_node(struct graph_timeline *timeline, const struct usage *usage, bool changed) {
    if (!timeline->wanted) return;
    if (!timeline->stride) timeline->stride = 1;
    if (changed) timeline->now = measure(timeline, usage);
    if (timeline->nodes / timeline->stride >= TIMELINE_POINTS) halve_points(timeline);
    if (timeline->nodes / timeline->stride >= timeline->points.len) vec_push(&timeline->points, timeline->now);
    else keep_higher(&vec_last(&timeline->points), &timeline->now);
    timeline->nodes++;
}

static uint64_t length_of(const struct graph_call *call) { return call->end - call->begin + 1; }

static int by_length(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t median_length(const struct graph_timeline *timeline) {
    uint64_t *lengths = mem_zalloc(timeline->calls.len, sizeof *lengths);
    for (size_t i = 0; i < timeline->calls.len; i++) lengths[i] = length_of(&timeline->calls.items[i]);
    qsort(lengths, timeline->calls.len, sizeof *lengths, by_length);
    uint64_t median = lengths[timeline->calls.len / 2];
    free(lengths);
    return median;
}

/* Keeps calls longer than the median, and every second one of median length. */
static void halve_calls(struct graph_timeline *timeline) {
    uint64_t median = median_length(timeline);
    timeline->every = median == timeline->shortest ? timeline->every * 2 : 2;
    timeline->shortest = median;
    timeline->equal = 0;
    size_t kept = 0;
    bool take = false;
    for (size_t i = 0; i < timeline->calls.len; i++) {
        uint64_t length = length_of(&timeline->calls.items[i]);
        if (length == median) take = !take;
        if (length > median || (length == median && take)) timeline->calls.items[kept++] = timeline->calls.items[i];
    }
    timeline->left_out += timeline->calls.len - kept;
    timeline->calls.len = kept;
}

static bool too_short(struct graph_timeline *timeline, const struct graph_call *call) {
    uint64_t length = length_of(call);
    return length < timeline->shortest || (length == timeline->shortest && timeline->equal++ % timeline->every != 0);
}

void graph_timeline_call(struct graph_timeline *timeline, const struct graph_call *call) {
    if (!timeline->wanted) return;
    if (timeline->calls.len >= TIMELINE_CALLS) halve_calls(timeline);
    if (too_short(timeline, call)) timeline->left_out++;
    else vec_push(&timeline->calls, *call);
}

void graph_timeline_segment(struct graph_timeline *timeline, const struct usage *usage) {
    if (!timeline->wanted) return;
    for (size_t i = 0; i < usage->devices_len; i++) {
        if (i >= timeline->dram_before.len) vec_push(&timeline->dram_before, 0);
        int64_t *before = &timeline->dram_before.items[i];
        *before = sat_add(*before, usage->devices[i].pools[MEM_DRAM].current);
    }
}

void graph_timeline_release(struct graph_timeline *timeline) {
    vec_release(&timeline->points);
    vec_release(&timeline->calls);
    vec_release(&timeline->dram_before);
}
