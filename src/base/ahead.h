/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that one thread is about to write, made present by others. An array of many megabytes gets its memory from the system
 * page by page when it is first written; that takes longer than filling it, so where one thread fills arrays in order, the
 * threads that work for it touch the next pages. Only a hint: nothing is written, and the memory may be moved or freed
 * meanwhile. Zeroed: nothing is wanted. */
#ifndef TTMEM_BASE_AHEAD_H
#define TTMEM_BASE_AHEAD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { AHEAD_ARRAYS = 4 };

struct ahead {
    uintptr_t known[AHEAD_ARRAYS];           /* up to here it was wanted; of the thread that fills */
    _Atomic(uintptr_t) wanted[AHEAD_ARRAYS]; /* the next pages, 0: none */
};

/* The thread that fills: the array `number` is filled up to `used` bytes and has room for `size`. */
void ahead_want(struct ahead *ahead, unsigned number, const void *items, size_t used, size_t size);

#define AHEAD_WANT(ahead, number, vec) \
    ahead_want((ahead), (number), (vec).items, (vec).len * sizeof *(vec).items, (vec).cap * sizeof *(vec).items)

/* Any thread: touches what is wanted. */
void ahead_touch(struct ahead *ahead);

#endif
