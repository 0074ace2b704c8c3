/* SPDX-License-Identifier: Apache-2.0 */
/* Matches the items of two sequences in which items were inserted, removed or renamed. Keys come in levels, from strict to
 * lenient: items that a stricter level leaves between two matches are tried with the next one. Matches never cross.
 *
 * Myers' greedy algorithm if the sequences differ by at most ALIGN_EDITS items; if they differ by more, the nth item of a
 * key in one is matched with the nth of that key in the other, and the longest run of matches that do not cross splits the
 * rest. Time is nearly linear either way. */
#ifndef TTMEM_ANALYSIS_ALIGN_H
#define TTMEM_ANALYSIS_ALIGN_H

#include <stddef.h>
#include <stdint.h>

enum { ALIGN_EDITS = 3000 };

struct align_side {
    const uint64_t *const *keys; /* [level][item] */
    size_t len;
};

/* match[i] becomes the item of `b` that matches item i of `a`; UINT32_MAX: none. Returns the number of matches. */
size_t align_sides(const struct align_side *a, const struct align_side *b, size_t levels, uint32_t *match);

#endif
