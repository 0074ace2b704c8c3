/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/interp/cpp_dead.h"

#include <string.h>

struct range {
    size_t from, to;
};

/* An open #if. */
struct level {
    int holds;             /* 1 or 0 as written, -1: depends on what is defined */
    struct range opening;  /* its line */
    struct range other;    /* the line of the first #else or #elif */
    bool has_other, chain; /* chain: that line is an #elif */
};

enum { MAX_LEVELS = 64 };

struct dead_walk {
    struct slice text;
    struct strbuf *out; /* empty until something is blanked */
    struct level levels[MAX_LEVELS];
    size_t depth; /* beyond MAX_LEVELS they are only counted */
};

static void blank(struct dead_walk *w, size_t from, size_t to) {
    if (!w->out->len) strbuf_add(w->out, w->text);
    for (size_t i = from; i < to; i++)
        if (w->text.ptr[i] != '\n') w->out->data[i] = ' ';
}

static struct slice word_at(struct slice *rest) {
    size_t n = 0;
    *rest = slice_trim(*rest);
    while (n < rest->len && ((rest->ptr[n] | 32) >= 'a' && (rest->ptr[n] | 32) <= 'z')) n++;
    struct slice word = slice_take(*rest, n);
    *rest = slice_trim(slice_skip(*rest, n));
    return word;
}

static int constant(struct slice condition) {
    size_t comment = slice_find(condition, SLICE("//"));
    if (comment == SLICE_NONE) comment = slice_find(condition, SLICE("/*"));
    if (comment != SLICE_NONE) condition = slice_trim(slice_take(condition, comment));
    if (slice_equal(condition, SLICE("0")) || slice_equal(condition, SLICE("false"))) return 0;
    return slice_equal(condition, SLICE("1")) || slice_equal(condition, SLICE("true")) ? 1 : -1;
}

static void close_level(struct dead_walk *w, const struct level *l, struct range closing) {
    if (l->holds < 0) return;
    if (l->holds == 1) {
        blank(w, l->opening.from, l->opening.to);
        blank(w, l->has_other ? l->other.from : closing.from, closing.to);
    } else if (!l->has_other) {
        blank(w, l->opening.from, closing.to);
    } else if (l->chain) { /* the rest is a chain that needs its opening line */
        blank(w, l->opening.to, l->other.from);
    } else {
        blank(w, l->opening.from, l->other.to);
        blank(w, closing.from, closing.to);
    }
}

static void directive(struct dead_walk *w, struct slice rest, struct range line) {
    struct slice word = word_at(&rest);
    if (slice_equal(word, SLICE("if")) || slice_equal(word, SLICE("ifdef")) || slice_equal(word, SLICE("ifndef"))) {
        if (w->depth < MAX_LEVELS)
            w->levels[w->depth] = (struct level){.holds = word.len == 2 ? constant(rest) : -1, .opening = line};
        w->depth++;
        return;
    }
    if (!w->depth) return;
    struct level *l = w->depth <= MAX_LEVELS ? &w->levels[w->depth - 1] : NULL;
    bool is_else = slice_equal(word, SLICE("else")), is_chain = slice_starts(word, SLICE("elif"));
    if ((is_else || is_chain) && l && !l->has_other) {
        l->other = line;
        l->has_other = true;
        l->chain = is_chain;
    }
    if (slice_equal(word, SLICE("endif"))) {
        if (l) close_level(w, l, line);
        w->depth--;
    }
}

bool cpp_blank_dead(struct slice text, struct strbuf *out) {
    struct dead_walk w = {.text = text, .out = out};
    for (size_t at = 0; at < text.len;) {
        size_t end = slice_find_byte(slice_skip(text, at), '\n');
        size_t next = end == SLICE_NONE ? text.len : at + end + 1;
        size_t stop = end == SLICE_NONE ? text.len : at + end;
        if (stop > at && text.ptr[stop - 1] == '\r') stop--;
        struct slice line = slice_trim(slice_take(slice_skip(text, at), stop - at));
        if (line.len && line.ptr[0] == '#') directive(&w, slice_skip(line, 1), (struct range){at, next});
        at = next;
    }
    return out->len > 0;
}
