/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator of one kind of device memory, simulated: address-ordered first fit over one range of addresses that all banks
 * share in lock-step. An allocation takes the low end of the lowest block that fits (bottom-up: DRAM, TRACE) or the high end of
 * the highest (top-down: L1, L1_SMALL); free blocks merge with their neighbours.
 *
 * Free blocks live in a treap ordered by address that knows the largest block below each node, so every call takes
 * logarithmic time. Owns its memory; never ends the process. Not thread-safe. */
#ifndef TTMEM_DEVICE_ALLOCATOR_H
#define TTMEM_DEVICE_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table/idmap.h"

struct free_block {
    uint64_t address, size;
    uint64_t largest; /* in this subtree */
    uint32_t left, right;
    uint32_t priority;
};

struct taken_block {
    uint64_t address, size;
    uint32_t next_unused;
};

struct allocator {
    uint64_t start, size; /* addresses [start, start + size) */
    uint64_t alignment;
    uint64_t allocated; /* bytes, sizes rounded up */
    uint64_t high_water;

    struct free_block *blocks; /* [0] is the empty tree */
    size_t blocks_len, blocks_cap;
    uint32_t root, unused;
    uint32_t random;

    struct taken_block *taken;
    size_t taken_len, taken_cap;
    uint32_t taken_unused;
    struct idmap by_address;
};

enum allocator_result { ALLOCATOR_OK, ALLOCATOR_FULL, ALLOCATOR_NO_MEMORY };

/* `alignment` is also the smallest allocation; 0 counts as 1. */
enum allocator_result allocator_init(struct allocator *a, uint64_t start, uint64_t size, uint64_t alignment);
void allocator_release(struct allocator *a);

enum allocator_result allocator_take(struct allocator *a, uint64_t size, bool bottom_up, uint64_t *address);

/* Allocates at a given address; ALLOCATOR_FULL if it is not free. */
enum allocator_result allocator_take_at(struct allocator *a, uint64_t address, uint64_t size);

/* False: nothing was allocated at that address. */
bool allocator_free(struct allocator *a, uint64_t address);

/* A size rounded to the alignment, as it would be reserved. */
uint64_t allocator_round(const struct allocator *a, uint64_t size);

struct allocator_stats {
    uint64_t total, allocated, free, largest_free;
};
struct allocator_stats allocator_stats(const struct allocator *a);

/* False: nothing is allocated. */
bool allocator_lowest(const struct allocator *a, uint64_t *address);

#endif
