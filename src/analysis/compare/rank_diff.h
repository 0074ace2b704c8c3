/* SPDX-License-Identifier: Apache-2.0 */
/* Why one rank holds more than another: both as footprints of their own, aligned op by op and compared as two runs are. */
#ifndef TTMEM_ANALYSIS_RANK_DIFF_H
#define TTMEM_ANALYSIS_RANK_DIFF_H

#include "analysis/compare/diff.h"

struct rank_diff {
    struct footprint low, high;
    struct diff diff;    /* from low to high */
    bool same_ops;       /* nearly all ops of the two are the same: it can be said where they part */
    uint32_t from_op;    /* record of the higher rank from which on it holds more; NONE: from the start, or not told */
    bool from_start;     /* it holds most of it before the first op already */
    int64_t from_bytes;  /* so much more, per bank */
    uint32_t from_again; /* later ops at which as much or half of the largest rise came on top: a leak */
};

/* Where it starts: what the higher rank holds more after an op, and keeps holding up to its peak, is the least of the
 * differences after that op and all later ones. It rises op by op. The start is the first rise that is at least half of the
 * largest one: the one op that matters, or the first of a leak, whose rises are alike. Ops that the other rank does not have
 * are compared with what that one holds after the op before them. */

void rank_diff_make(const struct run *run, const struct overview *overview, uint16_t low, uint16_t high, struct rank_diff *out);
void rank_diff_release(struct rank_diff *diff);

#endif
