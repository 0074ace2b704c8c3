/* SPDX-License-Identifier: Apache-2.0 */
/* What the memory blocks and op lines of a run show about the moment of a failure, as figures for advice. */
#ifndef TTMEM_ANALYSIS_FAILURE_ALIVE_H
#define TTMEM_ANALYSIS_FAILURE_ALIVE_H

#include "analysis/failure/verdict.h"
#include "analysis/run/live.h"

/* The pools of the run, whatever failed: sizes and the most that was in use. */
void alive_pools(const struct run *run, struct failure_context *out);

/* DRAM that is free before the op at this step, if its block says so. */
void alive_before(const struct run *run, uint32_t step, struct failure_context *out);

/* For a set of live tensors: what they hold, and what bfloat8_b would save. */
struct alive_figures alive_sum(const struct run *run, const struct live_set *set);

/* What a bank needs for a tensor of this type in bfloat8_b; 0 if that is not less, or unknown. */
uint64_t alive_bfp8_per_bank(const struct run *run, const struct tensor_type *type);

#endif
