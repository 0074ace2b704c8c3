/* Columns and grouped numbers for the circular-buffer texts. */
#ifndef TTMEM_RENDER_CB_TEXT_H
#define TTMEM_RENDER_CB_TEXT_H

#include "base/num.h"
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

static inline void text_grouped(struct strbuf *out, uint64_t n) {
    strbuf_took(out, num_write_grouped(strbuf_room(out, NUM_ROOM), n));
}

/* Thousandths with one decimal: 64500 -> "64.5". */
static inline void text_milli1(struct strbuf *out, int64_t milli) {
    int64_t tenths = (milli < 0 ? milli - 50 : milli + 50) / 100;
    strbuf_addf(out, "%s%lld.%lld", tenths < 0 ? "-" : "", (long long)(tenths < 0 ? -tenths : tenths) / 10,
                (long long)(tenths < 0 ? -tenths : tenths) % 10);
}

#endif
