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

/* Makes room for `more` bytes and returns where they go; follow with strbuf_took. */
char *strbuf_room(struct strbuf *sb, size_t more);
static inline void strbuf_took(struct strbuf *sb, size_t n) { sb->len += n; }

void strbuf_add(struct strbuf *sb, struct slice s);
void strbuf_addz(struct strbuf *sb, const char *text);
void strbuf_addc(struct strbuf *sb, char c);
void strbuf_fill(struct strbuf *sb, char c, size_t n);
void strbuf_addu(struct strbuf *sb, uint64_t n);
void strbuf_addf(struct strbuf *sb, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_clear(struct strbuf *sb);
void strbuf_release(struct strbuf *sb);

static inline struct slice strbuf_slice(const struct strbuf *sb) { return slice_of(sb->data ? sb->data : "", sb->len); }

/* NUL-terminated; valid until the next change. */
const char *strbuf_text(struct strbuf *sb);

#endif
