/* The text of a message as its author wrote it, from a piece of a log: what loggers, terminals, test runners and people add on
 * the way is taken off again, so that a parser sees words, single spaces and line breaks.
 *
 * Taken off: colours (also spelled out, "\x1b[31m"), carriage returns, runs of spaces, what stands in front of a continuation
 * line (timestamps, "critical | Always |", "E   ", "(EngineCore_DP0 pid=7)", "ERROR 06-05 19:19:37 [core.py:12]",
 * "[1,0]<stdout>:", "[server-1]", quote and comment marks), quotes at line ends. Escaped line breaks ("\n" of a JSON or
 * Python string) are line breaks. */
#ifndef TTMEM_PARSE_MESSAGE_TEXT_H
#define TTMEM_PARSE_MESSAGE_TEXT_H

#include <stdint.h>

#include "base/slice.h"

enum { MESSAGE_TEXT_MAX = 4096 };

struct message_text {
    size_t len;
    char text[MESSAGE_TEXT_MAX];
    uint16_t from[MESSAGE_TEXT_MAX]; /* offset in the input of each byte of text */
};

/* Reads at most MESSAGE_TEXT_MAX bytes of `raw`. */
void message_text_read(struct message_text *m, struct slice raw);

/* Where `phrase` ends when it stands at `pos`, spaces and line breaks not counted on either side; 0 when it does not. */
size_t message_text_match(const struct message_text *m, size_t pos, const char *phrase);

/* Start of the first `phrase` that begins in [from, to), or SLICE_NONE; `end` (may be NULL) receives where it ends. */
size_t message_text_find(const struct message_text *m, size_t from, size_t to, const char *phrase, size_t *end);

#endif
