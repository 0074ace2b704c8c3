/* SPDX-License-Identifier: Apache-2.0 */
/* A set of numbers below 2^30 that knows the nearest member below and above a number: five levels of 64-bit words. Costs
 * memory only where there are members (a page of the lowest level covers 32768 numbers). */
#ifndef TTMEM_BASE_BITSET_H
#define TTMEM_BASE_BITSET_H

#include <stdbool.h>
#include <stdint.h>

#define BITSET_LIMIT ((uint32_t)1 << 30)
#define BITSET_NONE UINT32_MAX

struct bitset {
    uint64_t *levels[5];
    bool mapped;
};

void bitset_init(struct bitset *set);
void bitset_release(struct bitset *set);

void bitset_add(struct bitset *set, uint32_t n);
void bitset_remove(struct bitset *set, uint32_t n);

/* The largest member <= n, the smallest >= n; BITSET_NONE. */
uint32_t bitset_at_or_below(const struct bitset *set, uint32_t n);
uint32_t bitset_at_or_above(const struct bitset *set, uint32_t n);

#endif
