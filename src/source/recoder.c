/* SPDX-License-Identifier: Apache-2.0 */
#include "source/recoder.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "source/entries.h"

enum recoding { UTF16_LITTLE, UTF16_BIG, ENTRIES };

enum { HEAD_LOOKED_AT = 16, REPLACEMENT = 0xfffd };

struct recoder {
    enum recoding recoding;
    bool started;  /* past the byte order mark */
    int half;      /* first byte of a unit of two, or -1 */
    uint32_t high; /* first of two surrogates, or 0 */
    struct entries *entries;
};

/* Text from PowerShell without a byte order mark: every second byte is NUL, between those of plain letters. */
static bool is_utf16(struct slice head, size_t first) {
    enum { LEAST = 12 };
    if (head.len < LEAST) return false;
    for (size_t i = 0; i + 1 < head.len && i < HEAD_LOOKED_AT; i += 2) {
        unsigned char c = (unsigned char)head.ptr[i + first];
        bool plain = (c >= ' ' && c < 0x7f) || c == '\t' || c == '\r' || c == '\n' || c == 0x1b;
        if (!plain || head.ptr[i + 1 - first]) return false;
    }
    return true;
}

struct recoder *recoder_for(struct slice head) {
    enum recoding recoding;
    struct entries *entries = NULL;
    if (slice_starts(head, SLICE("\xff\xfe"))) recoding = UTF16_LITTLE;
    else if (slice_starts(head, SLICE("\xfe\xff"))) recoding = UTF16_BIG;
    else if (is_utf16(head, 0)) recoding = UTF16_LITTLE;
    else if (is_utf16(head, 1)) recoding = UTF16_BIG;
    else if ((entries = entries_for(slice_take(head, ENTRIES_HEAD)))) recoding = ENTRIES;
    else return NULL;
    struct recoder *recoder = mem_zalloc(1, sizeof *recoder);
    recoder->recoding = recoding;
    recoder->entries = entries;
    recoder->half = -1;
    return recoder;
}

void recoder_free(struct recoder *recoder) {
    if (recoder) entries_free(recoder->entries);
    free(recoder);
}

bool recoder_needs_more(struct slice head) {
    enum { OF_TIME = 64 }; /* a time and the stream after it */
    if (head.len < HEAD_LOOKED_AT) return true;
    size_t most = head.ptr[0] == '{' ? RECODER_HEAD : head.ptr[0] >= '0' && head.ptr[0] <= '9' ? OF_TIME : 0;
    return head.len < most && slice_find_byte(head, '\n') == SLICE_NONE;
}

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

void recoder_take(struct recoder *r, struct slice in, bool end, struct strbuf *out) {
    enum { LONGEST = 8 }; /* one byte can give this much: a replacement for half a pair, and a character */
    if (r->recoding == ENTRIES) {
        entries_take(r->entries, in, end, out);
        return;
    }
    for (size_t i = 0; i < in.len; i++) strbuf_took(out, step_utf16(r, (unsigned char)in.ptr[i], strbuf_room(out, LONGEST)));
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
