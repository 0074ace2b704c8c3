/* SPDX-License-Identifier: Apache-2.0 */
#include "source/recoder.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"

enum recoding { UTF16_LITTLE, UTF16_BIG, JSON_FILE };

enum json_place { AT_LINE, IN_TEXT, IN_ESCAPE, IN_CODE, BEHIND_TEXT, PLAIN_LINE };

static const char json_head[] = "{\"log\":\""; /* spaces may stand between */
enum { JSON_HEAD = sizeof json_head - 1, HEAD_MAX = RECODER_ROOM / 4, REPLACEMENT = 0xfffd };

struct recoder {
    enum recoding recoding;
    bool started;  /* the byte order mark was passed */
    int half;      /* first byte of a unit of two, -1 */
    uint32_t high; /* first of two surrogates, 0 */
    enum json_place place;
    unsigned matched, digits; /* bytes of json_head, digits of an escape */
    char head[HEAD_MAX];      /* of the line, as it stands there */
    unsigned head_len;
    uint32_t code;
};

/* Between the parts of json_head: before the key, the colon and the text. */
static bool may_be_space(unsigned matched) { return matched == 1 || matched == 6 || matched == 7; }

static bool is_space_between(const struct recoder *r, char c) {
    return c == ' ' && may_be_space(r->matched) && r->head_len - r->matched < HEAD_MAX - JSON_HEAD;
}

static bool starts_json(struct slice head) {
    unsigned matched = 0;
    for (size_t i = 0; i < head.len && i < HEAD_MAX && matched < JSON_HEAD; i++) {
        if (head.ptr[i] == json_head[matched]) matched++;
        else if (head.ptr[i] != ' ' || !may_be_space(matched)) return false;
    }
    return matched == JSON_HEAD;
}

/* Text of PowerShell without a byte order mark: every second byte is NUL, between those of plain letters. */
static bool is_utf16(struct slice head, size_t first) {
    enum { LEAST = 12 };
    if (head.len < LEAST) return false;
    for (size_t i = 0; i + 1 < head.len && i < HEAD_MAX; i += 2) {
        unsigned char c = (unsigned char)head.ptr[i + first];
        bool plain = (c >= ' ' && c < 0x7f) || c == '\t' || c == '\r' || c == '\n' || c == 0x1b;
        if (!plain || head.ptr[i + 1 - first]) return false;
    }
    return true;
}

struct recoder *recoder_for(struct slice head) {
    enum recoding recoding;
    if (slice_starts(head, SLICE("\xff\xfe"))) recoding = UTF16_LITTLE;
    else if (slice_starts(head, SLICE("\xfe\xff"))) recoding = UTF16_BIG;
    else if (is_utf16(head, 0)) recoding = UTF16_LITTLE;
    else if (is_utf16(head, 1)) recoding = UTF16_BIG;
    else if (starts_json(head)) recoding = JSON_FILE;
    else return NULL;
    struct recoder *recoder = mem_zalloc(1, sizeof *recoder);
    recoder->recoding = recoding;
    recoder->half = -1;
    return recoder;
}

void recoder_free(struct recoder *recoder) { free(recoder); }

/* One unit of UTF-16: a character, or half of one. */
static size_t put_unit(struct recoder *r, uint32_t unit, char *out) {
    size_t n = 0;
    bool low = unit >= 0xdc00 && unit < 0xe000;
    if (r->high && low) {
        n = utf8_encode(0x10000 + ((r->high - 0xd800) << 10) + (unit - 0xdc00), out);
        r->high = 0;
        return n;
    }
    if (r->high) n = utf8_encode(REPLACEMENT, out);
    r->high = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
    return r->high ? n : n + utf8_encode(low ? REPLACEMENT : unit, out + n);
}

static size_t step_utf16(struct recoder *r, unsigned char c, char *out) {
    if (r->half < 0) {
        r->half = c;
        return 0;
    }
    uint32_t unit = r->recoding == UTF16_LITTLE ? (uint32_t)c << 8 | (uint32_t)r->half : (uint32_t)r->half << 8 | c;
    r->half = -1;
    bool mark = !r->started && unit == 0xfeff;
    r->started = true;
    return mark ? 0 : put_unit(r, unit, out);
}

static size_t put_escape(struct recoder *r, char c, char *out) {
    static const char from[] = "nrtbf\"\\/", to[] = "\n\r\t\b\f\"\\/";
    const char *at = c ? strchr(from, c) : NULL;
    r->place = IN_TEXT;
    *out = at ? to[at - from] : c;
    return 1;
}

static int hex(char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static size_t step_json(struct recoder *r, char c, char *out) {
    switch (r->place) {
        case AT_LINE:
            if (c == json_head[r->matched] || is_space_between(r, c)) {
                r->matched += c != ' ';
                r->head[r->head_len++] = c;
                if (r->matched == JSON_HEAD) r->place = IN_TEXT;
                return 0;
            }
            /* a line of another form is kept as it is */
            memcpy(out, r->head, r->head_len);
            out[r->head_len] = c;
            r->place = c == '\n' ? AT_LINE : PLAIN_LINE;
            break;
        case IN_TEXT:
            if (c == '\\') r->place = IN_ESCAPE;
            else if (c == '"') r->place = BEHIND_TEXT;
            else if (c == '\n') r->place = AT_LINE; /* cut */
            else {
                *out = c;
                return 1;
            }
            r->matched = r->head_len = 0;
            return 0;
        case IN_ESCAPE:
            if (c != 'u') return put_escape(r, c, out);
            r->place = IN_CODE;
            r->digits = 0;
            r->code = 0;
            return 0;
        case IN_CODE:
            if (hex(c) < 0) {
                r->place = IN_TEXT;
                return utf8_encode(REPLACEMENT, out);
            }
            r->code = r->code << 4 | (uint32_t)hex(c);
            if (++r->digits < 4) return 0;
            r->place = IN_TEXT;
            return put_unit(r, r->code, out);
        case BEHIND_TEXT:
            if (c == '\n') r->place = AT_LINE;
            return 0;
        case PLAIN_LINE:
            *out = c;
            if (c == '\n') r->place = AT_LINE;
            return 1;
    }
    size_t n = r->head_len + 1;
    r->matched = r->head_len = 0;
    return n;
}

size_t recoder_step(struct recoder *r, struct slice *in, char *out, size_t room) {
    size_t written = 0, i = 0;
    for (; i < in->len && written + RECODER_ROOM / 2 <= room; i++)
        written += r->recoding == JSON_FILE ? step_json(r, in->ptr[i], out + written)
                                            : step_utf16(r, (unsigned char)in->ptr[i], out + written);
    *in = slice_skip(*in, i);
    return written;
}

const char *recoder_refused(struct slice head) {
    static const struct {
        const char *magic;
        size_t len;
        const char *what;
    } rows[] = {
        {"\x7f"
         "ELF",
         4, "an executable"},
        {"MZ\x90\0", 4, "an executable"},
        {"\xcf\xfa\xed\xfe", 4, "an executable"},
        {"\x89PNG", 4, "an image"},
        {"\xff\xd8\xff", 3, "an image"},
        {"GIF8", 4, "an image"},
        {"%PDF-", 5, "a PDF document"},
        {"PK\x03\x04", 4, "a zip archive"},
        {"BZh", 3, "a .bz2 file"},
        {"\xfd"
         "7zXZ",
         5, "an .xz file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (slice_starts(head, slice_of(rows[i].magic, rows[i].len))) return rows[i].what;
    return NULL;
}
