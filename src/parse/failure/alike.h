/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that differ only in their numbers: logs full of failures repeat a few messages thousands of times. The first line of
 * each shows where the numbers of the next ones are. Whenever there is a doubt, failure_next_before reads the line in full.
 * Plain memory, nothing to release. */
#ifndef TTMEM_PARSE_FAILURE_ALIKE_H
#define TTMEM_PARSE_FAILURE_ALIKE_H

#include "parse/failure/failure.h"
#include "parse/failure/repeat.h"
#include "parse/message_text.h"

enum { ALIKE_RUNS = 40, ALIKE_LINE = 1024, ALIKE_ROWS = 16, ALIKE_AHEAD = 64 };

/* A run of digits in the line. */
struct alike_run {
    uint16_t at, len;
    uint16_t first; /* run of the message with the same value: they must stay equal */
    bool fixed;     /* must stay as it is */
    uint64_t value;
};

/* A line to compare with. */
struct alike_row {
    bool on;
    uint8_t next;                    /* the row that followed it last time */
    uint16_t len;                    /* of the line */
    uint16_t head;                   /* this much of the line shows that no part of another message is there */
    uint16_t tag_at, tag_len;        /* its writer, in the line; its digits may differ */
    uint16_t at, end;                /* of the message in the line */
    uint16_t count, inside;          /* runs; those from `inside` on are the message's */
    uint8_t run_of[FAILURE_NUMBERS]; /* run of each known number */
    struct alike_run runs[ALIKE_RUNS];
    struct failure failure; /* of the line that was read last by this row */
    char line[ALIKE_LINE];
};

/* A line below that begins like a row: looked at once, though several messages may ask for it. */
struct alike_ahead {
    uint64_t at; /* in the whole text */
    uint16_t len;
    uint8_t row;
};

/* Ready when zeroed. */
struct failure_alike {
    struct alike_row rows[ALIKE_ROWS];
    unsigned added;
    uint8_t last;   /* row of the last failure */
    bool on;        /* the last failure matched a row: nothing else begins on its line */
    uint64_t below; /* where the line below it begins */
    uint32_t chain; /* lines directly below each other, all read by rows, have the same number */
    struct alike_ahead ahead[ALIKE_AHEAD];
    struct message_lines lines;
    struct failure_repeat repeat;
    struct failure found; /* one that is of no row */
};

/* failure_next_before, from one failure to the next: if the line directly below the last one is like one of the rows, it is
 * read by that row. `base` is the position of the text in the whole, which may be searched in pieces. What is returned is
 * the caller's until the next search; NULL: no failure. */
const struct failure *failure_alike_search(struct failure_alike *alike, struct slice text, uint64_t base, size_t from,
                                           size_t limit);

#endif
