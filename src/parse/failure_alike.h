/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that say the same but for their numbers: logs full of failures repeat one message thousands of times. What was found in
 * the first of them shows where the numbers of the next ones are. Whatever leaves a doubt is read in full, by
 * failure_next_before. Plain memory, nothing to release. */
#ifndef TTMEM_PARSE_FAILURE_ALIKE_H
#define TTMEM_PARSE_FAILURE_ALIKE_H

#include "parse/failure.h"

enum { ALIKE_RUNS = 40, ALIKE_LINE = 1024 };

/* Digits of the line. */
struct alike_run {
    uint16_t at, len;
    uint16_t first; /* run of the message that has the same value: they stay equal */
    bool fixed;     /* they stay as they are */
    uint64_t value;
};

struct failure_alike {
    bool on;                         /* there is a line to compare with */
    uint16_t len;                    /* of the line */
    uint16_t head;                   /* so much of the line after shows that no part of a message stands there */
    uint16_t at, end;                /* of the message in the line */
    uint16_t count, inside;          /* runs; those from `inside` on are the message's */
    uint8_t run_of[FAILURE_NUMBERS]; /* of each number that is known */
    struct alike_run runs[ALIKE_RUNS];
    struct failure failure; /* of the line */
    uint64_t below;         /* where the line below the last one begins, for failure_alike_search */
    char line[ALIKE_LINE];
};

/* Compares from now on with the line of a failure that a search from `from` on found; turns off where that is not certain to
 * give the same. Nothing else then begins on that line: *below is where the next one begins. */
void failure_alike_begin(struct failure_alike *alike, struct slice text, size_t from, const struct failure *f, size_t *below);

/* Whether the line at `line`, directly below one of these, is such a line too, with a message that begins before `limit`: `*f`
 * is then what failure_next_before would find. False says nothing. */
bool failure_alike_next(const struct failure_alike *alike, struct slice text, size_t line, size_t limit, struct failure *f,
                        size_t *below);

/* failure_next_before, from one failure to the next: where the line directly below the last one is alike, by that one; *again
 * tells. `base` is the place of the text in the whole, of which pieces may be searched one after the other. */
bool failure_alike_search(struct failure_alike *alike, struct slice text, uint64_t base, size_t from, size_t limit,
                          struct failure *f, bool *again);

#endif
