/* Columns of the circular-buffer texts. */
#ifndef TTMEM_RENDER_CB_TEXT_H
#define TTMEM_RENDER_CB_TEXT_H

#include "base/strbuf.h"
#include "base/utf8.h"

static inline void text_left(struct strbuf *out, struct slice text, size_t width) {
    size_t used = utf8_width(text);
    strbuf_add(out, text);
    strbuf_fill(out, ' ', used < width ? width - used : 1);
}

static inline void text_right(struct strbuf *out, struct slice text, size_t width) {
    size_t used = utf8_width(text);
    strbuf_fill(out, ' ', used < width ? width - used : 0);
    strbuf_add(out, text);
}

#endif
