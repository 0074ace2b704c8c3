/* SPDX-License-Identifier: Apache-2.0 */
/* Events from outside: checked, then counted and, in NO_DISPATCH, placed in the simulated device. */
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "track/track.h"

void simulation_release_locked(ttmem_tracker *tracker) {
    for (size_t i = 0; i < tracker->simulated_len; i++) sim_release(&tracker->simulated[i].sim);
    free(tracker->simulated);
    tracker->simulated = NULL;
    tracker->simulated_len = tracker->simulated_cap = 0;
}

static struct sim *simulated_device(ttmem_tracker *tracker, uint64_t id) {
    for (size_t i = 0; i < tracker->simulated_len; i++)
        if (tracker->simulated[i].id == id) return &tracker->simulated[i].sim;
    if (tracker->simulated_len == USAGE_DEVICES_MAX) return NULL;
    if (tracker->simulated_cap < tracker->simulated_len + 1 &&
        !try_reserve_in((void **)&tracker->simulated, &tracker->simulated_cap, tracker->simulated_len + 1,
                        sizeof *tracker->simulated))
        return NULL;
    struct simulated_device *device = &tracker->simulated[tracker->simulated_len];
    struct sim_map map = sim_map_of(tracker->chip);
    device->id = id;
    if (sim_init(&device->sim, &map) != SIM_OK) return NULL;
    tracker->simulated_len++;
    return &device->sim;
}

static void note_failure(ttmem_tracker *tracker, const struct sim_failure *failure) {
    ttmem_fit_result *fit = &tracker->fit;
    if (fit->failures++) return;
    fit->fragmented = failure->kind == SIM_FRAGMENTED;
    fit->program = failure->kind == SIM_BEYOND_L1 || failure->kind == SIM_CLASH;
    fit->type = (ttmem_buffer_type)failure->type;
    fit->size = failure->size;
    fit->size_per_bank = failure->size_per_bank;
    fit->free_per_bank = failure->bank.free;
    fit->largest_free = failure->bank.largest_free;
    fit->bank_size = failure->bank.total;
    fit->segment = tracker->segments.len;
    struct slice name = slice_take(track_function_name(tracker, tracker->usage.tag), sizeof fit->function - 1);
    memcpy(fit->function, name.ptr, name.len);
    fit->function[name.len] = '\0';
}

static ttmem_status simulate_locked(ttmem_tracker *tracker, const struct mem_event *event, uint64_t *address) {
    struct sim *sim = simulated_device(tracker, usage_owner(&tracker->usage, event));
    if (!sim) return TTMEM_NO_MEMORY;
    tracker->fit.events++;
    struct sim_failure failure;
    enum sim_result result = sim_event(sim, event, address, &failure);
    if (result == SIM_FAILED) note_failure(tracker, &failure);
    return result == SIM_NO_MEMORY ? TTMEM_NO_MEMORY : TTMEM_OK;
}

ttmem_status feed_locked(ttmem_tracker *tracker, struct mem_event *event, uint64_t *address) {
    ttmem_status status = TTMEM_OK;
    uint64_t place = 0;
    usage_resolve_free(&tracker->usage, event);
    if (tracker->mode == TTMEM_NO_DISPATCH) {
        status = simulate_locked(tracker, event, &place);
        if (status != TTMEM_OK) return status;
        if (event->kind == MEM_ALLOCATE && !event->address) {
            event->address = place;
            event->simulated = true;
        }
    }
    if (address) *address = event->address;
    switch (usage_event(&tracker->usage, event)) {
        case USAGE_OK:
            return TTMEM_OK;
        case USAGE_TOO_MANY_DEVICES:
            return TTMEM_BAD_ARGUMENT;
        case USAGE_NO_MEMORY:
            break;
    }
    return TTMEM_NO_MEMORY;
}

static ttmem_status feed(ttmem_tracker *tracker, struct mem_event *event, uint64_t *address) {
    pthread_mutex_lock(&tracker->lock);
    ttmem_status status = TTMEM_NOT_ACTIVE;
    if (tracker->active) {
        tracker->usage.tag = current_function(tracker);
        status = feed_locked(tracker, event, address);
    }
    pthread_mutex_unlock(&tracker->lock);
    switch (status) {
        case TTMEM_OK:
            return TTMEM_OK;
        case TTMEM_NO_MEMORY:
            return track_fail_no_memory();
        case TTMEM_NOT_ACTIVE:
            return track_fail(status, "MemoryUsageTracker: Capture is not active");
        default:
            return track_fail(status, "MemoryUsageTracker: more than %d devices", (int)USAGE_DEVICES_MAX);
    }
}

static ttmem_status feed_buffer(const char *function, ttmem_tracker *tracker, const ttmem_buffer *buffer,
                                enum mem_event_kind kind, uint64_t *address) {
    if (!tracker || !buffer) return track_fail_null(function);
    if ((unsigned)buffer->type >= MEM_TYPES)
        return track_fail(TTMEM_BAD_ARGUMENT, "MemoryUsageTracker: unknown buffer type %d; known are 0 (DRAM) to 4 (TRACE)",
                          (int)buffer->type);
    if (buffer->size > MEM_SIZE_MAX || buffer->size_per_bank > MEM_SIZE_MAX)
        return track_fail(TTMEM_BAD_ARGUMENT, "MemoryUsageTracker: a buffer cannot be that large");
    enum mem_type type = (enum mem_type)buffer->type;
    struct mem_event event = {.kind = kind,
                              .has_device = true,
                              .type = type,
                              .device = buffer->device,
                              .address = buffer->address,
                              .id = buffer->id,
                              .size = buffer->size,
                              .page_size = buffer->page_size,
                              .size_per_bank = buffer->size_per_bank,
                              .num_cores = buffer->num_cores,
                              .node_size = buffer->size,
                              .node_is_dram = type == MEM_DRAM || type == MEM_TRACE};
    return feed(tracker, &event, address);
}

ttmem_status ttmem_buffer_allocate(ttmem_tracker *tracker, const ttmem_buffer *buffer, uint64_t *address) {
    return feed_buffer(__func__, tracker, buffer, MEM_ALLOCATE, address);
}

ttmem_status ttmem_buffer_deallocate(ttmem_tracker *tracker, const ttmem_buffer *buffer) {
    return feed_buffer(__func__, tracker, buffer, MEM_FREE, NULL);
}

_Static_assert(sizeof(ttmem_core_range) == sizeof(struct core_range), "passed on as it is");
_Static_assert(offsetof(ttmem_core_range, y1) == offsetof(struct core_range, y1), "passed on as it is");

static ttmem_status feed_program(const char *function, ttmem_tracker *tracker, const ttmem_program_memory *memory,
                                 enum mem_event_kind kind) {
    if (!tracker || !memory || (memory->ranges_len && !memory->ranges)) return track_fail_null(function);
    if (memory->size > MEM_SIZE_MAX)
        return track_fail(TTMEM_BAD_ARGUMENT, "MemoryUsageTracker: a circular buffer cannot be that large");
    for (size_t i = 0; i < memory->ranges_len; i++)
        if (memory->ranges[i].x0 > memory->ranges[i].x1 || memory->ranges[i].y0 > memory->ranges[i].y1)
            return track_fail(TTMEM_BAD_ARGUMENT, "MemoryUsageTracker: a core range ends before it starts");
    struct mem_event event = {.kind = kind,
                              .has_device = true,
                              .borrowed = memory->borrowed != 0,
                              .type = MEM_L1,
                              .device = memory->device,
                              .address = memory->address,
                              .size = memory->size,
                              .ranges = (const struct core_range *)(const void *)memory->ranges,
                              .ranges_len = memory->ranges_len};
    return feed(tracker, &event, NULL);
}

ttmem_status ttmem_circular_buffer_allocate(ttmem_tracker *tracker, const ttmem_program_memory *memory) {
    return feed_program(__func__, tracker, memory, MEM_CIRCULAR_BUFFER);
}

ttmem_status ttmem_dataflow_buffer_allocate(ttmem_tracker *tracker, const ttmem_program_memory *memory) {
    return feed_program(__func__, tracker, memory, MEM_DATAFLOW_BUFFER);
}

ttmem_status ttmem_scratchpad_allocate(ttmem_tracker *tracker, const ttmem_program_memory *memory) {
    return feed_program(__func__, tracker, memory, MEM_SCRATCHPAD);
}

ttmem_status ttmem_program_release(ttmem_tracker *tracker, uint64_t device) {
    if (!tracker) return track_fail_null(__func__);
    struct mem_event event = {.kind = MEM_RELEASE_PROGRAM, .has_device = true, .device = device};
    return feed(tracker, &event, NULL);
}

ttmem_status ttmem_tie_device(ttmem_tracker *tracker, uint64_t chip, uint64_t mesh) {
    if (!tracker) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    enum usage_result result = usage_tie(&tracker->usage, chip, mesh);
    pthread_mutex_unlock(&tracker->lock);
    if (result == USAGE_TOO_MANY_DEVICES)
        return track_fail(TTMEM_BAD_ARGUMENT, "MemoryUsageTracker: more than %d devices", (int)USAGE_DEVICES_MAX);
    return result == USAGE_OK ? TTMEM_OK : track_fail_no_memory();
}
