/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 from logs: usually valid, sometimes cut or wrong. */
#ifndef TTMEM_BASE_UTF8_H
#define TTMEM_BASE_UTF8_H

#include <stdint.h>

#include "base/slice.h"
#include "base/strbuf.h"

/* Bytes of the well-formed character at the start of `s`, or 0 (overlong, surrogate, cut, stray byte). */
size_t utf8_char(struct slice s);

/* The code point of a well-formed character of `n` bytes. */
uint32_t utf8_decode(const char *ptr, size_t n);

/* Control characters, line and paragraph separators, direction and zero-width marks: characters that cannot be seen, or that
 * change how others are shown. */
static inline bool utf8_is_hidden(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2060 && c <= 0x2069) || c == 0xfeff;
}

/* Appends the text with every bad byte replaced by U+FFFD. */
void utf8_add_valid(struct strbuf *out, struct slice s);

/* Writes the character (at most 4 bytes) and returns its bytes; anything else becomes '?'. */
size_t utf8_encode(uint32_t ch, char *out);

/* Terminal columns that the text takes; a bad byte counts as one. */
size_t utf8_width(struct slice s);

/* The longest prefix that fits `columns`, cut between characters. */
struct slice utf8_fit(struct slice s, size_t columns);

/* Appends the text in at most `columns`, shortened in the middle if it is wider, so that names that differ in their tails
 * stay distinct. `mark`, ASCII or one column wide, replaces the missing part. */
void utf8_add_shortened(struct strbuf *out, struct slice s, size_t columns, struct slice mark);

/* Appends the text for a terminal or a message: control bytes (ESC, NUL, C1, ...) and bad bytes are shown as U+FFFD or '?'. */
void utf8_add_printable(struct strbuf *out, struct slice s, bool ascii_only);

#endif
