/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of a tracker: usage by name and index, texts. */
#include <stdlib.h>

#include "base/try.h"
#include "track/track.h"

size_t ttmem_segment_count(ttmem_tracker *tracker) {
    if (!tracker) return 0;
    pthread_mutex_lock(&tracker->lock);
    size_t count = tracker->segments.len;
    pthread_mutex_unlock(&tracker->lock);
    return count;
}

static ttmem_status no_segment(size_t index) {
    return track_fail(TTMEM_NOT_FOUND, "MemoryUsageTracker: there is no segment %zu", index);
}

ttmem_status ttmem_segment_name(ttmem_tracker *tracker, size_t index, char *out, size_t size, size_t *needed) {
    if (!tracker || (size && !out)) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    ttmem_status status = TTMEM_NOT_FOUND;
    size_t bytes = 0;
    if (index < tracker->segments.len) {
        const struct segment *segment = &tracker->segments.items[index];
        bytes = segment->name_len + 1;
        status = bytes <= size ? TTMEM_OK : TTMEM_NO_ROOM;
        if (status == TTMEM_OK) memcpy(out, segment->name, bytes);
    }
    pthread_mutex_unlock(&tracker->lock);
    if (needed) *needed = bytes;
    if (status == TTMEM_NOT_FOUND) return no_segment(index);
    return status == TTMEM_OK ? status : track_fail(status, "MemoryUsageTracker: the name needs %zu bytes", bytes);
}

static void dram_locked(const ttmem_tracker *tracker, size_t index, ttmem_dram_usage *out) {
    const struct segment *segment = &tracker->segments.items[index];
    const struct usage_upstream *upstream = &segment->upstream;
    struct usage_pool dram = segment_pool(segment, segments_main_device(&tracker->segments), MEM_DRAM);
    *out = (ttmem_dram_usage){dram.peak, dram.allocated, dram.freed, dram.freed_earlier};
    if (tracker->rules == TTMEM_RULES_UPSTREAM)
        *out = (ttmem_dram_usage){upstream->dram_peak, upstream->dram_allocated, upstream->dram_freed, 0};
}

static void l1_locked(const ttmem_tracker *tracker, size_t index, ttmem_l1_usage *out) {
    const struct segment *segment = &tracker->segments.items[index];
    const struct usage_upstream *upstream = &segment->upstream;
    struct usage_l1 l1 = segment_l1(segment);
    *out = (ttmem_l1_usage){(uint64_t)l1.peak_circular, (uint64_t)l1.peak_buffer, (uint64_t)l1.peak_dataflow,
                            (uint64_t)l1.peak_scratchpad, (uint64_t)l1.peak_total};
    if (tracker->rules == TTMEM_RULES_UPSTREAM)
        *out = (ttmem_l1_usage){upstream->peak_circular, upstream->peak_buffer, upstream->peak_dataflow,
                                upstream->peak_scratchpad, upstream->peak_total};
}

ttmem_status ttmem_get_dram_usage_at(ttmem_tracker *tracker, size_t index, ttmem_dram_usage *out) {
    if (!tracker || !out) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    bool found = index < tracker->segments.len;
    if (found) dram_locked(tracker, index, out);
    pthread_mutex_unlock(&tracker->lock);
    return found ? TTMEM_OK : no_segment(index);
}

ttmem_status ttmem_get_l1_usage_at(ttmem_tracker *tracker, size_t index, ttmem_l1_usage *out) {
    if (!tracker || !out) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    bool found = index < tracker->segments.len;
    if (found) l1_locked(tracker, index, out);
    pthread_mutex_unlock(&tracker->lock);
    return found ? TTMEM_OK : no_segment(index);
}

/* How many segments have the name; *index is the last of them. */
static size_t find_locked(const ttmem_tracker *tracker, struct slice name, size_t *index) {
    size_t count = 0;
    for (size_t i = 0; i < tracker->segments.len; i++) {
        if (!slice_equal(slice_of(tracker->segments.items[i].name, tracker->segments.items[i].name_len), name)) continue;
        *index = i;
        count++;
    }
    return count;
}

static ttmem_status by_count(size_t count, const char *name) {
    if (count == 1) return TTMEM_OK;
    if (!count) return track_fail(TTMEM_NOT_FOUND, "MemoryUsageTracker: Trace '%.200s' not found", name);
    return track_fail(TTMEM_AMBIGUOUS,
                      "MemoryUsageTracker: Trace '%.200s' is ambiguous (%zu segments share this name); "
                      "use get_dram_usage_all()/get_l1_usage_all() instead",
                      name, count);
}

ttmem_status ttmem_get_dram_usage(ttmem_tracker *tracker, const char *name, ttmem_dram_usage *out) {
    if (!tracker || !name || !out) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    size_t index = 0, count = find_locked(tracker, slice_from(name), &index);
    if (count == 1) dram_locked(tracker, index, out);
    pthread_mutex_unlock(&tracker->lock);
    return by_count(count, name);
}

ttmem_status ttmem_get_l1_usage(ttmem_tracker *tracker, const char *name, ttmem_l1_usage *out) {
    if (!tracker || !name || !out) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    size_t index = 0, count = find_locked(tracker, slice_from(name), &index);
    if (count == 1) l1_locked(tracker, index, out);
    pthread_mutex_unlock(&tracker->lock);
    return by_count(count, name);
}

ttmem_status ttmem_fit(ttmem_tracker *tracker, ttmem_fit_result *out) {
    if (!tracker || !out) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    *out = tracker->fit;
    pthread_mutex_unlock(&tracker->lock);
    return TTMEM_OK;
}

ttmem_status ttmem_simulated_bank(ttmem_tracker *tracker, uint64_t device, ttmem_buffer_type type, ttmem_bank_state *out) {
    if (!tracker || !out) return track_fail_null(__func__);
    if ((unsigned)type >= MEM_TYPES || type == TTMEM_SYSTEM_MEMORY)
        return track_fail(TTMEM_BAD_ARGUMENT, "MemoryUsageTracker: buffer type %d is not simulated", (int)type);
    pthread_mutex_lock(&tracker->lock);
    bool found = false;
    for (size_t i = 0; i < tracker->simulated_len; i++) {
        if (tracker->simulated[i].id != device) continue;
        const struct allocator *allocator = &tracker->simulated[i].sim.pools[type].allocator;
        struct allocator_stats stats = allocator_stats(allocator);
        *out = (ttmem_bank_state){stats.total, stats.allocated, stats.free, stats.largest_free, allocator->high_water};
        found = true;
    }
    pthread_mutex_unlock(&tracker->lock);
    return found ? TTMEM_OK
                 : track_fail(TTMEM_NOT_FOUND, "MemoryUsageTracker: nothing was simulated on device %llu",
                              (unsigned long long)device);
}

/* --- texts: memory for the whole is reserved first, so that writing cannot fail --- */

static bool reserve(struct strbuf *out, size_t room) {
    out->data = malloc(room + 1);
    out->cap = out->data ? room + 1 : 0;
    return out->data != NULL;
}

static char *summary_locked(const ttmem_tracker *tracker) {
    size_t len = tracker->segments.len;
    struct usage_line *lines = malloc((len + 1) * sizeof *lines);
    struct strbuf out = {0};
    if (!lines) return NULL;
    segments_lines(&tracker->segments, tracker->rules == TTMEM_RULES_UPSTREAM, lines);
    if (reserve(&out, usage_summary_room(lines, len))) {
        usage_summary(&out, lines, len);
        out.data[out.len] = '\0';
    }
    free(lines);
    return out.data;
}

char *ttmem_summary(ttmem_tracker *tracker) {
    if (!tracker) {
        track_fail_null(__func__);
        return NULL;
    }
    pthread_mutex_lock(&tracker->lock);
    char *text = summary_locked(tracker);
    pthread_mutex_unlock(&tracker->lock);
    if (!text) track_fail_no_memory();
    return text;
}

ttmem_status ttmem_print(ttmem_tracker *tracker, FILE *stream) {
    if (!tracker || !stream) return track_fail_null(__func__);
    char *text = ttmem_summary(tracker);
    if (!text) return TTMEM_NO_MEMORY;
    int rc = fputs(text, stream);
    ttmem_free(text);
    return rc >= 0 ? TTMEM_OK : track_fail(TTMEM_BAD_ARGUMENT, "MemoryUsageTracker: the summary could not be written");
}

static char *json_locked(const ttmem_tracker *tracker) {
    const struct segments *segments = &tracker->segments;
    size_t room = 256;
    for (size_t i = 0; i < segments->len; i++) room += segment_json_room(&segments->items[i], tracker->longest_function);
    struct strbuf out = {0};
    if (!reserve(&out, room)) return NULL;
    struct json json = {.out = &out};
    uint64_t main_device = segments_main_device(segments);
    json_document(&json);
    json_member_bool(&json, "active", tracker->active);
    json_key(&json, "segments");
    json_array(&json);
    for (size_t i = 0; i < segments->len; i++) {
        json_object(&json);
        segment_json(&json, &segments->items[i], main_device, track_function_name, tracker);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    out.data[out.len] = '\0';
    return out.data;
}

char *ttmem_json(ttmem_tracker *tracker) {
    if (!tracker) {
        track_fail_null(__func__);
        return NULL;
    }
    pthread_mutex_lock(&tracker->lock);
    char *text = json_locked(tracker);
    pthread_mutex_unlock(&tracker->lock);
    if (!text) track_fail_no_memory();
    return text;
}

void ttmem_free(char *text) { free(text); }
