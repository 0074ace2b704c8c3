/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a message as its author wrote it, from a piece of a log: everything that loggers, terminals, test runners and
 * people add on the way is removed, so that a parser sees words, single spaces and line breaks.
 *
 * Removed: colours (also spelled out, "\x1b[31m"), carriage returns, runs of spaces of any kind, the prefix of a
 * continuation line (timestamps, "critical | Always |", "E   ", "(EngineCore_DP0 pid=7)", "ERROR 06-05 19:19:37
 * [core.py:12]", "[1,0]<stdout>:", "[server-1]", quote and comment marks), quotes at line ends. Escaped line breaks ("\n" in
 * a JSON or Python string) are line breaks.
 *
 * If several ranks or processes write into one log, their lines carry a TAG, and a message that continues on the next line
 * may have lines of others in between: those are left out. */
#ifndef TTMEM_PARSE_MESSAGE_TEXT_H
#define TTMEM_PARSE_MESSAGE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { MESSAGE_TEXT_MAX = 4096 };

struct message_text {
    size_t len;
    char text[MESSAGE_TEXT_MAX];
    uint16_t from[MESSAGE_TEXT_MAX]; /* offset in the input of each byte of text */
    size_t first_left_out;           /* offset in the input of the first line of another writer, or SLICE_NONE */
};

/* Who wrote the line that begins here: "[1,0]<stdout>:", "(EngineCore_DP0 pid=7)", "[rank0]", "server-1  |", "node0:", "tt-0
 * main "; empty if it does not say. Different writers have different bytes. The last two may be words of the message: they
 * tell writers apart only by their numbers. */
struct slice message_text_tag(struct slice line);

/* Can a line with this tag belong to a message of `owner`? It can if one of the two has no tag. */
bool message_text_is_of(struct slice owner, struct slice tag);

/* Bytes before the message on a line: what loggers, launchers, terminals and people put there. */
size_t message_text_prefix(struct slice line);

/* Do words like "exit code 137" say what happened, not in a comment, a command, help or a sentence about what could happen?
 * `before` and `after` are the rest of their line. */
bool message_text_is_event(struct slice before, struct slice words, struct slice after);

/* What is known of lines of a text, which may be searched in pieces: where messages are close together, the same lines are
 * read many times. Zeroed: nothing. */
enum { MESSAGE_LINES = 512 };
struct message_line {
    uint64_t at;          /* in the text, + 1 */
    uint16_t len, prefix; /* len: without its end */
    uint16_t tag_at, tag_len;
    bool of_runtime; /* it is about ops and memory: no part of a message */
};

struct message_lines {
    const char *piece; /* the piece that is searched, and where it is in the text */
    uint64_t offset;
    struct message_line line[MESSAGE_LINES];
};

/* message_text_tag of a line of that text. */
struct slice message_lines_tag(struct message_lines *lines, struct slice line);

/* Reads at most MESSAGE_TEXT_MAX bytes of `raw`. Lines after the first that are not of `owner` are left out; an empty owner
 * means the first writer named. `lines` (may be NULL) is that of the text. */
void message_text_read(struct message_text *m, struct slice raw, struct slice owner, struct message_lines *lines);

/* Where `phrase` ends if it is at `pos`, ignoring case, spaces and line breaks on both sides; else 0. */
size_t message_text_match(const struct message_text *m, size_t pos, const char *phrase);

/* Start of the first `phrase` that begins in [from, to), or SLICE_NONE; `end` (may be NULL) receives its end. */
size_t message_text_find(const struct message_text *m, size_t from, size_t to, const char *phrase, size_t *end);

#endif
