/* SPDX-License-Identifier: Apache-2.0 */
/* Work that is split into numbered jobs, done by several threads, and taken in order: the result does not depend on the number
 * of threads. */
#ifndef TTMEM_BASE_ORDERED_H
#define TTMEM_BASE_ORDERED_H

#include <stddef.h>

struct ordered_work {
    void *context;
    /* Does job `number`. Runs on any thread; `thread` is 0..threads-1 and never runs two calls at once. */
    void *(*make)(void *context, unsigned thread, size_t number);
    /* Takes the results in order, one call at a time, on any thread. Owns the result. */
    void (*take)(void *context, size_t number, void *result);
};

void ordered_run(const struct ordered_work *work, size_t count, unsigned threads);

/* Cores that may be used; TTMEM_THREADS overrides. */
unsigned ordered_threads(void);

#endif
