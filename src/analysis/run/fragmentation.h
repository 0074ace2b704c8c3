/* SPDX-License-Identifier: Apache-2.0 */
/* Free memory against the largest free block, over every memory block of the log. Text logs have no addresses: the gap is
 * known, but not what is between the holes. */
#ifndef TTMEM_ANALYSIS_FRAGMENTATION_H
#define TTMEM_ANALYSIS_FRAGMENTATION_H

#include "model/run.h"

/* One memory block, thousandths of a MB per bank. */
struct free_state {
    uint32_t block;
    uint32_t free, largest;
    uint32_t after_record; /* the record of its rank before it, NONE if it was there from the start */
    uint32_t total;        /* of the bank */
    uint16_t rank;
    int16_t rest; /* remainder of `largest` in bytes if no block holds it */
};

struct fragmentation {
    bool seen;
    struct free_state worst;                       /* where free - largest was greatest, the first of equals */
    struct free_state tightest;                    /* where the largest free block was smallest, the first of equals */
    struct free_state worst_share, tightest_share; /* the same as shares of each one's own bank */
};

/* `out` has POOL_COUNT rows. A pool without memory (a TRACE region of 0 bytes) is not seen. */
void fragmentation_find(const struct run *run, struct fragmentation *out);

/* The same for one rank, in the steps [first, end). */
void fragmentation_between(const struct run *run, uint16_t rank, uint32_t first, uint32_t end, struct fragmentation *out);

/* The same for one pool per rank; `out` has as many rows as run.ranks. */
void fragmentation_by_rank(const struct run *run, enum pool pool, struct fragmentation *out);

static inline uint32_t free_gap(const struct free_state *state) {
    return state->free > state->largest ? state->free - state->largest : 0;
}

#endif
