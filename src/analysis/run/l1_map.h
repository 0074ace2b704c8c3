/* SPDX-License-Identifier: Apache-2.0 */
/* One core's L1 from 0 to its top, per op: firmware and kernel ring, what the program takes (circular buffers, dataflow
 * buffers, scratchpads, growing up from the base), the gap, and the L1 buffers growing down from the top. The gap is what an op
 * has left before tt-metal refuses its program. Needs addresses: ttnn reports, graph captures, Inspector. */
#ifndef TTMEM_ANALYSIS_L1_MAP_H
#define TTMEM_ANALYSIS_L1_MAP_H

#include "model/run.h"

struct l1_layout {
    uint64_t base;        /* end of what firmware and the kernel ring take */
    uint64_t top;         /* end of what buffers get */
    uint64_t small_bytes; /* L1_SMALL above it */
    uint64_t end;         /* of the core's L1; 0: not known */
};

struct l1_op {
    uint32_t record;
    uint32_t step; /* the tightest state of the op */
    uint16_t rank;
    bool has_lowest;
    uint64_t circular, dataflow, scratchpad; /* bytes on the fullest core */
    uint64_t program_end;                    /* address */
    uint64_t lowest;                         /* address of the lowest L1 buffer */
    uint64_t buffer_bytes;                   /* of all of them, per core */
    uint64_t buffers;
    int64_t margin; /* from the program's end to the lowest buffer, else to the top; negative: they overlap */
};

struct l1_map {
    VEC(struct l1_op) ops;         /* the tightest first */
    VEC(struct l1_layout) layouts; /* by rank */
    bool known;                    /* addresses of L1 are */
};

void l1_map_find(const struct run *run, struct l1_map *out);
void l1_map_release(struct l1_map *map);

#endif
