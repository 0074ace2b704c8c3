/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of the live tensors before every step or every record, in DRAM and L1. */
#ifndef TTMEM_ANALYSIS_LIVE_CURVE_H
#define TTMEM_ANALYSIS_LIVE_CURVE_H

#include "analysis/run/live.h"

struct live_point {
    uint64_t logical_bytes, padded_bytes, per_bank_bytes;
    uint32_t tensors, bank_unknown; /* see struct live_sum */
    uint64_t least_bytes;           /* per bank: what was there at least, as far as tensors and the last block tell; else 0 */
};

enum { LIVE_POOLS = 2 }; /* POOL_DRAM and POOL_L1 */

/* Tensors in the order of a step of theirs: those of step i stand from starts[i] on, up to starts[i + 1]. The last place is for
 * those that live to the end. */
struct ordered_tensors {
    uint32_t *ids;
    uint32_t *starts;
};

/* The last block of a rank that measured a pool. */
struct live_base {
    bool known;
    uint64_t allocated_bytes, tensors_bytes; /* per bank: as measured, and what the tensors add up to there */
};

/* A rank while a walk goes along. */
struct live_walk_rank {
    struct live_point all[LIVE_POOLS], sure[LIVE_POOLS];
    struct live_base base[LIVE_POOLS];
};

/* The sums step by step. */
struct live_walk {
    const struct run *run;
    struct ordered_tensors births, deaths, sure_ends;
    size_t born, gone, sure_gone, part;
    bool has_sure; /* else all tensors are */
    struct live_walk_rank *ranks;
    struct live_point points[LIVE_POOLS];
};

/* False when the run has no tensors; nothing is to be ended then. */
bool live_walk_begin(struct live_walk *walk, const struct run *run);

/* LIVE_POOLS points of the step's rank before it: as live_at tells, of what is there for certain where nothing was measured.
 * Steps must not go back; the number of steps is the end of the run, of rank 0, with what the last op of a program that
 * finished has made. */
const struct live_point *live_walk_to(struct live_walk *walk, uint32_t step);

void live_walk_end(struct live_walk *walk);

/* One row of LIVE_POOLS points per record; free() it. NULL when the run has no tensors. */
struct live_point (*live_curve(const struct run *run))[LIVE_POOLS];

#endif
