/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ahead.h"

#include <sys/mman.h>

/* A large page; see mem_grow. */
enum { STEP = 2 << 20 };

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14 */
#endif

void ahead_want(struct ahead *ahead, unsigned number, const void *items, size_t used, size_t size) {
    uintptr_t next = ((uintptr_t)items + used + STEP - 1) / STEP * STEP;
    if (size < 4u * STEP || next == ahead->known[number] || next + STEP > (uintptr_t)items + size) return;
    ahead->known[number] = next;
    atomic_store_explicit(&ahead->wanted[number], next, memory_order_relaxed);
}

void ahead_touch(struct ahead *ahead) {
    for (unsigned i = 0; i < AHEAD_ARRAYS; i++) {
        if (!atomic_load_explicit(&ahead->wanted[i], memory_order_relaxed)) continue;
        uintptr_t at = atomic_exchange_explicit(&ahead->wanted[i], 0, memory_order_relaxed);
        if (at) (void)madvise((void *)at, STEP, MADV_POPULATE_WRITE); /* a failure means that the page fault comes later */
    }
}
