/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of a run: consecutive runs of programs that the host submitted. Nested programs belong to theirs. */
#ifndef TTMEM_ANALYSIS_PASSES_H
#define TTMEM_ANALYSIS_PASSES_H

#include "model/run.h"

struct run_pass {
    uint32_t execution;
    uint16_t rank;
    uint32_t first_step, end_step;     /* [first, end); steps of other ranks may be in between */
    uint32_t first_record, end_record; /* the same for records */
    uint64_t first_line, end_line;     /* up to the start of the rank's next pass; UINT64_MAX: the last one */
    uint32_t start, end; /* DRAM in the first block of the pass and in the first one after it, thousandths of a MB per bank;
                            NONE: unknown */
};

struct passes {
    VEC(struct run_pass) items;
};

/* Those of one rank, in order. */
void passes_find(const struct run *run, uint16_t rank, struct passes *out);
void passes_release(struct passes *passes);

#endif
