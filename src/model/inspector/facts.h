/* SPDX-License-Identifier: Apache-2.0 */
/* What an Inspector folder records besides buffers: how certain their sizes are, whether the simulated allocator would place
 * them the same way, how many programs exist. Part of a run. */
#ifndef TTMEM_MODEL_INSPECTOR_FACTS_H
#define TTMEM_MODEL_INSPECTOR_FACTS_H

#include <stdint.h>

#include "base/vec.h"
#include "parse/memview.h"

/* How ops were matched with the accompanying log: by line times and names, or by the order of names. */
enum inspector_tie { TIED_NOT, TIED_BY_TIME, TIED_BY_ORDER };

struct inspector_facts {
    uint64_t start_unix_ns;          /* start of the run; 0: unknown */
    uint64_t buffers, bounded;       /* `bounded`: those whose bytes per bank are only a lower bound */
    uint64_t bounded_in[POOL_COUNT]; /* `bounded` by pool */
    uint64_t most_peak[POOL_COUNT];  /* highest allocated bytes per bank, with every buffer at its upper bound */
    uint64_t most_slack[POOL_COUNT]; /* most bytes per bank by which one buffer can exceed its lower bound */
    uint64_t views, moves, torn;
    uint64_t named, several;      /* buffers whose size and order leave one possible tensor, or a few */
    uint64_t tied_ops;            /* ops found in the accompanying log */
    uint64_t tied_by;             /* enum inspector_tie */
    uint64_t replayed, as_placed; /* placed by the simulated allocator, and at the same address */
    uint64_t programs_made, programs_kept;
    uint64_t meshes;     /* that own devices, on the rank that has most: above 1 addresses cannot be told apart */
    uint64_t chip_named; /* 1: the user or the accompanying log named the chip; 0: it is the one that fits the addresses */
    uint64_t beyond;     /* buffers at addresses that the named chip does not have */
    uint64_t likelier;   /* a chip on which far more of the first buffers are adjacent than on the named one: its row + 1; 0 */
    VEC(int64_t) pass_programs; /* programs kept at the end of each pass, over all ranks */
    VEC(uint32_t) op_programs;  /* programs kept when each op was recorded, by record */
    VEC(uint64_t) slacks;       /* of each tensor with `bounded`, in their order: by how much it can exceed its lower bound */
};

#endif
