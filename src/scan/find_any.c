/* SPDX-License-Identifier: Apache-2.0 */
#include "scan/find_any.h"

#include <assert.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { FINGERPRINT = FIND_ANY_FINGERPRINT };

static uint32_t load4(const char *p) {
    uint32_t four;
    memcpy(&four, p, sizeof four);
    return four;
}

static unsigned hash_of(uint32_t four) { return four * 0x9e3779b1u >> 19; }
_Static_assert(UINT32_MAX >> 19 == FIND_ANY_HASHES - 1, "every hash has a bit");

static unsigned bucket_of(const struct needle *needles, size_t n) {
    return needles[n].bucket ? needles[n].bucket - 1u : (unsigned)(n % FIND_ANY_BUCKETS);
}

static void add(struct finder *f, const struct needle *needle, unsigned bucket, size_t place) {
    const char *four = needle->text + needle->fingerprint;
    f->needle[place] = *needle;
    f->fingerprint[place] = load4(four);
    uint8_t *chain = &f->of_hash[hash_of(load4(four))];
    while (*chain) chain = &f->next[*chain - 1];
    *chain = (uint8_t)(place + 1);
    for (size_t k = 0; k < FINGERPRINT; k++) {
        f->low[k][four[k] & 15] |= (uint8_t)(1u << bucket);
        f->high[k][(uint8_t)four[k] >> 4] |= (uint8_t)(1u << bucket);
    }
}

void finder_init(struct finder *f, const struct needle *needles, size_t count) {
    assert(count <= FIND_ANY_MAX);
    memset(f, 0, sizeof *f);
    size_t place = 0;
    for (unsigned bucket = 0; bucket < FIND_ANY_BUCKETS; bucket++) {
        f->first[bucket] = (uint8_t)place;
        for (size_t n = 0; n < count; n++)
            if (bucket_of(needles, n) == bucket) add(f, &needles[n], bucket, place++);
    }
    f->first[FIND_ANY_BUCKETS] = (uint8_t)place;
}

/* Places in `sample` that would need a second look, by bucket, if a needle with this fingerprint were in it. */
static void count_looks(const struct finder *f, const char *four, struct slice sample, size_t looks[FIND_ANY_BUCKETS]) {
    memset(looks, 0, FIND_ANY_BUCKETS * sizeof *looks);
    for (size_t at = 0; at + FINGERPRINT <= sample.len; at++) {
        unsigned buckets = 0xff;
        for (size_t k = 0; buckets && k < FINGERPRINT; k++) {
            uint8_t there = (uint8_t)sample.ptr[at + k], own = (uint8_t)four[k];
            buckets &= (there & 15) == (own & 15) ? 0xffu : f->low[k][there & 15];
            buckets &= there >> 4 == own >> 4 ? 0xffu : f->high[k][there >> 4];
        }
        for (; buckets; buckets &= buckets - 1) looks[__builtin_ctz(buckets)]++;
    }
}

static unsigned needles_in(const struct finder *f, unsigned bucket) {
    return (unsigned)(f->first[bucket + 1] - f->first[bucket]);
}

void finder_place(const struct finder *f, struct slice sample, struct needle *needle, size_t *looks) {
    size_t by_bucket[FIND_ANY_BUCKETS];
    count_looks(f, needle->text + needle->fingerprint, sample, by_bucket);
    unsigned best = 0;
    for (unsigned bucket = 1; bucket < FIND_ANY_BUCKETS; bucket++)
        if (by_bucket[bucket] < by_bucket[best] ||
            (by_bucket[bucket] == by_bucket[best] && needles_in(f, bucket) < needles_in(f, best)))
            best = bucket;
    needle->bucket = (uint8_t)(best + 1);
    *looks = by_bucket[best];
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool inside_word(const struct needle *needle, struct slice text, size_t at) {
    return needle->begins_word && at >= 2 && is_letter(text.ptr[at - 1]) && is_letter(text.ptr[at - 2]);
}

/* Does the text continue as the needle's users expect? Bytes that may be part of a colour, a line break or a wide space do
 * not count. */
static bool goes_on(const struct needle *needle, struct slice text, size_t at) {
    if (!needle->then[0] && !needle->then[1]) return true;
    while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t')) at++;
    uint8_t c = at < text.len ? (uint8_t)text.ptr[at] : 0;
    return c <= ' ' || c >= 0x7f || c == '\\' || c == '^' || (needle->then[c / 64] >> c % 64 & 1);
}

/* A needle whose fingerprint is at `at`; `number` is the first of the chain of that fingerprint's hash. */
static bool any_stands_at(const struct finder *f, unsigned number, struct slice text, size_t from, size_t at, size_t *start) {
    uint32_t four = load4(text.ptr + at);
    for (; number; number = f->next[number - 1]) {
        const struct needle *needle = &f->needle[number - 1];
        if (f->fingerprint[number - 1] != four || at < from + needle->fingerprint) continue;
        *start = at - needle->fingerprint;
        if (needle->len <= text.len - *start && memcmp(text.ptr + *start, needle->text, needle->len) == 0 &&
            !inside_word(needle, text, *start) && goes_on(needle, text, *start + needle->len))
            return true;
    }
    return false;
}

static unsigned buckets_at(const struct finder *f, const char *p) {
    unsigned buckets = ~0u;
    for (size_t k = 0; k < FINGERPRINT; k++) buckets &= f->low[k][p[k] & 15] & f->high[k][(uint8_t)p[k] >> 4];
    return buckets;
}

static size_t find_slowly(const struct finder *f, struct slice text, size_t from, size_t at) {
    size_t start;
    for (; at + FINGERPRINT <= text.len; at++) {
        unsigned number = buckets_at(f, text.ptr + at) ? f->of_hash[hash_of(load4(text.ptr + at))] : 0;
        if (number && any_stands_at(f, number, text, from, at, &start)) return start;
    }
    return SLICE_NONE;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static inline __m256i both_lanes(const uint8_t table[16]) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)table));
}

__attribute__((target("avx2"))) static inline __m256i fits_at(const char *p, __m256i low, __m256i high) {
    const __m256i nibble = _mm256_set1_epi8(15);
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p);
    return _mm256_and_si256(_mm256_shuffle_epi8(low, _mm256_and_si256(bytes, nibble)),
                            _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble)));
}

__attribute__((target("avx2"))) static size_t find_fast(const struct finder *f, struct slice text, size_t from) {
    __m256i low0 = both_lanes(f->low[0]), high0 = both_lanes(f->high[0]);
    __m256i low1 = both_lanes(f->low[1]), high1 = both_lanes(f->high[1]);
    __m256i low2 = both_lanes(f->low[2]), high2 = both_lanes(f->high[2]);
    __m256i low3 = both_lanes(f->low[3]), high3 = both_lanes(f->high[3]);
    enum { AT_ONCE = 32, READ = AT_ONCE + FINGERPRINT - 1 }; /* places that are looked at together, and their bytes */
    if (text.len - from < READ) return find_slowly(f, text, from, from);
    for (size_t at = from, seen = 0; at + FINGERPRINT <= text.len; at += AT_ONCE, seen = 0) {
        if (at + READ > text.len) { /* the last places, with some that were seen */
            seen = at + READ - text.len;
            at -= seen;
        }
        const char *p = text.ptr + at;
        __m256i fits = _mm256_and_si256(_mm256_and_si256(fits_at(p, low0, high0), fits_at(p + 1, low1, high1)),
                                        _mm256_and_si256(fits_at(p + 2, low2, high2), fits_at(p + 3, low3, high3)));
        if (__builtin_expect(_mm256_testz_si256(fits, fits), 1)) continue;
        unsigned set = ~(unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(fits, _mm256_setzero_si256()));
        size_t start;
        for (set &= ~0u << seen; set; set &= set - 1) {
            unsigned lane = (unsigned)__builtin_ctz(set);
            unsigned number = f->of_hash[hash_of(load4(p + lane))];
            if (number && any_stands_at(f, number, text, from, at + lane, &start)) return start;
        }
    }
    return SLICE_NONE;
}
#endif

size_t find_any(const struct finder *f, struct slice text, size_t from) {
    if (from >= text.len) return SLICE_NONE;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return find_fast(f, text, from);
#endif
    return find_slowly(f, text, from, from);
}
