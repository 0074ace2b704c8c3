/* SPDX-License-Identifier: Apache-2.0 */
#include "scan/count.h"

#if defined(__SSE2__)
#include <emmintrin.h>

/* 255 rounds fit into the byte counters of a lane. */
static size_t count_lanes(const char *p, size_t rounds, char c) {
    const __m128i wanted = _mm_set1_epi8(c);
    __m128i counts = _mm_setzero_si128();
    for (size_t i = 0; i < rounds; i++)
        counts = _mm_sub_epi8(counts, _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)), wanted));
    __m128i sums = _mm_sad_epu8(counts, _mm_setzero_si128());
    return (size_t)_mm_cvtsi128_si64(sums) + (size_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums));
}
#endif

size_t count_byte(struct slice s, char c) {
    size_t count = 0, i = 0;
#if defined(__SSE2__)
    for (; s.len - i >= 16;) {
        size_t rounds = (s.len - i) / 16 < 255 ? (s.len - i) / 16 : 255;
        count += count_lanes(s.ptr + i, rounds, c);
        i += rounds * 16;
    }
#endif
    for (; i < s.len; i++) count += s.ptr[i] == c;
    return count;
}
