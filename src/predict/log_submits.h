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

/* The next op of an execution from a step on, including nested ones, in log order; the number of steps if there is none. */
size_t log_next_op(const struct run *log, const struct execution *e, size_t from);
bool log_same_name(const struct run *log, const struct step *step, const struct ir_op *op);

/* The execution of the log that corresponds to a program of the replay: if the module is not from the log itself, the first
 * from `from` on that begins like the program; or NONE. */
uint32_t log_execution(const struct run *log, const struct prediction *p, const struct replay *r, size_t program,
                       uint32_t from);

/* The distance of a replay from the memory that the log shows before the submits; -1: it shows none. */
int64_t log_submit_distance(const struct prediction *p, const struct run *log, const struct replay *replay);

#endif
