/* The parameters and constants of a run's programs. */
#ifndef TTMEM_ANALYSIS_WEIGHTS_H
#define TTMEM_ANALYSIS_WEIGHTS_H

#include "model/run.h"

struct weights {
    VEC(uint32_t) entries; /* of run.registry, largest first, lower entry first on ties */
};

void weights_list(const struct run *run, struct weights *out);
void weights_release(struct weights *weights);

#endif
