/* SPDX-License-Identifier: Apache-2.0 */
/* Where the circular buffers of one program are in L1: upwards from the unreserved base, per core range, as tt-metal places
 * them. One end address is kept for every distinct range of cores. A buffer starts after the ends of the ranges equal to one
 * of its own, aligned; it then moves the ends of all ranges that it overlaps, except a different range that already reaches
 * higher. Dataflow buffers have their own layout from the same base by the same rule.
 *
 * Owns its memory; never ends the process. Not thread-safe. */
#ifndef TTMEM_DEVICE_PROGRAM_LAYOUT_H
#define TTMEM_DEVICE_PROGRAM_LAYOUT_H

#include <stdint.h>

#include "device/core_range.h"

struct layout_column {
    struct core_range range;
    uint64_t end;
};

struct layout_piece {
    struct core_range range;
    uint64_t address, size;
};

struct program_layout {
    uint64_t base;
    uint64_t alignment;
    struct layout_column *columns;
    size_t columns_len, columns_cap;
    struct layout_piece *pieces; /* all placed so far: a range seen later needs to know what is below it */
    size_t pieces_len, pieces_cap;
    uint64_t highest_end;
    struct core_range highest_range;
};

void program_layout_init(struct program_layout *layout, uint64_t base, uint64_t alignment);
void program_layout_release(struct program_layout *layout);

/* Empties it for the next program, keeps the memory. */
void program_layout_clear(struct program_layout *layout);

/* Where a buffer on these ranges would start; the base if memory runs out. */
uint64_t program_layout_end(struct program_layout *layout, const struct core_range *ranges, size_t len);

/* At or above `least`. False: out of memory, or more ranges than a program can have; *address is then 0. No ranges: nothing
 * is placed. */
bool program_layout_place(struct program_layout *layout, const struct core_range *ranges, size_t len, uint64_t size,
                          uint64_t least, uint64_t *address);

#endif
