/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of the live tensors before every record, in DRAM and L1. */
#ifndef TTMEM_ANALYSIS_LIVE_CURVE_H
#define TTMEM_ANALYSIS_LIVE_CURVE_H

#include "analysis/run/live.h"

struct live_point {
    uint64_t logical_bytes, padded_bytes, per_bank_bytes;
    uint32_t tensors, bank_unknown; /* see struct live_sum */
};

enum { LIVE_POOLS = 2 }; /* POOL_DRAM and POOL_L1 */

/* One row of LIVE_POOLS points per record; free() it. NULL when the run has no tensors. */
struct live_point (*live_curve(const struct run *run))[LIVE_POOLS];

#endif
