/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from the rows of failure_forms: which letters begin one, and the needles that lead to them in a long text.
 * Derived once, so that a row is all there is to a new message; private to the failure parser. */
#ifndef TTMEM_PARSE_FAILURE_INDEX_H
#define TTMEM_PARSE_FAILURE_INDEX_H

#include "parse/failure_forms.h"
#include "scan/find_any.h"

enum { FAILURE_ROWS_MAX = 512, FAILURE_STARTS = 1 << 15 };

/* Of the first three letters of a phrase, capitals and spaces not counted: most places of a text are told by them. */
static inline unsigned failure_start_key(char a, char b, char c) {
    return ((unsigned)a & 31) << 10 | ((unsigned)b & 31) << 5 | ((unsigned)c & 31);
}

static inline bool failure_start_in(const uint64_t *set, unsigned key) { return set[key / 64] >> key % 64 & 1; }

struct failure_index {
    const struct failure_form *rows[FAILURE_ROWS_MAX]; /* in the order of the tables */
    size_t row_count;
    uint16_t first_row[256];             /* number + 1 of the first row that begins with a letter in either case, 0: none */
    uint16_t next_row[FAILURE_ROWS_MAX]; /* number + 1 of the next one with the same letter */
    uint16_t key[FAILURE_ROWS_MAX];      /* failure_start_key of each */
    uint64_t begins_row[FAILURE_STARTS / 64];   /* bit failure_start_key: may be the first letters of a row */
    uint64_t begins_ender[FAILURE_STARTS / 64]; /* or of an ender */
    bool first_of_ender[256];                   /* in either case */
    struct needle needles[FIND_ANY_MAX];
    size_t needle_count;
    struct finder finder;               /* of them */
    const struct failure_form *refused; /* the row for which there was no room or no needle, NULL */
};

/* The one of the table; safe from any thread. Ends the program where a row cannot be looked for: no message would be found. */
const struct failure_index *failure_index(void);

/* Of any tables, up to a NULL; false at the first row that cannot be looked for: its words have no four letters in a row, or
 * there is no room for rows or needles. */
bool failure_index_build(struct failure_index *index, const struct failure_form *const *tables);

/* What ends a message that began before it: the next one, the trace, the logger's tail. Ends with NULL. */
extern const char *const failure_enders[];

/* Whether a message of some row begins with these words, of which the last may be cut. */
bool failure_begins_wording(struct slice words);

#endif
