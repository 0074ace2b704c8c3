/* SPDX-License-Identifier: Apache-2.0 */
/* Why one rank holds more than another: both as footprints of their own, aligned op by op and compared as two runs are. */
#ifndef TTMEM_ANALYSIS_RANK_DIFF_H
#define TTMEM_ANALYSIS_RANK_DIFF_H

#include "analysis/compare/diff.h"

struct rank_diff {
    struct footprint low, high;
    struct diff diff; /* from low to high */
    bool same_ops;    /* nearly all ops of the two are the same: it can be said where they part */
    uint32_t
        from_op; /* record of the higher rank after which it holds more, up to its peak; NONE: from the start, or not told */
    bool from_start;    /* it holds more before the first op already */
    int64_t from_bytes; /* so much more, per bank */
};

void rank_diff_make(const struct run *run, const struct overview *overview, uint16_t low, uint16_t high, struct rank_diff *out);
void rank_diff_release(struct rank_diff *diff);

#endif
