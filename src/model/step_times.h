/* SPDX-License-Identifier: Apache-2.0 */
/* When each step began, as far as known: from the input (Inspector, captures with durations), else from the host memory
 * samples taken while it was the last step in the log, evenly spread between them. */
#ifndef TTMEM_MODEL_STEP_TIMES_H
#define TTMEM_MODEL_STEP_TIMES_H

#include "model/run.h"

struct step_times {
    VEC(uint64_t) ns; /* by step, since the start; never decreases within a rank. Empty: unknown */
    uint64_t end_ns;  /* when the last one ended, or the recording */
    bool by_samples;
    bool has_host_start;
    int64_t host_start_ms; /* position of the host samples' zero on this axis */
};

void step_times_find(const struct run *run, struct step_times *out);
void step_times_release(struct step_times *times);

/* The last step that had begun by then, or NONE. `unix_ns` since 1970; none if the run's own start is unknown. */
uint32_t step_at_unix_time(const struct run *run, const struct step_times *times, uint64_t unix_ns);

#endif
