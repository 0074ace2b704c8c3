/* SPDX-License-Identifier: Apache-2.0 */
/* When each step began, as far as that is known: by the input (Inspector, captures with durations), else by the samples of host
 * memory that were taken while it was the last one in the log, and evenly between them. */
#ifndef TTMEM_MODEL_STEP_TIMES_H
#define TTMEM_MODEL_STEP_TIMES_H

#include "model/run.h"

struct step_times {
    VEC(uint64_t) ns; /* by step, since the start; never falls within a rank. Empty: not known */
    uint64_t end_ns;  /* when the last one ended, or the recording did */
    bool by_samples;
    bool has_host_start;
    int64_t host_start_ms; /* where on this axis the samples of the host count from */
};

void step_times_find(const struct run *run, struct step_times *out);
void step_times_release(struct step_times *times);

/* The last step that had begun by then, NONE. `unix_ns` since 1970; nothing where the run's own start is not known. */
uint32_t step_at_unix_time(const struct run *run, const struct step_times *times, uint64_t unix_ns);

#endif
