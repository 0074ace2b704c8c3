/* SPDX-License-Identifier: Apache-2.0 */
/* What is running on each thread, so that a peak can name it. Names are stored once and known by tag. */
#include <stdlib.h>
#include <string.h>

#include "base/table/hash.h"
#include "base/try.h"
#include "track/track.h"

enum { STACK_DEPTH = 128, FUNCTIONS_MAX = 65536, NAME_MAX_BYTES = 1024 };

struct running {
    uint64_t tracker;
    uint32_t tag;
};

static _Thread_local struct {
    struct running items[STACK_DEPTH];
    size_t len;
    size_t beyond; /* calls deeper than the stack */
} stack;

uint32_t current_function(const ttmem_tracker *tracker) {
    for (size_t i = stack.len; i; i--)
        if (stack.items[i - 1].tracker == tracker->serial) return stack.items[i - 1].tag;
    return 0;
}

struct slice track_function_name(const void *context, uint32_t tag) {
    const ttmem_tracker *tracker = context;
    return tag < tracker->functions_len && tracker->functions[tag] ? slice_from(tracker->functions[tag]) : slice_of("", 0);
}

ttmem_status intern_function_locked(ttmem_tracker *tracker, struct slice name, uint32_t *tag) {
    *tag = 0;
    name = slice_take(name, NAME_MAX_BYTES);
    uint64_t hash = hash_bytes64(name);
    const uint32_t *known = idmap_find(&tracker->function_of, hash);
    if (known) {
        *tag = *known;
        return TTMEM_OK;
    }
    size_t len = tracker->functions_len ? tracker->functions_len : 1;
    if (len >= FUNCTIONS_MAX) return TTMEM_OK;
    if (tracker->functions_cap < len + 1 &&
        !try_reserve_in((void **)&tracker->functions, &tracker->functions_cap, len + 1, sizeof *tracker->functions))
        return TTMEM_NO_MEMORY;
    char *copy = malloc(name.len + 1);
    if (!copy) return TTMEM_NO_MEMORY;
    memcpy(copy, name.ptr, name.len);
    copy[name.len] = '\0';
    tracker->functions[0] = NULL;
    if (!idmap_set(&tracker->function_of, hash, (uint32_t)len)) {
        free(copy);
        return TTMEM_NO_MEMORY;
    }
    tracker->functions[len] = copy;
    tracker->functions_len = len + 1;
    if (name.len > tracker->longest_function) tracker->longest_function = name.len;
    *tag = (uint32_t)len;
    return TTMEM_OK;
}

ttmem_status ttmem_function_start(ttmem_tracker *tracker, const char *name) {
    if (!tracker || !name) return track_fail_null(__func__);
    pthread_mutex_lock(&tracker->lock);
    uint32_t tag = 0;
    ttmem_status status = tracker->active ? intern_function_locked(tracker, slice_from(name), &tag) : TTMEM_NOT_ACTIVE;
    uint64_t serial = tracker->serial;
    pthread_mutex_unlock(&tracker->lock);
    /* The call is kept in any case, because its end will come. */
    if (stack.len < STACK_DEPTH) stack.items[stack.len++] = (struct running){serial, tag};
    else stack.beyond++;
    if (status == TTMEM_NO_MEMORY) return track_fail_no_memory();
    if (status == TTMEM_NOT_ACTIVE) return track_fail(status, "MemoryUsageTracker: Capture is not active");
    return TTMEM_OK;
}

ttmem_status ttmem_function_end(ttmem_tracker *tracker) {
    if (!tracker) return track_fail_null(__func__);
    if (stack.beyond) {
        stack.beyond--;
        return TTMEM_OK;
    }
    for (size_t i = stack.len; i; i--) {
        if (stack.items[i - 1].tracker != tracker->serial) continue;
        memmove(&stack.items[i - 1], &stack.items[i], (stack.len - i) * sizeof *stack.items);
        stack.len--;
        return TTMEM_OK;
    }
    return track_fail(TTMEM_BAD_ARGUMENT, "MemoryUsageTracker: no function to end");
}
