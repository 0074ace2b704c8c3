/* SPDX-License-Identifier: Apache-2.0 */
#include "render/format/markdown.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

/* A prefix of at most `most` characters; a bad byte counts as one. */
static struct slice take_characters(struct slice s, size_t most) {
    size_t at = 0;
    for (size_t i = 0; i < most && at < s.len; i++) {
        size_t n = utf8_char(slice_skip(s, at));
        at += n ? n : 1;
    }
    return slice_take(s, at);
}

/* Square brackets are common in locations and stay as they are, unless they open a link, a footnote or a definition. */
static bool is_bracket_markup(struct slice s, size_t i) {
    if (s.ptr[i] == '(') return i && s.ptr[i - 1] == ']';
    return s.ptr[i] == '[' && (!i || (i + 1 < s.len && s.ptr[i + 1] == '^'));
}

static bool is_word(struct slice s, size_t i) {
    unsigned char c = i < s.len ? (unsigned char)s.ptr[i] : ' ';
    return c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Underscores inside a word, as in most names, stay; those at its edge are emphasis. */
static bool is_emphasis(struct slice s, size_t i) {
    size_t begin = i, end = i;
    while (begin && s.ptr[begin - 1] == '_') begin--;
    while (end < s.len && s.ptr[end] == '_') end++;
    return !begin || !is_word(s, begin - 1) || !is_word(s, end);
}

/* Where a text is. In code only what the surrounding table interprets is markup. */
enum md_place { PLACE_TEXT, PLACE_CODE, PLACE_CODE_IN_CELL };

static bool is_markup(struct slice s, size_t i, enum md_place place) {
    char c = s.ptr[i];
    if (place != PLACE_TEXT) return place == PLACE_CODE_IN_CELL && c == '|';
    return (c && strchr("\\`|*&~", c)) || is_bracket_markup(s, i) || (c == '_' && is_emphasis(s, i));
}

static void add_clean(struct strbuf *out, struct slice s, enum md_place place) {
    for (size_t i = 0; i < s.len;) {
        size_t n = utf8_char(slice_skip(s, i));
        uint32_t c = n ? utf8_decode(s.ptr + i, n) : 0;
        if (c == '\t' || c == '\n') strbuf_addc(out, ' ');
        else if (utf8_is_hidden(c)) strbuf_addz(out, "\xef\xbf\xbd");
        else if (c == '<' && place == PLACE_TEXT)
            strbuf_addz(out, "&lt;"); /* safe even for readers of markdown that do not know \< */
        else {
            if (n == 1 && is_markup(s, i, place)) strbuf_addc(out, '\\');
            strbuf_add(out, slice_of(s.ptr + i, n));
        }
        i += n ? n : 1;
    }
}

void md_text(struct strbuf *out, struct slice text, size_t most) {
    bool cut = most && take_characters(text, most).len < text.len;
    add_clean(out, cut ? take_characters(text, most - 3) : text, PLACE_TEXT);
    if (cut) strbuf_addz(out, "...");
}

void md_item(struct strbuf *out, struct slice text, size_t most) {
    size_t digits = 0;
    while (digits < text.len && digits < 9 && text.ptr[digits] >= '0' && text.ptr[digits] <= '9') digits++;
    bool number = digits && digits < text.len && (text.ptr[digits] == '.' || text.ptr[digits] == ')');
    if (number) {
        strbuf_add(out, slice_take(text, digits));
        text = slice_skip(text, digits);
        most = most > digits + 3 ? most - digits : most;
    }
    if (number || (text.len && text.ptr[0] && strchr("#>-+=", text.ptr[0]))) strbuf_addc(out, '\\');
    md_text(out, text, most);
}

void md_heading(struct strbuf *out, unsigned level, struct slice title) {
    strbuf_fill(out, '#', level);
    strbuf_addc(out, ' ');
    md_text(out, title, 0);
    strbuf_addc(out, '\n');
}

bool md_next_heading(struct slice *rest, struct slice *heading, bool *right) {
    if (!rest->ptr) return false;
    size_t bar = slice_find_byte(*rest, '|');
    *heading = bar == SLICE_NONE ? *rest : slice_take(*rest, bar);
    *rest = bar == SLICE_NONE ? slice_of(NULL, 0) : slice_skip(*rest, bar + 1);
    *right = slice_starts(*heading, SLICE(">"));
    if (*right) *heading = slice_skip(*heading, 1);
    return true;
}

void md_table(struct strbuf *out, struct slice headings) {
    struct slice heading;
    bool right;
    for (struct slice rest = headings; md_next_heading(&rest, &heading, &right);) {
        md_cell_open(out);
        md_text(out, heading, 0);
    }
    md_row_end(out);
    for (struct slice rest = headings; md_next_heading(&rest, &heading, &right);) {
        strbuf_addc(out, '|');
        strbuf_fill(out, '-', heading.len ? heading.len + 2 - right : 3);
        strbuf_addz(out, right ? ":" : "");
    }
    strbuf_addz(out, "|\n");
}

/* A space separates a cell from its bars; an empty cell has one. */
static void md_bar(struct strbuf *out) {
    char before = out->len ? out->data[out->len - 1] : '\n';
    strbuf_addz(out, before == '\n' || before == ' ' ? "|" : " |");
}

void md_cell_open(struct strbuf *out) {
    md_bar(out);
    strbuf_addc(out, ' ');
}

void md_row_end(struct strbuf *out) {
    md_bar(out);
    strbuf_addc(out, '\n');
}

void md_cell(struct strbuf *out, struct slice text, size_t most) {
    md_cell_open(out);
    if (text.len) md_text(out, text, most);
    else strbuf_addz(out, "N/A");
}

void md_cellf(struct strbuf *out, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    md_cell_open(out);
    strbuf_addz(out, text);
}

void md_code(struct strbuf *out, struct slice text, bool in_cell) {
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    bool touches = text.len && (text.ptr[0] == '`' || text.ptr[text.len - 1] == '`');
    strbuf_fill(out, '`', longest + 1);
    strbuf_addz(out, touches ? " " : "");
    add_clean(out, text, in_cell ? PLACE_CODE_IN_CELL : PLACE_CODE);
    strbuf_addz(out, touches ? " " : "");
    strbuf_fill(out, '`', longest + 1);
}
