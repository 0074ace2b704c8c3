/* SPDX-License-Identifier: Apache-2.0 */
/* The cleaned text around a place where a message is looked for, and where messages in it end. Where words that lead to
 * messages are close together, the next place is often in the text of the last one: it is then not read again, and no byte
 * is searched twice for the end of a message. For one search; private to the failure parser. */
#ifndef TTMEM_PARSE_FAILURE_WINDOW_H
#define TTMEM_PARSE_FAILURE_WINDOW_H

#include "parse/failure/index.h"
#include "parse/message_text.h"

enum { FAILURE_NOT_READ = 0, FAILURE_NO_ROW = UINT16_MAX }; /* of a place: no message of any row begins there */

/* A window whose `base` and `bytes` are 0 holds nothing. */
struct failure_window {
    size_t base, bytes;      /* read from these bytes of the searched text */
    size_t end_from, end_to; /* of `m`: no message ends in [end_from, end_to) */
    bool ends;               /* but one does at end_to */
    struct message_text m;
    uint16_t past[MESSAGE_TEXT_MAX]; /* where words end that turned out to be no message; or one of these two: */
};

/* Reads the bytes `raw`, which are at `base` of the searched text. */
void failure_window_read(struct failure_window *w, struct slice raw, size_t base, struct slice owner,
                         struct message_lines *lines);

/* Does the window hold all that was written around `hit`, by anyone? A reading that begins later and is not longer gives the
 * same text. */
static inline bool failure_window_holds(const struct failure_window *w, size_t hit) {
    return hit >= w->base && hit - w->base < w->bytes && w->m.first_left_out == SLICE_NONE;
}

/* The first place whose byte is at or after `pos` of the searched text. */
size_t failure_window_place(const struct failure_window *w, size_t pos);

/* Where a message that has reached `from` ends at the latest: before an empty line or the next message, or after `max`. */
size_t failure_window_end(struct failure_window *w, size_t from, size_t max);

/* failure_start_key of the text at `pos`. */
unsigned failure_start_key_of_words(const struct message_text *m, size_t pos);

static inline unsigned failure_start_key_at(const struct message_text *m, size_t pos) {
    const char *at = m->text + pos;
    bool whole = pos + 2 < m->len && at[1] > ' ' && at[2] > ' ';
    return whole ? failure_start_key(at[0], at[1], at[2]) : failure_start_key_of_words(m, pos);
}

#endif
