/* SPDX-License-Identifier: Apache-2.0 */
/* A few names that repeat all the time, each kept once by the worker that meets them. Who is handed a kept name reads
 * bytes that are in its cache; those of the line are in another core's by then, if at all. */
#ifndef TTMEM_BASE_KEPT_NAMES_H
#define TTMEM_BASE_KEPT_NAMES_H

#include "base/arena.h"
#include "base/slice.h"

enum { KEPT_NAMES = 128 };

struct kept_names {
    struct slice rows[KEPT_NAMES];
};

/* The same text, which lives as long as `arena` if its place was free or it is there already; else as it came. */
static inline struct slice kept_names_get(struct kept_names *names, struct arena *arena, struct slice text) {
    if (!text.len) return text;
    size_t middle = text.len / 2;
    unsigned char first = (unsigned char)text.ptr[0], inside = (unsigned char)text.ptr[middle];
    struct slice *row = &names->rows[(text.len * 29 + first * 5u + inside) % KEPT_NAMES];
    if (!row->len) *row = arena_copy(arena, text);
    return slice_equal(*row, text) ? *row : text;
}

#endif
