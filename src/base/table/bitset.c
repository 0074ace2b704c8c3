#include "base/table/bitset.h"

#include <stdlib.h>

#include "base/mem.h"

enum { LEVELS = 5 };

void bitset_init(struct bitset *set) {
    for (int i = 0; i < LEVELS; i++)
        set->levels[i] = mem_zalloc(BITSET_LIMIT >> (6 * (i + 1)) ? BITSET_LIMIT >> (6 * (i + 1)) : 1, 8);
}

void bitset_release(struct bitset *set) {
    for (int i = 0; i < LEVELS; i++) {
        free(set->levels[i]);
        set->levels[i] = NULL;
    }
}

void bitset_add(struct bitset *set, uint32_t n) {
    for (int i = 0; i < LEVELS; i++, n >>= 6) {
        uint64_t *word = &set->levels[i][n >> 6], before = *word;
        *word |= (uint64_t)1 << (n & 63);
        if (before) return;
    }
}

void bitset_remove(struct bitset *set, uint32_t n) {
    for (int i = 0; i < LEVELS; i++, n >>= 6) {
        uint64_t *word = &set->levels[i][n >> 6];
        *word &= ~((uint64_t)1 << (n & 63));
        if (*word) return;
    }
}

static uint32_t highest(uint64_t word) { return 63 - (uint32_t)__builtin_clzll(word); }
static uint32_t lowest(uint64_t word) { return (uint32_t)__builtin_ctzll(word); }

uint32_t bitset_at_or_below(const struct bitset *set, uint32_t n) {
    for (int i = 0; i < LEVELS; i++) {
        uint64_t word = set->levels[i][n >> 6] & (UINT64_MAX >> (63 - (n & 63)));
        if (word) {
            n = (n & ~(uint32_t)63) | highest(word);
            while (i-- > 0) n = n << 6 | highest(set->levels[i][n]);
            return n;
        }
        if (n >> 6 == 0) return BITSET_NONE;
        n = (n >> 6) - 1;
    }
    return BITSET_NONE;
}

uint32_t bitset_at_or_above(const struct bitset *set, uint32_t n) {
    for (int i = 0; i < LEVELS; i++) {
        if (n >= BITSET_LIMIT >> (6 * i)) return BITSET_NONE;
        uint64_t word = set->levels[i][n >> 6] & (UINT64_MAX << (n & 63));
        if (word) {
            n = (n & ~(uint32_t)63) | lowest(word);
            while (i-- > 0) n = n << 6 | lowest(set->levels[i][n]);
            return n;
        }
        n = (n >> 6) + 1;
    }
    return BITSET_NONE;
}
