/* SPDX-License-Identifier: Apache-2.0 */
/* The modules that a predicted run holds, predicted again, so that changes are tried on them: reports then say what ttmem fit
 * says of the modules. */
#ifndef TTMEM_PREDICT_FIT_RUN_MODULES_H
#define TTMEM_PREDICT_FIT_RUN_MODULES_H

#include "analysis/fit/near_end.h"
#include "predict/prediction.h"

/* False, with nothing to release: the run holds no modules. */
bool prediction_of_run(struct prediction *p, const struct run *run, const char *path);

/* Reports of predicted runs use it from now on (fit_modules). */
void fit_run_modules_offer(void);

#endif
