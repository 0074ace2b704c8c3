/* SPDX-License-Identifier: Apache-2.0 */
/* A growable text. A zeroed struct strbuf is empty and ready for use. */
#ifndef TTMEM_BASE_STRBUF_H
#define TTMEM_BASE_STRBUF_H

#include <stdint.h>

#include "base/slice.h"

struct strbuf {
    char *data;
    size_t len;
    size_t cap;
};

void strbuf_grow(struct strbuf *sb, size_t more);

/* Makes room for `more` bytes and returns where they go; follow with strbuf_took. */
static inline char *strbuf_room(struct strbuf *sb, size_t more) {
    if (__builtin_expect(sb->cap - sb->len < more, 0)) strbuf_grow(sb, more);
    return sb->len ? sb->data + sb->len : sb->data; /* an empty buffer has no data */
}
static inline void strbuf_took(struct strbuf *sb, size_t n) { sb->len += n; }

static inline void strbuf_add(struct strbuf *sb, struct slice s) {
    if (!s.len) return;
    memcpy(strbuf_room(sb, s.len), s.ptr, s.len);
    sb->len += s.len;
}

static inline void strbuf_addc(struct strbuf *sb, char c) {
    *strbuf_room(sb, 1) = c;
    sb->len++;
}

void strbuf_addz(struct strbuf *sb, const char *text);
void strbuf_fill(struct strbuf *sb, char c, size_t n);
void strbuf_addu(struct strbuf *sb, uint64_t n);
void strbuf_addf(struct strbuf *sb, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_clear(struct strbuf *sb);
void strbuf_release(struct strbuf *sb);

static inline struct slice strbuf_slice(const struct strbuf *sb) { return slice_of(sb->data ? sb->data : "", sb->len); }

/* NUL-terminated; valid until the next change. */
const char *strbuf_text(struct strbuf *sb);

#endif
