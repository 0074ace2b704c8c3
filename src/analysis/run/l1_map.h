/* SPDX-License-Identifier: Apache-2.0 */
/* One core's L1 from 0 to its top, per op: firmware and kernel ring, what the program takes (circular buffers, dataflow
 * buffers, scratchpads, growing up from the base), the gap, and the L1 buffers growing down from the top. The gap is what an
 * op has left before tt-metal refuses its program. Addresses are in ttnn reports, graph captures and Inspector, and in
 * messages of refused programs. */
#ifndef TTMEM_ANALYSIS_L1_MAP_H
#define TTMEM_ANALYSIS_L1_MAP_H

#include "model/run.h"

struct l1_layout {
    uint64_t base;        /* end of firmware and kernel ring */
    uint64_t top;         /* end of the buffers' part */
    uint64_t small_bytes; /* L1_SMALL above it */
    uint64_t end;         /* of the core's L1; 0: unknown */
    bool told;            /* from the input; otherwise from the chip's table, and the base moves between releases */
};

struct l1_op {
    uint32_t record;  /* NONE: a failure without a known op */
    uint32_t step;    /* the tightest state of the op */
    uint32_t failure; /* number in run.failures of the message that this comes from; NONE: from the state */
    uint16_t rank;
    bool has_lowest;
    uint64_t circular, dataflow, scratchpad; /* bytes on the fullest core */
    uint64_t program_end;                    /* address */
    uint64_t lowest;                         /* address of the lowest L1 buffer */
    uint64_t buffer_bytes;                   /* of all of them, per core */
    uint64_t buffers;
    bool program_known; /* the size of the program is known; a message without the base gives only its end */
    int64_t margin;     /* from the program's end to the lowest buffer, else to the top; negative: they overlap */
};

struct l1_map {
    VEC(struct l1_op) ops;         /* tightest first */
    VEC(struct l1_layout) layouts; /* by rank */
    bool known;                    /* addresses in L1 are known */
};

/* Where a core's L1 ends, from the layout or the op's message; 0: unknown. */
uint64_t l1_op_end(const struct run *run, const struct l1_map *map, const struct l1_op *op);

/* The cores of the op's program as disjoint rectangles; appended. None if unknown. */
typedef VEC(struct l1_area) l1_areas;
void l1_op_areas(const struct run *run, const struct l1_op *op, l1_areas *out);

/* The first core of the area with the most bytes; false if there is none. */
bool l1_fullest(const l1_areas *areas, struct l1_area *core);

/* Name of the op of a failure, as far as known. */
struct slice l1_failure_op(const struct run *run, uint32_t failure);

void l1_map_find(const struct run *run, struct l1_map *out);
void l1_map_release(struct l1_map *map);

#endif
