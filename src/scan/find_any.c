/* SPDX-License-Identifier: Apache-2.0 */
#include "scan/find_any.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { FINGERPRINT = FIND_ANY_FINGERPRINT, BUCKETS = 8 };

static unsigned bucket_bit(const struct needle *needles, size_t n) {
    return 1u << (needles[n].bucket ? needles[n].bucket - 1u : n % BUCKETS);
}

/* Bit b of low[k][nibble] and high[k][nibble]: the k-th fingerprint byte of a needle of bucket b may have that nibble. */
struct nibbles {
    uint8_t low[FINGERPRINT][16];
    uint8_t high[FINGERPRINT][16];
};

static bool stands_at(const struct needle *needle, struct slice text, size_t from, size_t fingerprint_at, size_t *start) {
    if (fingerprint_at < needle->fingerprint) return false;
    *start = fingerprint_at - needle->fingerprint;
    return *start >= from && *start + needle->len <= text.len && memcmp(text.ptr + *start, needle->text, needle->len) == 0;
}

/* A needle of one of the buckets whose fingerprint stands at `at`. */
static bool any_stands_at(const struct needle *needles, size_t count, unsigned buckets, struct slice text, size_t from,
                          size_t at, size_t *start) {
    for (size_t n = 0; n < count; n++)
        if ((buckets & bucket_bit(needles, n)) && stands_at(&needles[n], text, from, at, start)) return true;
    return false;
}

static size_t find_slowly(const struct needle *needles, size_t count, struct slice text, size_t from, size_t at) {
    uint8_t first[256] = {0};
    for (size_t n = 0; n < count; n++)
        first[(uint8_t)needles[n].text[needles[n].fingerprint]] |= (uint8_t)bucket_bit(needles, n);
    size_t start;
    for (; at + FINGERPRINT <= text.len; at++) {
        unsigned buckets = first[(uint8_t)text.ptr[at]];
        if (buckets && any_stands_at(needles, count, buckets, text, from, at, &start)) return start;
    }
    return SLICE_NONE;
}

#if defined(__x86_64__)
static void fill_nibbles(struct nibbles *t, const struct needle *needles, size_t count) {
    memset(t, 0, sizeof *t);
    for (size_t n = 0; n < count; n++) {
        for (size_t k = 0; k < FINGERPRINT; k++) {
            uint8_t byte = (uint8_t)needles[n].text[needles[n].fingerprint + k];
            t->low[k][byte & 15] |= (uint8_t)bucket_bit(needles, n);
            t->high[k][byte >> 4] |= (uint8_t)bucket_bit(needles, n);
        }
    }
}

__attribute__((target("avx2"))) static inline __m256i both_lanes(const uint8_t table[16]) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)table));
}

__attribute__((target("avx2"))) static inline __m256i fits_at(const char *p, __m256i low, __m256i high) {
    const __m256i nibble = _mm256_set1_epi8(15);
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p);
    return _mm256_and_si256(_mm256_shuffle_epi8(low, _mm256_and_si256(bytes, nibble)),
                            _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble)));
}

__attribute__((target("avx2"))) static size_t find_fast(const struct needle *needles, size_t count, struct slice text,
                                                        size_t from) {
    struct nibbles t;
    fill_nibbles(&t, needles, count);
    __m256i low0 = both_lanes(t.low[0]), high0 = both_lanes(t.high[0]);
    __m256i low1 = both_lanes(t.low[1]), high1 = both_lanes(t.high[1]);
    __m256i low2 = both_lanes(t.low[2]), high2 = both_lanes(t.high[2]);
    __m256i low3 = both_lanes(t.low[3]), high3 = both_lanes(t.high[3]);
    size_t at = from;
    for (; at + 32 + FINGERPRINT <= text.len; at += 32) {
        const char *p = text.ptr + at;
        __m256i fits = _mm256_and_si256(_mm256_and_si256(fits_at(p, low0, high0), fits_at(p + 1, low1, high1)),
                                        _mm256_and_si256(fits_at(p + 2, low2, high2), fits_at(p + 3, low3, high3)));
        if (__builtin_expect(_mm256_testz_si256(fits, fits), 1)) continue;
        uint8_t lanes[32];
        _mm256_storeu_si256((__m256i *)(void *)lanes, fits);
        size_t start;
        for (size_t lane = 0; lane < 32; lane++)
            if (lanes[lane] && any_stands_at(needles, count, lanes[lane], text, from, at + lane, &start)) return start;
    }
    return find_slowly(needles, count, text, from, at);
}
#endif

size_t find_any(const struct needle *needles, size_t count, struct slice text, size_t from) {
    if (from >= text.len || count > FIND_ANY_MAX) return SLICE_NONE;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return find_fast(needles, count, text, from);
#endif
    return find_slowly(needles, count, text, from, from);
}
