/* SPDX-License-Identifier: Apache-2.0 */
/* Why one rank holds more than another: both as separate footprints, aligned op by op and compared like two runs. */
#ifndef TTMEM_ANALYSIS_RANK_DIFF_H
#define TTMEM_ANALYSIS_RANK_DIFF_H

#include "analysis/compare/diff.h"

struct rank_diff {
    struct footprint low, high;
    struct diff diff;    /* from low to high */
    bool same_ops;       /* nearly all ops of the two are the same: where they diverge is known */
    uint32_t from_op;    /* record of the higher rank after which it holds more; NONE: from the start, or unknown */
    bool from_start;     /* it already holds most of the surplus before the first op */
    int64_t from_bytes;  /* how much more, per bank */
    uint32_t from_again; /* later ops that added at least half of the largest rise: a leak */
};

/* Finds where it starts: the surplus that the higher rank keeps from an op up to its peak is the smallest difference after
 * that op and all later ones. It rises op by op. The start is the first rise that is at least half of the largest one: the
 * one op that matters, or the first of a leak, whose rises are alike. Ops that the other rank does not have are compared
 * with what it holds after the op before them. */

void rank_diff_make(const struct run *run, const struct overview *overview, uint16_t low, uint16_t high, struct rank_diff *out);
void rank_diff_release(struct rank_diff *diff);

#endif
