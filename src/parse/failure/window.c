/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/failure/window.h"

#include <string.h>

void failure_window_read(struct failure_window *w, struct slice raw, size_t base, struct slice owner,
                         struct message_lines *lines) {
    w->base = base;
    w->bytes = raw.len;
    w->end_from = w->end_to = 0;
    w->ends = false;
    message_text_read(&w->m, raw, owner, lines);
    memset(w->past, 0, w->m.len * sizeof *w->past);
}

size_t failure_window_place(const struct failure_window *w, size_t pos) {
    size_t low = 0, high = w->m.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->base + w->m.from[middle] < pos) low = middle + 1;
        else high = middle;
    }
    return low;
}

unsigned failure_start_key_of_words(const struct message_text *m, size_t pos) {
    char letters[3] = {0};
    for (size_t n = 0; pos < m->len && n < sizeof letters; pos++)
        if (m->text[pos] != ' ' && m->text[pos] != '\n') letters[n++] = m->text[pos];
    return failure_start_key(letters[0], letters[1], letters[2]);
}

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool ends_at(const struct message_text *m, size_t pos) {
    const struct failure_index *index = failure_index();
    char c = m->text[pos];
    if (c == '\n' && pos + 1 < m->len && m->text[pos + 1] == '\n') return true;
    if (!index->first_of_ender[(unsigned char)c]) return false;
    if (!failure_start_in(index->begins_ender, failure_start_key_at(m, pos))) return false;
    for (const char *const *ender = failure_enders; *ender; ender++)
        if (small(c) == small((*ender)[0]) && message_text_match(m, pos, *ender)) return true;
    return false;
}

size_t failure_window_end(struct failure_window *w, size_t from, size_t max) {
    const size_t end = w->m.len - from > max ? from + max : w->m.len;
    if (from < w->end_from || from > w->end_to) w->end_from = w->end_to = from, w->ends = false;
    while (!w->ends && w->end_to < end) {
        w->ends = ends_at(&w->m, w->end_to);
        w->end_to += !w->ends;
    }
    if (!w->ends || w->end_to >= end) return end;
    bool half = w->m.text[w->end_to] == '\n' && w->end_to + 1 == end; /* of an empty line */
    return half ? end : w->end_to;
}
