/* SPDX-License-Identifier: Apache-2.0 */
/* Lines as `grep -n` counts them: a line ends with "\n", and "\r" directly before that belongs to the end. A lone "\r", as
 * progress bars print, does not end a line. It cuts a line into PARTS, which all have the line's number and are read one by
 * one. Several "\r" in a row cut once, because there is nothing to read between them. */
#ifndef TTMEM_SCAN_LINES_H
#define TTMEM_SCAN_LINES_H

#include <stdbool.h>

#include "scan/count.h"
#include "scan/find.h"

/* Line ends in [from, to): how many lines further down `to` is. */
static inline size_t lines_between(const char *from, const char *to) { return count_byte(slice_between(from, to), '\n'); }

/* Start of the next line, or end. */
static inline const char *lines_next(const char *p, const char *end) {
    const char *lf = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return lf ? lf + 1 : end;
}

/* Takes one part off [*at, end); *ends: the line ends with it. */
static inline struct slice lines_take_part(const char **at, const char *end, bool *ends) {
    const char *start = *at, *eol = find_eol(start, end);
    const char *next = eol < end ? eol + 1 : end;
    if (eol < end && *eol == '\r') {
        while (next < end && *next == '\r') next++;
        if (next < end && *next == '\n') next++;
    }
    *at = next;
    *ends = next > eol && next[-1] == '\n';
    return slice_between(start, eol);
}

#endif
