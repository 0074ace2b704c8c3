/* SPDX-License-Identifier: Apache-2.0 */
#include "scan/find.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2"))) static inline const char *either_avx2(const char *p, const char *end, char one, char other) {
    const __m256i ones = _mm256_set1_epi8(one), others = _mm256_set1_epi8(other);
    for (; end - p >= 64; p += 64) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
        __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
        __m256i hit_a = _mm256_or_si256(_mm256_cmpeq_epi8(a, ones), _mm256_cmpeq_epi8(a, others));
        __m256i hit_b = _mm256_or_si256(_mm256_cmpeq_epi8(b, ones), _mm256_cmpeq_epi8(b, others));
        if (_mm256_testz_si256(_mm256_or_si256(hit_a, hit_b), _mm256_or_si256(hit_a, hit_b))) continue;
        uint64_t mask = (uint32_t)_mm256_movemask_epi8(hit_a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(hit_b) << 32;
        return p + __builtin_ctzll(mask);
    }
    while (p < end && *p != one && *p != other) p++;
    return p;
}

__attribute__((target("avx2"))) static const char *find_eol_avx2(const char *p, const char *end) {
    return either_avx2(p, end, '\n', '\r');
}

__attribute__((target("avx2"))) static const char *find_either_avx2(const char *p, const char *end, char one, char other) {
    return either_avx2(p, end, one, other);
}

__attribute__((target("avx2"))) static const char *find_brace_or_control_avx2(const char *p, const char *end) {
    enum { AT_ONCE = 32 };
    const __m256i brace = _mm256_set1_epi8('}'), last_control = _mm256_set1_epi8(0x1f);
    if (end - p < AT_ONCE) {
        while (p < end && *p != '}' && (unsigned char)*p > 0x1f) p++;
        return p;
    }
    for (;; p = end - p < 2 * AT_ONCE ? end - AT_ONCE : p + AT_ONCE) { /* the last ones with some that were seen */
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p);
        __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, last_control), bytes);
        uint32_t mask = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(control, _mm256_cmpeq_epi8(bytes, brace)));
        if (mask) return p + __builtin_ctz(mask);
        if (end - p == AT_ONCE) return end;
    }
}

/* Compares the first and the last byte of the needle at 32 places at a time, the middle only if both agree. */
__attribute__((target("avx2"))) static const char *find_bytes_avx2(const char *hay, size_t n, const char *needle, size_t m) {
    if (n < m) return NULL;
    const char *last_start = hay + (n - m);
    const __m256i first = _mm256_set1_epi8(needle[0]), last = _mm256_set1_epi8(needle[m - 1]);
    const char *p = hay;
    for (; last_start - p >= 31; p += 32) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
        __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + m - 1));
        uint32_t mask =
            (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(_mm256_cmpeq_epi8(a, first), _mm256_cmpeq_epi8(b, last)));
        for (; mask; mask &= mask - 1) {
            const char *hit = p + __builtin_ctz(mask);
            if (memcmp(hit, needle, m) == 0) return hit;
        }
    }
    for (; p <= last_start; p++)
        if (*p == needle[0] && memcmp(p, needle, m) == 0) return p;
    return NULL;
}

static int have_avx2(void) { return __builtin_cpu_supports("avx2"); }
#else
static int have_avx2(void) { return 0; }
#define find_eol_avx2 find_eol_plain
#define find_either_avx2 find_either_plain
#define find_brace_or_control_avx2 find_brace_or_control_plain
#define find_bytes_avx2 find_bytes_plain
#endif

static const char *find_eol_plain(const char *p, const char *end) {
    const char *lf = memchr(p, '\n', (size_t)(end - p));
    if (!lf) lf = end;
    const char *cr = memchr(p, '\r', (size_t)(lf - p));
    return cr ? cr : lf;
}

static const char *find_either_plain(const char *p, const char *end, char one, char other) {
    while (p < end && *p != one && *p != other) p++;
    return p;
}

static const char *find_brace_or_control_plain(const char *p, const char *end) {
    while (p < end && *p != '}' && (unsigned char)*p > 0x1f) p++;
    return p;
}

static const char *find_bytes_plain(const char *hay, size_t n, const char *needle, size_t m) {
    return n ? memmem(hay, n, needle, m) : NULL;
}

const char *find_eol(const char *p, const char *end) { return have_avx2() ? find_eol_avx2(p, end) : find_eol_plain(p, end); }

const char *find_either(const char *p, const char *end, char one, char other) {
    return have_avx2() ? find_either_avx2(p, end, one, other) : find_either_plain(p, end, one, other);
}

const char *find_brace_or_control(const char *p, const char *end) {
    return have_avx2() ? find_brace_or_control_avx2(p, end) : find_brace_or_control_plain(p, end);
}

const char *find_bytes(const char *hay, size_t n, const char *needle, size_t m) {
    return have_avx2() ? find_bytes_avx2(hay, n, needle, m) : find_bytes_plain(hay, n, needle, m);
}
