/* SPDX-License-Identifier: Apache-2.0 */
/* Text that repeats itself byte by byte: a failure is found there once, and again where everything around it is the same, at
 * the same distance. For logs of nothing but short messages, where reading around each would read the same bytes a hundred
 * times. Plain memory, nothing to release. */
#ifndef TTMEM_PARSE_FAILURE_REPEAT_H
#define TTMEM_PARSE_FAILURE_REPEAT_H

#include "parse/failure/failure.h"

enum { REPEAT_KEPT = 8 };

/* A search that began at `from` found this failure. */
struct repeat_found {
    size_t from;
    struct failure failure;
};

/* Ready when zeroed. */
struct failure_repeat {
    struct slice text; /* the positions are in this piece, which is at `base` of the whole */
    uint64_t base;
    struct repeat_found found[REPEAT_KEPT];
    unsigned added;
    size_t period, same_from, same_to; /* the bytes in [same_from, same_to) equal those `period` bytes before them */
};

/* What failure_next_before(text, from, limit, f) finds, if the text there is known to repeat. False says nothing. `base` is the
 * position of the text in the whole, which may be searched in pieces. */
bool failure_repeat_find(struct failure_repeat *repeat, struct slice text, uint64_t base, size_t from, size_t limit,
                         struct failure *f);

/* Keeps what that search found, in the piece that failure_repeat_find saw last. */
void failure_repeat_keep(struct failure_repeat *repeat, size_t from, size_t limit, const struct failure *f);

#endif
