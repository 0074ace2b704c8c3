/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of single lines around a failure; private to parse/around. */
#ifndef TTMEM_PARSE_AROUND_LINES_H
#define TTMEM_PARSE_AROUND_LINES_H

#include "parse/around.h"
#include "scan/find.h"

/* The words (at least two bytes) in a line, or SLICE_NONE. Lines are short: memmem would take longer to prepare itself than
 * this takes to look. */
static inline size_t around_find(struct slice line, struct slice words) {
    const char *hit = find_bytes(line.ptr, line.len, words.ptr, words.len);
    return hit ? (size_t)(hit - line.ptr) : SLICE_NONE;
}

static inline bool around_has(struct slice line, const char *words) {
    return around_find(line, slice_from(words)) != SLICE_NONE;
}

/* The phase that a function in the line identifies, or PHASE_NONE. */
enum around_phase around_phase_of(struct slice line);

/* The part of the line after the prefixes of loggers and launchers. */
struct slice around_without_prefix(struct slice line);

/* Each returns whether the line is of its kind, and fills in the result. */
typedef bool around_reader(struct slice line, struct around_line *out);

around_reader around_read_frame, around_read_python, around_read_pytest_frame, around_read_call, around_read_buffer;
around_reader around_read_harness, around_read_dropped;

/* Every line of around_dropped.c contains one of these; for a table of struct needle. */
#define AROUND_DROPPED_NEEDLES                                                                                        \
    NEEDLE_IN(0, "messages from ", 6), NEEDLE_IN(0, "rate-limiting", 3), NEEDLE_IN(3, " blob data]", 4),              \
        NEEDLE_IN(1, " lines truncated]", 6), NEEDLE_IN(3, " lines omitted]", 6), NEEDLE_IN(7, " lines skipped]", 5), \
        NEEDLE_IN(1, "[...truncated ", 3), NEEDLE_IN(7, "[output clipped, ", 0), NEEDLE_IN(2, "log exceeded limit of ", 3)

/* Turns AROUND_RAN into AROUND_SESSION_END, using the lines from `*at` on, and moves `*at` past them; false: they do not
 * tell. */
bool around_ran_below(struct slice text, size_t *at, struct around_line *out);

/* The op of a function, "" if the function is not an op; false if there is no function. */
bool around_read_op_name(struct slice call, struct around_line *out);

/* A frame of Python has its line of code below it: sets `name` to the op that it calls. */
void around_call_below(struct slice text, struct around_line *frame);

#endif
