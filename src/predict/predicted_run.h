/* SPDX-License-Identifier: Apache-2.0 */
/* A prediction as a run: what `ttmem summary`, live, op, check, diff and others read if they get a compiled module instead
 * of a log. Every buffer has the address that the replay gave it; running out of memory is a failure of the run. */
#ifndef TTMEM_PREDICT_PREDICTED_RUN_H
#define TTMEM_PREDICT_PREDICTED_RUN_H

#include "base/err.h"
#include "base/slice.h"

struct prediction;
struct run;

/* The text of a module, of any stage: those before TTNN have no layouts yet. */
bool predicted_run_is_module(struct slice bytes);

/* Judged by its first bytes: the text of a TTNN module, or a compiled binary. */
bool predicted_run_looks_like(struct slice bytes);

/* The bytes must outlive the run. Returns -1 with ERR_LACKS if there is nothing to run. */
int predicted_run_read(struct run *run, struct slice bytes, const char *path, struct err *err);

/* The run of a prediction as made: its device, options and all its programs. The prediction must outlive the run. */
void predicted_run_of(struct run *run, const struct prediction *p);

#endif
