/* SPDX-License-Identifier: Apache-2.0 */
/* What an Inspector folder records besides the buffers: how sure their sizes are, whether the allocator would have placed them
 * as they were, how many programs are kept. Part of a run. */
#ifndef TTMEM_MODEL_INSPECTOR_FACTS_H
#define TTMEM_MODEL_INSPECTOR_FACTS_H

#include <stdint.h>

#include "base/vec.h"
#include "parse/memview.h"

/* How operations were found in the log beside the folder: by the times of its lines and by names, or by names in order. */
enum inspector_tie { TIED_NOT, TIED_BY_TIME, TIED_BY_ORDER };

struct inspector_facts {
    uint64_t start_unix_ns;          /* when the run began; 0: not known */
    uint64_t buffers, bounded;       /* the latter: of these only a lower bound of their bytes per bank is known */
    uint64_t bounded_in[POOL_COUNT]; /* of `bounded`, by pool */
    uint64_t most_peak[POOL_COUNT];  /* bytes per bank that were allocated at most, with every buffer as large as it can be */
    uint64_t most_slack[POOL_COUNT]; /* bytes per bank that one buffer can be larger than it is taken for */
    uint64_t views, moves, torn;
    uint64_t named, several;      /* buffers for which size and order leave one tensor, and a few */
    uint64_t tied_ops;            /* operations that were found in the log beside */
    uint64_t tied_by;             /* enum inspector_tie */
    uint64_t replayed, as_placed; /* placed by the simulated allocator, and at the same address */
    uint64_t programs_made, programs_kept;
    uint64_t meshes;     /* that own devices, of the rank that has most: above 1 addresses cannot be distinguished */
    uint64_t chip_named; /* 1: whoever asked named the chip, or the log beside did; 0: it is the one that fits the addresses */
    uint64_t beyond;     /* buffers at addresses that the named chip does not have */
    uint64_t likelier;   /* of the first buffers far more lie side by side on this chip than on the named one: its row + 1; 0 */
    VEC(int64_t) pass_programs; /* kept at the end of each pass, of all ranks */
    VEC(uint32_t) op_programs;  /* kept when each op was told about, by record */
};

#endif
