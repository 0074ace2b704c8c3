/* SPDX-License-Identifier: Apache-2.0 */
/* What L1 holds at the highest moment inside an op, for inputs that record it: memory of its program (circular buffers,
 * dataflow buffers, scratchpads), buffers that come and go inside it, and buffers that existed before or stay. Bytes per
 * core (bank), of buffers as they are, not rounded. */
#ifndef TTMEM_ANALYSIS_OP_INSIDE_H
#define TTMEM_ANALYSIS_OP_INSIDE_H

#include "model/run.h"

struct op_inside {
    bool known;
    uint32_t step; /* the state inside it */
    uint64_t program_bytes, inside_bytes, other_bytes, total_bytes;
};

void op_inside_find(const struct run *run, uint32_t record, struct op_inside *out);

#endif
