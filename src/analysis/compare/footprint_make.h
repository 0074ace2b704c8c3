/* SPDX-License-Identifier: Apache-2.0 */
/* A footprint under construction: what footprint_run.c and footprint_ranks.c share. */
#ifndef TTMEM_ANALYSIS_FOOTPRINT_MAKE_H
#define TTMEM_ANALYSIS_FOOTPRINT_MAKE_H

#include "analysis/compare/footprint.h"
#include "analysis/pass/leaks.h"

/* The footprint's ids of the run's strings, ops and steps. */
struct making {
    const struct run *run;
    struct footprint *f;
    const struct run_pass *pass; /* NULL: all of the run */
    uint32_t *strings;           /* of the run -> of the footprint, + 1; 0: not met yet */
    uint32_t *ordinals;          /* per step: records of its rank before it */
    struct map kinds, op_kinds;  /* op_kinds: (op, program name) -> kind */
    struct leaks leaks;
};

struct footprint_tensor footprint_tensor_row(struct making *m, const struct tensor *tensor, enum pool pool);

/* The peaks of each rank; then, for a run of several ranks, its figures at them. */
void footprint_rank_peaks(struct making *m, const struct overview *o);
void footprint_rank_figures(struct making *m, const struct overview *o);

#endif
