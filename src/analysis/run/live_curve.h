/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of the live tensors before every step or every record, in DRAM and L1. */
#ifndef TTMEM_ANALYSIS_LIVE_CURVE_H
#define TTMEM_ANALYSIS_LIVE_CURVE_H

#include "analysis/run/live.h"

struct live_point {
    uint64_t logical_bytes, padded_bytes, padding_bytes, per_bank_bytes;
    uint32_t tensors, bank_unknown; /* see struct live_sum */
};

enum { LIVE_POOLS = 2 }; /* POOL_DRAM and POOL_L1 */

/* Tensors sorted by one of their steps: those of step i are at starts[i] up to starts[i + 1]. The last entry is for those
 * that live to the end. */
struct ordered_tensors {
    uint32_t *ids;
    uint32_t *starts;
};

/* Computes the sums step by step. */
struct live_walk {
    const struct run *run;
    struct ordered_tensors births, deaths;
    size_t born, gone;
    struct live_point (*sums)[LIVE_POOLS]; /* by rank */
};

/* False if the run has no tensors; then there is nothing to end. */
bool live_walk_begin(struct live_walk *walk, const struct run *run);

/* The same with only the tensors that certainly exist, for a lower bound: op lines do not show when the host frees a
 * program's results or inputs, so such a tensor counts up to the end of the last program that used it. */
bool live_walk_begin_sure(struct live_walk *walk, const struct run *run);

/* LIVE_POOLS points of the step's rank before it. Steps must not go back; the number of steps means the end of the run, on
 * rank 0, including what the last op of a finished program made. */
const struct live_point *live_walk_to(struct live_walk *walk, uint32_t step);

void live_walk_end(struct live_walk *walk);

/* One row of LIVE_POOLS points per record; the caller frees it. NULL if the run has no tensors. */
struct live_point (*live_curve(const struct run *run))[LIVE_POOLS];

#endif
