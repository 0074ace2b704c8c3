/* SPDX-License-Identifier: Apache-2.0 */
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"

void strbuf_grow(struct strbuf *sb, size_t more) { sb->data = mem_grow(sb->data, &sb->cap, sb->len + more, 1); }

void strbuf_addz(struct strbuf *sb, const char *text) { strbuf_add(sb, slice_from(text)); }

void strbuf_fill(struct strbuf *sb, char c, size_t n) {
    if (!n) return;
    memset(strbuf_room(sb, n), c, n);
    sb->len += n;
}

void strbuf_addu(struct strbuf *sb, uint64_t n) { sb->len += num_write_u64(strbuf_room(sb, NUM_ROOM), n); }

void strbuf_addf(struct strbuf *sb, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n > 0) {
        vsnprintf(strbuf_room(sb, (size_t)n + 1), (size_t)n + 1, format, again);
        sb->len += (size_t)n;
    }
    va_end(again);
}

void strbuf_clear(struct strbuf *sb) { sb->len = 0; }

void strbuf_release(struct strbuf *sb) {
    free(sb->data);
    *sb = (struct strbuf){0};
}

const char *strbuf_text(struct strbuf *sb) {
    *strbuf_room(sb, 1) = '\0';
    return sb->data;
}
