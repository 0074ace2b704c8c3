/* SPDX-License-Identifier: Apache-2.0 */
/* Trackers and their segments. */
#include <stdio.h>
#include <stdlib.h>

#include "track/track.h"

#ifndef TTMEM_VERSION
#define TTMEM_VERSION "0"
#endif

const char *ttmem_version(void) { return TTMEM_VERSION; }

static uint64_t next_serial(void) {
    static uint64_t last;
    return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static bool init(ttmem_tracker *tracker) {
    *tracker = (ttmem_tracker){.serial = next_serial(), .chip = chip_find(SLICE("n150"))};
    usage_init(&tracker->usage);
    if (pthread_mutex_init(&tracker->lock, NULL) != 0) return false;
    if (fork_list_add(tracker)) return true;
    pthread_mutex_destroy(&tracker->lock);
    return false;
}

ttmem_status ttmem_tracker_new(ttmem_tracker **out) {
    if (!out) return track_fail_null(__func__);
    *out = malloc(sizeof **out);
    if (*out && init(*out)) return TTMEM_OK;
    free(*out);
    *out = NULL;
    return track_fail_no_memory();
}

static void forget_locked(ttmem_tracker *tracker) {
    tracker->active = false;
    usage_release(&tracker->usage);
    segments_release(&tracker->segments);
    simulation_release_locked(tracker);
    tracker->fit = (ttmem_fit_result){0};
}

void ttmem_tracker_free(ttmem_tracker *tracker) {
    if (!tracker || tracker == ttmem_default()) return;
    fork_list_remove(tracker);
    forget_locked(tracker);
    for (size_t i = 0; i < tracker->functions_len; i++) free(tracker->functions[i]);
    free(tracker->functions);
    idmap_release(&tracker->function_of);
    pthread_mutex_destroy(&tracker->lock);
    free(tracker);
}

static ttmem_tracker default_tracker;
static bool default_is_ready;

static void init_default(void) { default_is_ready = init(&default_tracker); }

ttmem_tracker *ttmem_default(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_default);
    return default_is_ready ? &default_tracker : NULL;
}

ttmem_status ttmem_set_rules(ttmem_tracker *tracker, ttmem_rules rules) {
    if (!tracker) return track_fail_null(__func__);
    if (rules != TTMEM_RULES_OWN && rules != TTMEM_RULES_UPSTREAM)
        return track_fail(TTMEM_BAD_ARGUMENT,
                          "MemoryUsageTracker: rules %d are neither TTMEM_RULES_OWN (0) nor TTMEM_RULES_UPSTREAM (1)",
                          (int)rules);
    pthread_mutex_lock(&tracker->lock);
    tracker->rules = rules;
    pthread_mutex_unlock(&tracker->lock);
    return TTMEM_OK;
}

ttmem_status ttmem_set_interleaved_cores(ttmem_tracker *tracker, unsigned cores) {
    if (!tracker) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    tracker->interleaved_cores = tracker->usage.interleaved_cores = cores;
    pthread_mutex_unlock(&tracker->lock);
    return TTMEM_OK;
}

static ttmem_status fail_chip(const char *name) {
    char known[256] = "";
    size_t used = 0;
    for (const struct chip *c = chip_table; c->name && used < sizeof known; c++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", c->name);
    return track_fail(TTMEM_BAD_ARGUMENT, "MemoryUsageTracker: unknown chip '%.200s'; known are %s", name, known);
}

ttmem_status ttmem_set_chip(ttmem_tracker *tracker, const char *name) {
    if (!tracker || !name) return track_fail_null(__func__);
    const struct chip *chip = chip_find(slice_from(name));
    if (!chip) return fail_chip(name);
    pthread_mutex_lock(&tracker->lock);
    bool active = tracker->active;
    if (!active) {
        tracker->chip = chip;
        simulation_release_locked(tracker);
    }
    pthread_mutex_unlock(&tracker->lock);
    return active ? track_fail(TTMEM_ACTIVE, "MemoryUsageTracker: Capture already active") : TTMEM_OK;
}

ttmem_status ttmem_begin_capture(ttmem_tracker *tracker, ttmem_mode mode) {
    if (!tracker) return track_fail_null(__func__);
    if (mode != TTMEM_NORMAL && mode != TTMEM_NO_DISPATCH)
        return track_fail(TTMEM_BAD_ARGUMENT,
                          "MemoryUsageTracker: mode %d is neither TTMEM_NORMAL (0) nor TTMEM_NO_DISPATCH (1)", (int)mode);
    pthread_mutex_lock(&tracker->lock);
    bool active = tracker->active;
    if (!active) {
        tracker->active = true;
        tracker->mode = mode;
        tracker->usage.interleaved_cores = tracker->interleaved_cores;
        usage_next_segment(&tracker->usage); /* events between captures belong to no segment */
    }
    pthread_mutex_unlock(&tracker->lock);
    return active ? track_fail(TTMEM_ACTIVE, "MemoryUsageTracker: Capture already active") : TTMEM_OK;
}

ttmem_status ttmem_snapshot(ttmem_tracker *tracker, const char *name) {
    if (!tracker || !name) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    ttmem_status status = TTMEM_NOT_ACTIVE;
    if (tracker->active)
        status = segments_close(&tracker->segments, &tracker->usage, slice_from(name)) == USAGE_OK ? TTMEM_OK : TTMEM_NO_MEMORY;
    pthread_mutex_unlock(&tracker->lock);
    if (status == TTMEM_NO_MEMORY) return track_fail_no_memory();
    if (status == TTMEM_NOT_ACTIVE) return track_fail(status, "MemoryUsageTracker: Cannot snapshot - capture is not active");
    return TTMEM_OK;
}

ttmem_status ttmem_end_capture(ttmem_tracker *tracker, const char *name) {
    if (!tracker) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    enum usage_result result = USAGE_OK;
    if (tracker->active) {
        result = segments_close(&tracker->segments, &tracker->usage, slice_from(name ? name : "END_TRACE"));
        if (result == USAGE_OK) tracker->active = false;
    }
    pthread_mutex_unlock(&tracker->lock);
    return result == USAGE_OK ? TTMEM_OK : track_fail_no_memory();
}

ttmem_status ttmem_clear(ttmem_tracker *tracker) {
    if (!tracker) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    forget_locked(tracker);
    pthread_mutex_unlock(&tracker->lock);
    return TTMEM_OK;
}

int ttmem_is_active(ttmem_tracker *tracker) {
    if (!tracker) return 0;
    pthread_mutex_lock(&tracker->lock);
    bool active = tracker->active;
    pthread_mutex_unlock(&tracker->lock);
    return active;
}
