/* SPDX-License-Identifier: Apache-2.0 */
/* The free memory of a pool by address: holes, and what is between them. A pin is an unbroken stretch of buffers between
 * two holes; elsewhere, it would let the holes become one. */
#ifndef TTMEM_ANALYSIS_HOLES_H
#define TTMEM_ANALYSIS_HOLES_H

#include "model/run.h"

struct pin {
    uint64_t address, bytes; /* per bank */
    uint32_t tensor;         /* its largest tensor */
    uint32_t tensors;
    uint64_t joined; /* the free block without it */
};

/* A free block, and what bounds it. */
struct hole {
    uint64_t address, bytes;
    uint32_t below, above; /* tensors that end and begin there; NONE: the start or the end of the pool */
};

struct holes {
    uint64_t base, bytes; /* of the pool */
    uint64_t count, free, largest;
    bool possible;         /* sizes of some buffers are lower bounds: a hole above one may be smaller, or belong to it */
    VEC(struct hole) list; /* by address */
    VEC(struct pin) pins;  /* largest resulting free block first */
};

/* Before a step. False: addresses or the pool's region are unknown. */
bool holes_at(const struct run *run, uint32_t step, enum pool pool, struct holes *out);
void holes_release(struct holes *holes);

#endif
