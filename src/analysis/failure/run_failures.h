/* SPDX-License-Identifier: Apache-2.0 */
/* The failures of a run with what the run shows about the moment: the running op, its result, the chip. */
#ifndef TTMEM_ANALYSIS_RUN_FAILURES_H
#define TTMEM_ANALYSIS_RUN_FAILURES_H

#include "analysis/failure/explain.h"
#include "model/run.h"

/* Explains the run's own failures. */
void run_explain(const struct run *run, struct explain *out);

/* Explains failures that were found in the same text separately; those at the same line as one of the run's get its context. */
void run_explain_set(const struct run *run, const struct failure_set *set, struct explain *out);

/* The last fatal error that is not about memory and that ended the run, or NULL; *rank is that of its line. */
const struct failure_entry *run_other_fatal(const struct run *run, uint16_t *rank);

/* Adds the op of a step, its result and what was alive before it. */
void run_describe_step(const struct run *run, uint32_t step, const struct failure *failure, struct failure_context *out);

/* Step of the op that was running when entry `number` of run.failures was printed, or NONE. */
uint32_t run_failure_step(const struct run *run, size_t number);

#endif
