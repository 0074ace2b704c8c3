/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters and constants of a run's programs, as they are on one device: a weight that several programs use is one
 * buffer and counts once. If ranks have different weights, or a device was opened again and is empty, the figures are those
 * of the rank and part with the most bytes. */
#ifndef TTMEM_ANALYSIS_WEIGHTS_H
#define TTMEM_ANALYSIS_WEIGHTS_H

#include "model/run.h"

struct weight_sum {
    uint64_t count, bytes;
    uint64_t shared; /* those that more than one program uses */
    bool of_part;    /* other parts of the run have other weights */
    uint64_t line;   /* line where the part begins; 0: the first one */
    uint16_t rank;
};

struct weights {
    VEC(uint32_t) entries; /* in run.registry, largest first, lower entry first on ties */
};

struct weight_sum weights_total(const struct run *run);

/* What one program gets, shared with others or not. */
struct weight_sum weights_of_program(const struct run *run, uint32_t program);

void weights_list(const struct run *run, struct weights *out);
void weights_release(struct weights *weights);

#endif
