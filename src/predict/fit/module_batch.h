/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled programs with another batch, as a change. */
#ifndef TTMEM_PREDICT_FIT_MODULE_BATCH_H
#define TTMEM_PREDICT_FIT_MODULE_BATCH_H

#include "analysis/fit/fit.h"
#include "predict/prediction.h"

extern const struct fit_kind module_batch;

/* What is assumed for another batch. */
const char *module_batch_assumption(const struct prediction *p);

/* By how much its peak may be off. */
uint64_t module_batch_uncertainty(const struct fit *fit);

#endif
