/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a log that is in no tensor: maps of tiled reshapes, tables of convolutions and kernel binaries. They are allocated
 * the first time a distinct op runs and stay until the device is closed. No line of a log mentions them; what an op leaves
 * follows from its types (replay/), so it is computed, and shown only as part of what the tensors do not explain. */
#ifndef TTMEM_ANALYSIS_COMPUTED_H
#define TTMEM_ANALYSIS_COMPUTED_H

#include "analysis/run/live.h"

struct computed_part {
    uint64_t bytes; /* per bank of DRAM */
    uint32_t step;  /* of the op that left it: it exists from the next step on */
    uint32_t gone;  /* step at which the device was opened again, or NONE */
    uint16_t rank;
    uint8_t class; /* enum live_class */
};

/* From this step on: what existed, outside tensors too, before any op of the device ran. Ops did not leave it: it is the
 * smallest amount that tensors have left unexplained since. */
struct computed_before {
    uint64_t bytes; /* per bank of DRAM */
    uint32_t step;
    uint16_t rank;
};

struct computed {
    VEC(struct computed_part) parts;    /* in order of their steps */
    VEC(struct computed_before) before; /* likewise */
};

enum { COMPUTED_ALL_RANKS = UINT16_MAX };

/* What ops of a rank before the step `end` left. Nothing for runs that name every buffer, or if the number of banks is
 * unknown. The caller releases it. */
void computed_find(const struct run *run, uint32_t end, uint16_t rank, struct computed *computed);
void computed_release(struct computed *computed);

/* What existed before any op and still does before a step: bytes per bank that must not be charged. */
uint64_t computed_before_ops(const struct run *run, uint16_t rank, uint32_t step);

/* Is memory of the class outside tensors? Sizes of maps and temporaries are exact, those of tables and binaries estimates. */
bool computed_has(enum live_class class);
bool computed_is_estimate(enum live_class class);

/* For a live set of a memory block: charges what is allocated beyond the tensors, and came after the first op, to computed
 * memory, class by class, and never more than that. `allocated` is in thousandths of a MB per bank; `want` as above, 0 if
 * nothing failed. */
void live_compute(const struct run *run, uint32_t step, enum pool pool, int64_t allocated, uint64_t want, struct live_set *set);

#endif
