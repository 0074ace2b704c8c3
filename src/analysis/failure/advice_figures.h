/* SPDX-License-Identifier: Apache-2.0 */
/* The figures that advice names ("$free"), and what a piece of advice gives; private to the advice. */
#ifndef TTMEM_ANALYSIS_ADVICE_FIGURES_H
#define TTMEM_ANALYSIS_ADVICE_FIGURES_H

#include "analysis/failure/verdict.h"
#include "base/strbuf.h"

struct figures {
    const struct failure *f;
    const struct failure_context *context;
    const struct verdict *v;
};

/* Appends the figure of this name; false when it is not known, or when a condition does not hold. */
bool advice_figure(struct strbuf *out, struct slice name, const struct figures *x);

/* What a piece of advice changes, in bytes per bank. */
struct advice_gain {
    uint64_t space;   /* that becomes free, in one piece */
    uint64_t request; /* by which the request becomes smaller */
};

typedef bool gain_fn(const struct figures *x, struct advice_gain *out); /* false: not known */

gain_fn gain_trace, gain_padding, gain_weights, gain_request_bfp8, gain_l1_tensors;

/* Whether an allocation succeeds with these gains. What becomes free joins the free memory where that is in one piece; else it
 * has to hold the request alone. False when the message lacks the figures. */
bool gains_suffice(const struct failure *f, const struct advice_gain *sum);

/* What one gain has to give, 0 when that is not known. */
uint64_t gain_missing(const struct failure *f);

/* Marks the first piece of advice that is enough alone, or the smallest set that is. `gains` has one per piece; those that are
 * not counted are zero. `enough`: bit per piece that is enough whatever the figures say. */
void advice_choose(const struct failure *f, const struct advice_gain *gains, unsigned enough, struct verdict *v);

#endif
