/* SPDX-License-Identifier: Apache-2.0 */
/* What each pass of the most frequent program leaves, by a robust slope over the passes' ends. */
#ifndef TTMEM_MODEL_PASS_GROWTH_H
#define TTMEM_MODEL_PASS_GROWTH_H

#include "model/left/leak_pick.h"
#include "model/run.h"

/* The ends of the passes of the most frequent program, on one rank. */
struct pass_ends {
    uint32_t program;    /* NONE: nothing finished */
    size_t skipped;      /* the first fifth, which fills caches */
    VEC(uint32_t) steps; /* the last step of each pass */
};

void pass_ends_find(const struct run *run, struct pass_ends *out);
void pass_ends_release(struct pass_ends *ends);

/* The slope of the bytes per bank of a pool after each pass, without the first fifth. Unknown with fewer than SLOPE_LEAST
 * passes, or if a pass is not followed by a state of the pool. */
void pass_growth_find(const struct run *run, enum pool pool, struct slope *out);

/* The same for the DRAM of each series, by its own passes. */
void pass_growth_of_series(const struct run *run, struct pass_series *series, size_t count);

#endif
