/* SPDX-License-Identifier: Apache-2.0 */
/* What would fit, for reports: only of runs that failed or came near the end of a bank, with a tenth of it free as the target;
 * of one that failed, that it fits. */
#ifndef TTMEM_ANALYSIS_FIT_NEAR_END_H
#define TTMEM_ANALYSIS_FIT_NEAR_END_H

#include "analysis/fit/fit.h"

enum { FIT_NEAR_END_PERCENT = 90 };

struct fit_near_end {
    struct fit_trace trace;
    struct fit fit;
    size_t useful; /* changes that bring it nearer: the first of fit.changes */
};

/* False, with nothing to release: there is nothing to say. */
bool fit_near_end(struct fit_near_end *out, const struct run *run);
void fit_near_end_release(struct fit_near_end *near);

#endif
