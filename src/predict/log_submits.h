/* SPDX-License-Identifier: Apache-2.0 */
/* What a log says about the memory around the programs that it ran. */
#ifndef TTMEM_PREDICT_LOG_SUBMITS_H
#define TTMEM_PREDICT_LOG_SUBMITS_H

#include "predict/prediction.h"

/* DRAM per bank before and after the program of a form, thousandths of a MB; -1: the log does not say. */
struct submit_state {
    int64_t before, after;
};

struct submit_state log_submit(const struct run *log, uint32_t execution);

/* How far a replay is from what the log says before the submits; -1: the log says nothing. */
int64_t log_submit_distance(const struct prediction *p, const struct run *log, const struct replay *replay);

#endif
