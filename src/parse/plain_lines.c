/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/plain_lines.h"

/* What a byte says about the line that it is in. */
enum {
    FIRST = 1, /* at the front, a prefix may begin with it */
    LAST = 2,  /* at the end, a heading may end with it */
    ANYWHERE = 4,
};

static const unsigned char says[256] = {
    ['\0'] = FIRST, ['['] = FIRST, ['('] = FIRST, ['\x1b'] = FIRST, ['0'] = FIRST,    ['1'] = FIRST,    ['2'] = FIRST,
    ['3'] = FIRST,  ['4'] = FIRST, ['5'] = FIRST, ['6'] = FIRST,    ['7'] = FIRST,    ['8'] = FIRST,    ['9'] = FIRST,
    [':'] = LAST,   ['-'] = LAST,  [' '] = LAST,  ['\t'] = LAST,    ['|'] = ANYWHERE, ['\r'] = ANYWHERE};

static unsigned char said(char c) { return says[(unsigned char)c]; }

bool plain_line(struct slice line) { return !line.len || !(said(line.ptr[0]) & FIRST || said(line.ptr[line.len - 1]) & LAST); }

#if defined(__x86_64__)
#include <immintrin.h>

enum { AT_ONCE = 32 };

/* Bit n: the n-th of 32 bytes is a line end, or says something. */
struct marks {
    uint32_t line_end, first, last, anywhere;
};

#define EQUAL(bytes, c) _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c))
#define EITHER(a, b) _mm256_or_si256(a, b)
#define BITS(bytes) (uint32_t) _mm256_movemask_epi8(bytes)
__attribute__((target("avx2"))) static inline struct marks marks_of(const char *p) {
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p), nine = _mm256_set1_epi8(9);
    __m256i digit = _mm256_sub_epi8(bytes, _mm256_set1_epi8('0'));
    digit = _mm256_cmpeq_epi8(_mm256_min_epu8(digit, nine), digit);
    __m256i bracket = EITHER(EQUAL(bytes, '['), EQUAL(bytes, '('));
    __m256i control = EITHER(EQUAL(bytes, '\0'), EQUAL(bytes, '\x1b'));
    __m256i mark = EITHER(EQUAL(bytes, ':'), EQUAL(bytes, '-'));
    __m256i blank = EITHER(EQUAL(bytes, ' '), EQUAL(bytes, '\t'));
    return (struct marks){.line_end = BITS(EQUAL(bytes, '\n')),
                          .first = BITS(EITHER(digit, EITHER(bracket, control))),
                          .last = BITS(EITHER(mark, blank)),
                          .anywhere = BITS(EITHER(EQUAL(bytes, '|'), EQUAL(bytes, '\r')))};
}

static inline uint32_t below(unsigned bit) { return bit < AT_ONCE ? (UINT32_C(1) << bit) - 1 : UINT32_MAX; }

/* As far as blocks of 32 bytes reach; what is left after them begins a line. */
__attribute__((target("avx2"))) static const char *whole_blocks(const char *p, const char *end, uint32_t *lines) {
    const char *start = p; /* of the line that a block begins in */
    uint32_t starts = 1, was_last = 0;
    for (; end - p >= AT_ONCE; p += AT_ONCE) {
        struct marks m = marks_of(p);
        uint32_t stops = (m.first & (m.line_end << 1 | starts)) | (m.line_end & (m.last << 1 | was_last)) | m.anywhere;
        uint32_t ends = stops ? m.line_end & below((unsigned)__builtin_ctz(stops)) : m.line_end;
        *lines += (uint32_t)__builtin_popcount(ends);
        if (ends) start = p + AT_ONCE - __builtin_clz(ends);
        if (stops) return start;
        starts = m.line_end >> (AT_ONCE - 1);
        was_last = m.last >> (AT_ONCE - 1);
    }
    return start;
}

static bool have_blocks(void) { return __builtin_cpu_supports("avx2"); }
#else
static bool have_blocks(void) { return false; }
#define whole_blocks line_by_line
#endif

static const char *line_by_line(const char *p, const char *end, uint32_t *lines) {
    for (const char *c = p; c < end && !(said(*c) & ANYWHERE); c++) {
        if (*c != '\n') continue;
        if (!plain_line(slice_between(p, c))) break;
        p = c + 1;
        ++*lines;
    }
    return p;
}

const char *plain_lines_end(const char *p, const char *end, uint32_t *lines) {
    return have_blocks() ? whole_blocks(p, end, lines) : line_by_line(p, end, lines);
}
