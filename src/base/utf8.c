/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <wchar.h>

static bool is_tail(unsigned char c) { return (c & 0xc0) == 0x80; }

size_t utf8_char(struct slice s) {
    const unsigned char *p = (const unsigned char *)s.ptr;
    if (!s.len) return 0;
    if (p[0] < 0x80) return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4) return 0;
    if (p[0] < 0xe0) return s.len >= 2 && is_tail(p[1]) ? 2 : 0;
    if (p[0] < 0xf0) {
        if (s.len < 3 || !is_tail(p[1]) || !is_tail(p[2])) return 0;
        if (p[0] == 0xe0 && p[1] < 0xa0) return 0;
        if (p[0] == 0xed && p[1] > 0x9f) return 0;
        return 3;
    }
    if (s.len < 4 || !is_tail(p[1]) || !is_tail(p[2]) || !is_tail(p[3])) return 0;
    if (p[0] == 0xf0 && p[1] < 0x90) return 0;
    if (p[0] == 0xf4 && p[1] > 0x8f) return 0;
    return 4;
}

uint32_t utf8_decode(const char *ptr, size_t n) {
    static const unsigned char lead[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const unsigned char *p = (const unsigned char *)ptr;
    uint32_t c = p[0] & lead[n <= 4 ? n : 4];
    for (size_t i = 1; i < n; i++) c = c << 6 | (p[i] & 0x3fu);
    return c;
}

void utf8_add_valid(struct strbuf *out, struct slice s) {
    while (s.len) {
        size_t good = 0, n;
        while (good < s.len && (n = utf8_char(slice_skip(s, good)))) good += n;
        strbuf_add(out, slice_take(s, good));
        s = slice_skip(s, good);
        if (!s.len) return;
        strbuf_add(out, SLICE("\xef\xbf\xbd"));
        s = slice_skip(s, 1);
    }
}

static size_t char_width(const char *ptr, size_t n) {
    if (n <= 1) return 1;
    int width = wcwidth((wchar_t)utf8_decode(ptr, n));
    return width < 0 ? 1 : (size_t)width;
}

size_t utf8_width(struct slice s) {
    size_t width = 0;
    for (size_t i = 0; i < s.len;) {
        size_t n = utf8_char(slice_skip(s, i));
        width += char_width(s.ptr + i, n);
        i += n ? n : 1;
    }
    return width;
}

struct slice utf8_fit(struct slice s, size_t columns) {
    size_t width = 0;
    for (size_t i = 0; i < s.len;) {
        size_t n = utf8_char(slice_skip(s, i));
        width += char_width(s.ptr + i, n);
        if (width > columns) return slice_take(s, i);
        i += n ? n : 1;
    }
    return s;
}

/* The longest tail that fits `columns`. */
static struct slice fit_tail(struct slice s, size_t columns) {
    for (size_t width = utf8_width(s); width > columns && s.len;) {
        size_t n = utf8_char(s);
        width -= char_width(s.ptr, n);
        s = slice_skip(s, n ? n : 1);
    }
    return s;
}

void utf8_add_shortened(struct strbuf *out, struct slice s, size_t columns, struct slice mark) {
    if (utf8_width(s) <= columns) {
        strbuf_add(out, s);
        return;
    }
    size_t around = utf8_width(mark), room = columns > around ? columns - around : 0;
    strbuf_add(out, utf8_fit(s, room - room / 2));
    strbuf_add(out, mark);
    strbuf_add(out, fit_tail(s, room / 2));
}

void utf8_add_printable(struct strbuf *out, struct slice s, bool ascii_only) {
    struct slice substitute = ascii_only ? SLICE("?") : SLICE("\xef\xbf\xbd");
    for (size_t i = 0; i < s.len;) {
        size_t n = utf8_char(slice_skip(s, i));
        uint32_t c = n ? utf8_decode(s.ptr + i, n) : 0;
        bool control =
            !n || c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
        if (c == '\t') strbuf_addc(out, ' ');
        else if (control || (ascii_only && c >= 0x80)) strbuf_add(out, substitute);
        else strbuf_add(out, slice_of(s.ptr + i, n));
        i += n ? n : 1;
    }
}

size_t utf8_encode(uint32_t ch, char *out) {
    if (ch > 0x10ffff || (ch >= 0xd800 && ch < 0xe000)) ch = '?';
    if (ch < 0x80) {
        out[0] = (char)ch;
        return 1;
    }
    size_t n = ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; ch >>= 6) out[i] = (char)(0x80 | (ch & 0x3f));
    out[0] = (char)(leads[n] | ch);
    return n;
}
