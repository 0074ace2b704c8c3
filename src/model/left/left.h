/* SPDX-License-Identifier: Apache-2.0 */
/* What passes leave allocated according to a log: results that nothing frees, of programs whose passes leave memory behind.
 * In the model, results go with their program or when it runs again; those that certainly leak stay. */
#ifndef TTMEM_MODEL_LEFT_H
#define TTMEM_MODEL_LEFT_H

#include "model/left/leak_pick.h"

struct left_behind {
    VEC(struct pass_series) series;
    VEC(struct leak_candidate) candidates; /* by series, kind and tensor */
    bool known;                            /* frees are known and a program ran more than once */
};

/* For a run that knows its buffers' addresses, only the series: it records frees itself. */
void left_find(const struct run *run, struct left_behind *out);
void left_release(struct left_behind *left);

/* Marks the tensors that certainly leak and keeps them alive; part of the end of a run. */
void run_link_left(struct run *run);

#endif
