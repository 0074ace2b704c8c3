/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of libttmem share: the tracker of include/ttmem/ttmem.h. Every function in track/ that takes a tracker from
 * outside locks it first; functions named *_locked expect that. */
#ifndef TTMEM_TRACK_TRACK_H
#define TTMEM_TRACK_TRACK_H

#include <pthread.h>

#include "device/simulate.h"
#include "ttmem/ttmem.h"
#include "usage/segments.h"

/* A device that NO_DISPATCH simulates. */
struct simulated_device {
    uint64_t id;
    struct sim sim;
};

struct ttmem_tracker {
    pthread_mutex_t lock;
    ttmem_tracker *next, **link; /* in the list of all of them */
    uint64_t serial;             /* names the tracker in the stacks of the threads */
    bool active;
    ttmem_mode mode;
    ttmem_rules rules;
    const struct chip *chip;
    unsigned interleaved_cores;
    struct usage usage;
    struct segments segments;
    uint64_t captures; /* texts read so far */

    struct simulated_device *simulated;
    size_t simulated_len, simulated_cap;
    ttmem_fit_result fit;

    /* names of functions, by tag; [0] is none */
    char **functions;
    size_t functions_len, functions_cap;
    size_t longest_function;
    struct idmap function_of; /* hash -> tag */
};

/* Keeps the message for ttmem_last_error and returns the status. */
ttmem_status track_fail(ttmem_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
ttmem_status track_fail_no_memory(void);
/* `function` is the one that was called with NULL. */
ttmem_status track_fail_null(const char *function);

/* Feeds one event into the sums and, in NO_DISPATCH, the simulated device; *address as for ttmem_buffer_allocate. */
ttmem_status feed_locked(ttmem_tracker *tracker, struct mem_event *event, uint64_t *address);

/* Tag of the innermost function on this thread. */
uint32_t current_function(const ttmem_tracker *tracker);
struct slice track_function_name(const void *context, uint32_t tag);
ttmem_status intern_function_locked(ttmem_tracker *tracker, struct slice name, uint32_t *tag);

/* All trackers, which a fork must find unlocked; false if out of memory. */
bool fork_list_add(ttmem_tracker *tracker);
void fork_list_remove(ttmem_tracker *tracker);

void simulation_release_locked(ttmem_tracker *tracker);

#endif
