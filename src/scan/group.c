/* SPDX-License-Identifier: Apache-2.0 */
#include "scan/group.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

const unsigned char group_classes[256] = {
    ['('] = GROUP_OPEN,  ['['] = GROUP_OPEN,  ['{'] = GROUP_OPEN,  ['<'] = GROUP_OPEN,  [')'] = GROUP_CLOSE,
    [']'] = GROUP_CLOSE, ['}'] = GROUP_CLOSE, ['>'] = GROUP_CLOSE, ['"'] = GROUP_QUOTE,
};

/* After the closing quote of the string that starts at `p`, or NULL. */
static const char *skip_string(const char *p, const char *end) {
    p++;
    const char *quote = p < end ? memchr(p, '"', (size_t)(end - p)) : NULL;
    if (!quote) return NULL;
    const char *escape = memchr(p, '\\', (size_t)(quote - p));
    if (!escape) return quote + 1;
    for (p = escape; p < end; p++) {
        if (*p == '\\') p++;
        else if (*p == '"') return p + 1;
    }
    return NULL;
}

/* State of a walk: `p` inside `depth` brackets. True: the group ended before `p`, or never ends if that is NULL. */
struct group_walk {
    const char *p;
    size_t depth;
};

static inline bool step(struct group_walk *walk, const char *at, const char *end) {
    switch (group_class_at(at)) {
        case GROUP_PLAIN:
            break;
        case GROUP_OPEN:
            walk->depth++;
            break;
        case GROUP_CLOSE:
            if (*at == '>' && at[-1] == '-') break;
            if (--walk->depth) break;
            walk->p = at + 1;
            return true;
        case GROUP_QUOTE:
            walk->p = skip_string(at, end);
            return !walk->p;
    }
    return false;
}

static bool walk_plain(struct group_walk *walk, const char *end) {
    while (walk->p < end) {
        const char *at = walk->p++;
        if (step(walk, at, end)) return true;
    }
    return false;
}

#if defined(__x86_64__)
#include <immintrin.h>

/* A byte counts where the bits of its two halves meet: 2 for " ( ), 3 for < >, 5 and 7 for the brackets and braces. */
static const uint8_t low_half[32] = {[2] = 1,  [8] = 1,  [9] = 1,  [0xc] = 2, [0xe] = 2, [0xb] = 4, [0xd] = 4,
                                     [18] = 1, [24] = 1, [25] = 1, [28] = 2,  [30] = 2,  [27] = 4,  [29] = 4};
static const uint8_t high_half[32] = {[2] = 1, [3] = 2, [5] = 4, [7] = 4, [18] = 1, [19] = 2, [21] = 4, [23] = 4};

__attribute__((target("avx2"))) static bool walk_avx2(struct group_walk *walk, const char *end) {
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)low_half);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)high_half);
    const __m256i nibble = _mm256_set1_epi8(0xf), zero = _mm256_setzero_si256();
    while (end - walk->p >= 32) {
        const char *from = walk->p;
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)from);
        __m256i lower = _mm256_shuffle_epi8(low, bytes); /* 0 for bytes of 128 and above */
        __m256i upper = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble));
        __m256i none = _mm256_cmpeq_epi8(_mm256_and_si256(lower, upper), zero);
        walk->p = from + 32;
        for (uint32_t mask = ~(uint32_t)_mm256_movemask_epi8(none); mask; mask &= mask - 1) {
            const char *at = from + __builtin_ctz(mask);
            if (step(walk, at, end)) return true;
            if (*at == '"') break; /* continues after the string */
        }
    }
    return walk_plain(walk, end);
}

static bool walk_on(struct group_walk *walk, const char *end) {
    return __builtin_cpu_supports("avx2") ? walk_avx2(walk, end) : walk_plain(walk, end);
}
#else
static bool walk_on(struct group_walk *walk, const char *end) { return walk_plain(walk, end); }
#endif

const char *group_skip(const char *p, const char *end) {
    if (*p == '"') return skip_string(p, end);
    struct group_walk walk = {.p = p};
    return walk_on(&walk, end) ? walk.p : NULL;
}
