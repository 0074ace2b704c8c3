/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of the circular-buffer texts. */
#ifndef TTMEM_RENDER_CB_TEXT_H
#define TTMEM_RENDER_CB_TEXT_H

#include <stdbool.h>

#include "base/amounts.h"
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

/* N, N to M, at least N (`bounded` is false), or ? if nothing is known. */
static inline void text_bounds(struct strbuf *out, uint64_t least, uint64_t most, bool bounded) {
    if (!bounded && !least) {
        strbuf_addc(out, '?');
        return;
    }
    if (!bounded) strbuf_addz(out, "at least ");
    add_grouped(out, least);
    if (!bounded || least == most) return;
    strbuf_addz(out, " to ");
    add_grouped(out, most);
}

#endif
