/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table/bitset.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/mem.h"

enum { LEVELS = 5 };

/* Words of all levels in sequence: 2^24, 2^18, 2^12, 2^6, 1. */
static size_t level_words(int level) { return (size_t)BITSET_LIMIT >> (6 * (level + 1)); }

static size_t all_words(void) {
    size_t words = 0;
    for (int i = 0; i < LEVELS; i++) words += level_words(i);
    return words;
}

/* Mapped, not from the heap: untouched pages cost nothing, whatever the heap does to fresh memory. */
void bitset_init(struct bitset *set) {
    size_t bytes = all_words() * sizeof(uint64_t);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    set->mapped = memory != MAP_FAILED;
    uint64_t *words = set->mapped ? memory : mem_zalloc(all_words(), sizeof *words);
    for (int i = 0; i < LEVELS; i++) {
        set->levels[i] = words;
        words += level_words(i);
    }
}

void bitset_release(struct bitset *set) {
    if (set->mapped) munmap(set->levels[0], all_words() * sizeof(uint64_t));
    else free(set->levels[0]);
    *set = (struct bitset){0};
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
