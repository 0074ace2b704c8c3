/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts the modules of a predicted run again, so that changes can be tried on them: reports then say what ttmem fit says
 * about the modules. */
#ifndef TTMEM_PREDICT_FIT_RUN_MODULES_H
#define TTMEM_PREDICT_FIT_RUN_MODULES_H

#include "analysis/fit/near_end.h"
#include "predict/prediction.h"

/* False, with nothing to release, if the run has no modules. */
bool prediction_of_run(struct prediction *p, const struct run *run, const char *path);

/* From now on reports of predicted runs use it (fit_modules). */
void fit_run_modules_offer(void);

#endif
