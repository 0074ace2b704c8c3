/* SPDX-License-Identifier: Apache-2.0 */
/* Derived from the rows of failure_forms: which letters begin one, and the needles that lead to them in a long text.
 * Computed once, so that a new message needs only a row; private to the failure parser. */
#ifndef TTMEM_PARSE_FAILURE_INDEX_H
#define TTMEM_PARSE_FAILURE_INDEX_H

#include "parse/failure/forms.h"
#include "scan/find_any.h"

enum { FAILURE_ROWS_MAX = 512, FAILURE_STARTS = 1 << 15 };

/* Key of the first three letters of a phrase, ignoring case and spaces: it rules out most places of a text. */
static inline unsigned failure_start_key(char a, char b, char c) {
    return ((unsigned)a & 31) << 10 | ((unsigned)b & 31) << 5 | ((unsigned)c & 31);
}

static inline bool failure_start_in(const uint64_t *set, unsigned key) { return set[key / 64] >> key % 64 & 1; }

struct failure_index {
    const struct failure_form *rows[FAILURE_ROWS_MAX]; /* in the order of the tables */
    size_t row_count;
    uint16_t first_row[256];             /* number + 1 of the first row that begins with a letter in either case, 0: none */
    uint16_t next_row[FAILURE_ROWS_MAX]; /* number + 1 of the next one with the same letter */
    uint16_t key[FAILURE_ROWS_MAX];      /* failure_start_key of each row */
    uint64_t begins_row[FAILURE_STARTS / 64];   /* bit failure_start_key: a row may begin with these letters */
    uint64_t begins_ender[FAILURE_STARTS / 64]; /* the same for enders */
    bool first_of_ender[256];                   /* in either case */
    struct needle needles[FIND_ANY_MAX];
    size_t needle_count;
    struct finder finder;               /* of them */
    const struct failure_form *refused; /* the row for which there was no room or no needle, or NULL */
};

/* The index of the tables; safe from any thread. Ends the program if a row cannot be searched for, because no message would
 * be found. */
const struct failure_index *failure_index(void);

/* Builds it for any tables, up to a NULL; false at the first row that cannot be searched for: its words have no four letters
 * in a row, or there is no room for rows or needles. */
bool failure_index_build(struct failure_index *index, const struct failure_form *const *tables);

/* What ends a message before it: the next one, the trace, the logger's tail. Ends with NULL. */
extern const char *const failure_enders[];

/* Does a message of some row begin with these words, the last of which may be cut? */
bool failure_begins_wording(struct slice words);

#endif
