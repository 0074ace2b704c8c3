/* SPDX-License-Identifier: Apache-2.0 */
/* A view of bytes with another owner. Not NUL-terminated; may contain any byte. */
#ifndef TTMEM_BASE_SLICE_H
#define TTMEM_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
    const char *ptr;
    size_t len;
};

#define SLICE(literal) ((struct slice){("" literal), sizeof(literal) - 1})
#define SLICE_FMT(s) (int)(s).len, (s).ptr

static inline struct slice slice_of(const char *ptr, size_t len) { return (struct slice){ptr, len}; }

static inline struct slice slice_from(const char *text) { return (struct slice){text, strlen(text)}; }

static inline struct slice slice_between(const char *begin, const char *end) {
    return (struct slice){begin, (size_t)(end - begin)};
}

static inline bool slice_equal(struct slice a, struct slice b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* The order of names that people expect: rank2 before rank10. Negative, 0 or positive. */
int slice_natural(struct slice a, struct slice b);

static inline bool slice_starts(struct slice s, struct slice prefix) {
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

static inline bool slice_ends(struct slice s, struct slice suffix) {
    return s.len >= suffix.len && (suffix.len == 0 || memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

static inline struct slice slice_skip(struct slice s, size_t n) {
    return n < s.len ? (struct slice){s.ptr + n, s.len - n} : (struct slice){s.ptr + s.len, 0};
}

static inline struct slice slice_take(struct slice s, size_t n) { return (struct slice){s.ptr, n < s.len ? n : s.len}; }

/* Removes spaces and tabs at both ends. */
struct slice slice_trim(struct slice s);

/* Position of the first `needle`, or (size_t)-1. */
size_t slice_find(struct slice s, struct slice needle);

/* Position of the first byte `c`, or (size_t)-1. */
size_t slice_find_byte(struct slice s, char c);

#define SLICE_NONE ((size_t)-1)

#endif
