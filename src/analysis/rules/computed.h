/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a log that is in no tensor: maps of tiled reshapes, tables of convolutions and kernel binaries. They come the first
 * time a distinct operation runs and stay until the device is closed. No line of a log tells about them; what an operation
 * leaves follows from its types (replay/), so it is computed, and only ever shown as part of what the tensors do not explain.
 */
#ifndef TTMEM_ANALYSIS_COMPUTED_H
#define TTMEM_ANALYSIS_COMPUTED_H

#include "analysis/run/live.h"

struct computed_part {
    uint64_t bytes; /* per bank of DRAM */
    uint32_t step;  /* of the operation that left it: there from the next step on */
    uint32_t gone;  /* step at which the device was opened again, NONE */
    uint16_t rank;
    uint8_t class; /* enum live_class */
};

/* From this step on: what was there before any operation of the device ran, in no tensor either. It is of nothing that
 * operations left: the least that tensors have left unexplained since. */
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

/* What operations of a rank before the step `end` left. Nothing for runs that name every buffer, and where the number of banks
 * is not known. To be released. */
void computed_find(const struct run *run, uint32_t end, uint16_t rank, struct computed *computed);
void computed_release(struct computed *computed);

/* What was there before any operation, as far as it is still there before a step: bytes per bank that are not to be charged. */
uint64_t computed_before_ops(const struct run *run, uint16_t rank, uint32_t step);

/* Whether memory of the class is in no tensor. Sizes of maps and temporaries are exact, those of tables and binaries estimates.
 */
bool computed_has(enum live_class class);
bool computed_is_estimate(enum live_class class);

/* For a live set of a memory block: charges what is allocated beyond the tensors, and came after the first operation, to what
 * is computed, class by class, and never more than that. `allocated` is in thousandths of a MB per bank; `want` as above, 0
 * where nothing failed. */
void live_compute(const struct run *run, uint32_t step, enum pool pool, int64_t allocated, uint64_t want, struct live_set *set);

#endif
