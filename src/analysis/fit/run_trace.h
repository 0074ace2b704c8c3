/* SPDX-License-Identifier: Apache-2.0 */
/* The trace of one rank of a run in one pool. If buffers have addresses, as in captures and Inspector folders, it is what
 * happened. A log gives the sizes and lifetimes of tensors; what its memory blocks hold beyond them is added as filler that
 * grows and shrinks with them, so that the replay reaches the measured level. */
#ifndef TTMEM_ANALYSIS_FIT_RUN_TRACE_H
#define TTMEM_ANALYSIS_FIT_RUN_TRACE_H

#include "analysis/fit/trace.h"

/* Why there is no trace. */
enum fit_lacks {
    FIT_LACKS_NOTHING,
    FIT_LACKS_TENSORS,
    FIT_LACKS_SIZES,
    FIT_LACKS_CAPACITY,
    FIT_LACKS_BANKS,
    FIT_LACKS_REQUEST,
    FIT_LACKS_LEVELS, /* what was allocated between ops */
    FIT_LACKS_END
};

/* The run must outlive the trace. Unless the result is FIT_LACKS_NOTHING, there is nothing to release. */
enum fit_lacks fit_run_trace(struct fit_trace *trace, const struct run *run, uint16_t rank, enum pool pool);

/* The rank that ran out of memory in the pool, else the one with the highest peak there. */
uint16_t fit_rank_of(const struct run *run, enum pool pool);

/* The pool that ran out of memory first, else DRAM. */
enum pool fit_pool_of(const struct run *run);

#endif
