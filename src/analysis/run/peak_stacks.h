/* SPDX-License-Identifier: Apache-2.0 */
/* What is alive at the peak of a pool, as stacks of names: program, modules, op. Bytes are per bank, so that they add up to
 * the memory block; what no tensor explains is a separate stack. A run without memory blocks does not show how many banks
 * there are: bytes are then over all banks. */
#ifndef TTMEM_ANALYSIS_PEAK_STACKS_H
#define TTMEM_ANALYSIS_PEAK_STACKS_H

#include "analysis/run/live.h"
#include "base/table/strtab.h"

struct peak_stack {
    uint32_t first, depth; /* frames, outermost first */
    uint64_t bytes;
};

struct peak_stacks {
    struct strtab names;
    VEC(uint32_t) frames;          /* name ids */
    VEC(struct peak_stack) stacks; /* distinct ones, in the order of the live set: largest tensor first */
    struct map by_frames;
    uint64_t bytes;
};

static inline bool banks_known(const struct run *run) { return run->geometry.dram_banks > 0; }

static inline uint64_t sum_by_banks(const struct run *run, const struct live_sum *sum) {
    return banks_known(run) ? sum->per_bank_bytes : sum->padded_bytes;
}

/* False: nothing is known to be alive in that pool. From memory blocks if there are some, else from the tensors alone. */
bool peak_stacks_make(const struct run *run, enum pool pool, struct peak_stacks *out);
void peak_stacks_release(struct peak_stacks *stacks);

#endif
