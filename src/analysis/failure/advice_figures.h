/* SPDX-License-Identifier: Apache-2.0 */
/* The figures that advice names ("$free"), and the gain of a piece of advice; private to the advice. */
#ifndef TTMEM_ANALYSIS_ADVICE_FIGURES_H
#define TTMEM_ANALYSIS_ADVICE_FIGURES_H

#include "analysis/failure/verdict.h"
#include "base/strbuf.h"

struct figures {
    const struct failure *f;
    const struct failure_context *context;
    const struct verdict *v;
};

/* Appends the figure of this name; false if it is unknown, or if a condition does not hold: one of advice_condition, or
 * "no_" and the name of a figure that must be unknown. */
bool advice_figure(struct strbuf *out, struct slice name, const struct figures *x);

/* May rows name it? */
bool advice_has_figure(struct slice name);

/* Is there a condition of this name ("more_cores"), and does it hold? */
bool advice_condition(struct slice name, const struct figures *x, bool *holds);

/* Cores of the chip that hold L1 tensors: the most and the fewest of the possible boards. */
uint64_t advice_most_cores(const struct figures *x);
uint64_t advice_sure_cores(const struct figures *x);

/* Are the buffers of the message on fewer cores than every possible board has, on all cores of every one, or is neither
 * certain? */
bool advice_more_cores(const struct figures *x);
bool advice_all_cores(const struct figures *x);
bool advice_maybe_all_cores(const struct figures *x);

/* The largest L1 that a core can have, and whether more was requested per bank. */
uint64_t advice_core_l1(const struct figures *x);
bool advice_is_beyond_l1(const struct figures *x);

/* L1_SMALL is empty: only the request counts. */
bool advice_l1_small_is_empty(const struct failure *f);

/* The gain of a piece of advice, in bytes per bank. */
struct advice_gain {
    uint64_t space;   /* becomes free, anywhere */
    uint64_t piece;   /* the part in one piece */
    uint64_t request; /* by which the request becomes smaller */
};

typedef bool gain_fn(const struct figures *x, struct advice_gain *out); /* false: unknown */

gain_fn gain_trace, gain_padding, gain_weights, gain_cache, gain_request_bfp8, gain_l1_tensors;

/* Does an allocation certainly succeed with these gains? Memory that becomes free joins the free memory if that is in one
 * piece; otherwise one piece of it must hold the request alone. False if the message lacks the figures. */
bool gains_suffice(const struct failure *f, const struct advice_gain *sum);

/* Does it certainly still fail with them: everything that is or becomes free is less than the request? */
bool gains_fall_short(const struct failure *f, const struct advice_gain *sum);

/* What one gain must provide, 0 if unknown. */
uint64_t gain_missing(const struct failure *f);

/* What a bank lacks in total, even if its free memory were in one piece; 0: nothing, or unknown. */
uint64_t gain_missing_in_sum(const struct failure *f);

/* The free memory is in pieces: one gain must provide the whole request, in one piece. */
bool gain_in_one_piece(const struct failure *f);

/* The smallest set of the `count` gains that is enough, one bit each; 0: none. Gains without a figure are zero. */
unsigned gains_smallest_set(const struct failure *f, const struct advice_gain *gains, size_t count);

/* The sum of a set's gains; of all gains for an empty set. */
struct advice_gain gains_sum(const struct advice_gain *gains, size_t count, unsigned set);
uint64_t gain_total(const struct advice_gain *gain);

/* The largest free block could hold the request: freeing memory does not help. */
bool advice_request_fits(const struct failure *f, const struct verdict *v);

#endif
