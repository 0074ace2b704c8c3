/* SPDX-License-Identifier: Apache-2.0 */
/* What the terminal behind a stream can show, and how text is laid out for it. */
#ifndef TTMEM_BASE_TERM_H
#define TTMEM_BASE_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct term {
    bool is_tty;
    bool color;
    bool utf8;
    unsigned columns; /* 0: no limit (not a terminal) */
};

/* `color` needs a terminal and no NO_COLOR; CLICOLOR_FORCE forces it. */
struct term term_of(int fd, bool no_color);

enum tone { TONE_PLAIN, TONE_DIM, TONE_BOLD, TONE_GOOD, TONE_WARN, TONE_BAD };

/* Starts or, with TONE_PLAIN, ends a tone; nothing if colour is off. */
void term_tone(struct strbuf *out, const struct term *term, enum tone tone);

/* A bar of `width` cells filled to part/whole, eighth blocks or ASCII. */
void term_bar(struct strbuf *out, const struct term *term, int64_t part, int64_t whole, unsigned width);

/* Log text made safe, cut to `width` columns (0 = no cut) with an ellipsis. */
void term_text(struct strbuf *out, const struct term *term, struct slice text, size_t width);

/* Cuts every line of `text` (with tones in it) to the terminal's width, with a mark at the cut, and appends it. */
void term_fit_lines(struct strbuf *out, const struct term *term, struct slice text);

/* " · " or " - ", depending on the terminal. */
const char *term_dot(const struct term *term);

#endif
