/* SPDX-License-Identifier: Apache-2.0 */
/* What would fit, for reports: only for runs that failed, where the target is to fit, or that came near the end of a bank,
 * where it is to leave a tenth free. The figures are those of ttmem fit: for a prediction they come from its modules. */
#ifndef TTMEM_ANALYSIS_FIT_NEAR_END_H
#define TTMEM_ANALYSIS_FIT_NEAR_END_H

#include "analysis/fit/fit.h"

enum { FIT_NEAR_END_PERCENT = 90 };

/* Provided by the prediction code, from the run's modules: what follows a failure, and other sizes. */
struct fit_modules {
    /* The trace and the other changes to try; NULL: the run has no modules, or they are not followed to their end. */
    const struct fit_trace *(*begin)(const struct run *run, enum pool pool, struct fit_source *source,
                                     const struct fit_kind *const **kinds);
    void (*end)(void *context); /* of the source */
};
extern const struct fit_modules
    *fit_modules; /* set by input/, which knows the prediction code; NULL: predictions are left out */

struct fit_near_end {
    struct fit_trace trace; /* of a measured run */
    struct fit_source source;
    struct fit fit;
};

/* False, with nothing to release, if there is nothing to say. */
bool fit_near_end(struct fit_near_end *out, const struct run *run);
void fit_near_end_release(struct fit_near_end *near);

#endif
