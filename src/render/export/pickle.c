/* SPDX-License-Identifier: Apache-2.0 */
#include "render/export/pickle.h"

#include "base/utf8.h"

enum {
    PROTO = 0x80,
    STOP = '.',
    EMPTY_DICT = '}',
    EMPTY_LIST = ']',
    MARK = '(',
    SETITEMS = 'u',
    APPEND = 'a',
    BINUNICODE = 'X',
    BININT = 'J',
    BININT1 = 'K',
    BININT2 = 'M',
    LONG1 = 0x8a,
    MEMOIZE = 0x94,
    BINGET = 'h',
    LONG_BINGET = 'j',
};

static void add_byte(struct pickle *p, unsigned byte) { strbuf_addc(p->out, (char)(unsigned char)byte); }

static void add_little(struct pickle *p, uint64_t n, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) add_byte(p, (unsigned)(n >> 8 * i & 0xff));
}

void pickle_begin(struct pickle *p) {
    add_byte(p, PROTO);
    add_byte(p, 4);
}

void pickle_end(struct pickle *p) { add_byte(p, STOP); }
void pickle_dict(struct pickle *p) { add_byte(p, EMPTY_DICT); }
void pickle_list(struct pickle *p) { add_byte(p, EMPTY_LIST); }
void pickle_items(struct pickle *p) { add_byte(p, MARK); }
void pickle_set(struct pickle *p) { add_byte(p, SETITEMS); }
void pickle_append(struct pickle *p) { add_byte(p, APPEND); }

void pickle_text(struct pickle *p, struct slice text) {
    add_byte(p, BINUNICODE);
    size_t at = p->out->len;
    add_little(p, 0, 4);
    utf8_add_valid(p->out, text);
    size_t length = p->out->len - at - 4;
    for (unsigned i = 0; i < 4; i++) p->out->data[at + i] = (char)(unsigned char)(length >> 8 * i & 0xff);
}

void pickle_integer(struct pickle *p, int64_t n) {
    if (n >= 0 && n < 256) {
        add_byte(p, BININT1);
        add_little(p, (uint64_t)n, 1);
    } else if (n >= 0 && n < 65536) {
        add_byte(p, BININT2);
        add_little(p, (uint64_t)n, 2);
    } else if (n >= INT32_MIN && n <= INT32_MAX) {
        add_byte(p, BININT);
        add_little(p, (uint32_t)(int32_t)n, 4);
    } else {
        add_byte(p, LONG1);
        add_byte(p, 8);
        add_little(p, (uint64_t)n, 8);
    }
}

uint32_t pickle_keep(struct pickle *p) {
    add_byte(p, MEMOIZE);
    return p->kept++;
}

void pickle_again(struct pickle *p, uint32_t number) {
    if (number < 256) {
        add_byte(p, BINGET);
        add_little(p, number, 1);
    } else {
        add_byte(p, LONG_BINGET);
        add_little(p, number, 4);
    }
}
