/* SPDX-License-Identifier: Apache-2.0 */
/* The most recent items by number, for a stream that refers back only a short way: two generations, of which the older is
 * dropped as a whole when the younger is full. Holds between RECENT_KEPT and twice as many items. A zeroed struct is empty. */
#ifndef TTMEM_ANALYSIS_RECENT_H
#define TTMEM_ANALYSIS_RECENT_H

#include "base/table/idmap.h"

enum { RECENT_KEPT = 16384 };

struct recent_generation {
    struct idmap index;
    char *items;
    size_t len, cap; /* in items */
};

struct recent {
    size_t item_size;
    struct recent_generation young, old;
};

/* Adds or replaces; returns the address of the copy, valid until the next call. NULL: out of memory. */
void *recent_put(struct recent *recent, uint64_t key, const void *item);

/* NULL: never there, or no longer. */
void *recent_find(const struct recent *recent, uint64_t key);

void recent_clear(struct recent *recent);
void recent_release(struct recent *recent);

#endif
