/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/study/cb_shape.h"

#include <stddef.h>
#include <string.h>

enum { MAX_DEPTH = 6, MAX_SEARCHES = 256 };

struct search {
    struct slice text;
    unsigned done; /* names that were tried, since names can stand for each other */
};

static const char *const shape_words[] = {
    "shape",  "get_shape",         "padded_shape",     "get_padded_shape", "logical_shape",   "legacy_shape",
    "volume", "get_logical_shape", "get_legacy_shape", "logical_volume",   "physical_volume", NULL};
/* Functions that only compute; others may choose a value. */
static const char *const arithmetic[] = {"div_up", "round_up", "uint32_t", "uint64_t", "int", "len", NULL};

static bool is_one_of(struct slice word, const char *const *words) {
    for (; *words; words++)
        if (slice_equal(word, slice_from(*words))) return true;
    return false;
}

static bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/* The next identifier at or after `at`; empty: none. */
static struct slice next_word(struct slice text, size_t at) {
    while (at < text.len && !in_word(text.ptr[at])) at++;
    size_t end = at;
    while (end < text.len && in_word(text.ptr[end])) end++;
    return slice_of(text.ptr + at, end - at);
}

static size_t skip_blanks(struct slice text, size_t at) {
    while (at < text.len && strchr(" \t\r\n", text.ptr[at])) at++;
    return at;
}

static bool is_member(struct slice text, size_t at) {
    return at > 0 && (text.ptr[at - 1] == '.' || (at > 1 && text.ptr[at - 1] == '>' && text.ptr[at - 2] == '-'));
}

static bool name_is_shape(struct search *s, struct slice name, unsigned depth);

static bool expression_is_shape(struct search *s, struct slice e, unsigned depth) {
    bool shape = false;
    if (memchr(e.ptr, '?', e.len)) return false;
    for (struct slice word = next_word(e, 0); word.len;) {
        size_t at = (size_t)(word.ptr - e.ptr), end = at + word.len, after = skip_blanks(e, end);
        bool member = is_member(e, at), called = after < e.len && e.ptr[after] == '(';
        if (slice_find(word, SLICE("shard")) < word.len || slice_equal(word, SLICE("if"))) return false;
        if (is_one_of(word, shape_words) && member) shape = true;
        else if (!member && called && !is_one_of(word, arithmetic)) return false;
        else if (!member && !called && !shape) shape = name_is_shape(s, word, depth + 1);
        word = next_word(e, end);
    }
    return shape;
}

/* The right side of `name =`, to the semicolon; without one (Python) to the end of the line. */
static struct slice right_side(struct slice text, size_t at) {
    size_t end = at, line = at;
    while (end < text.len && !strchr(";{}", text.ptr[end])) end++;
    while (line < text.len && text.ptr[line] != '\n') line++;
    bool closed = end < text.len && text.ptr[end] == ';';
    return slice_of(text.ptr + at, (closed || end < line ? end : line) - at);
}

static bool name_is_shape(struct search *s, struct slice name, unsigned depth) {
    struct slice text = s->text;
    if (depth > MAX_DEPTH || s->done++ > MAX_SEARCHES || (name.ptr[0] >= '0' && name.ptr[0] <= '9')) return false;
    for (struct slice word = next_word(text, 0); word.len;) {
        size_t at = (size_t)(word.ptr - text.ptr), end = at + word.len, sign = skip_blanks(text, end);
        bool set = sign + 1 < text.len && text.ptr[sign] == '=' && text.ptr[sign + 1] != '=';
        if (set && slice_equal(word, name) && !is_member(text, at) && expression_is_shape(s, right_side(text, sign + 1), depth))
            return true;
        word = next_word(text, end);
    }
    return false;
}

bool cb_is_shape(struct slice text, struct slice name) {
    struct search s = {.text = text};
    return name.len && expression_is_shape(&s, name, 0);
}
