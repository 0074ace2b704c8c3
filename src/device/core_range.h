/* SPDX-License-Identifier: Apache-2.0 */
/* Rectangles of cores, and the text tt-metal prints for them. */
#ifndef TTMEM_DEVICE_CORE_RANGE_H
#define TTMEM_DEVICE_CORE_RANGE_H

#include <stdint.h>

#include "base/slice.h"

struct core_range {
    uint16_t x0, y0, x1, y1; /* both corners belong to it; x0 <= x1, y0 <= y1 */
};

/* A growable set, owned by the holder of the struct; zeroed is empty. */
struct core_ranges {
    struct core_range *items;
    size_t len;
    size_t cap;
};

static inline bool core_range_equal(struct core_range a, struct core_range b) {
    return a.x0 == b.x0 && a.y0 == b.y0 && a.x1 == b.x1 && a.y1 == b.y1;
}

static inline bool core_range_meets(struct core_range a, struct core_range b) {
    return a.x0 <= b.x1 && b.x0 <= a.x1 && a.y0 <= b.y1 && b.y0 <= a.y1;
}

enum core_text { CORE_TEXT_OK, CORE_TEXT_WRONG, CORE_TEXT_NO_MEMORY };

/* "{[(x=0,y=0) - (x=7,y=7)], [0-0 - 3-4]}" -> two ranges, replacing what `out` held; "{}" gives none. Both spellings of a
 * coordinate are read; corners in the wrong order are swapped. */
enum core_text core_ranges_parse(struct core_ranges *out, struct slice text);

void core_ranges_release(struct core_ranges *ranges);

/* Number of cores; a core counts once per range it is in. */
uint64_t core_ranges_count(const struct core_range *ranges, size_t len);

#endif
