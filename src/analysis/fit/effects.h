/* SPDX-License-Identifier: Apache-2.0 */
/* The effects of a change on the trace, worked out once: a search makes thousands of sets of the same few changes. */
#ifndef TTMEM_ANALYSIS_FIT_EFFECTS_H
#define TTMEM_ANALYSIS_FIT_EFFECTS_H

#include "analysis/fit/fit.h"

struct fit_sized {
    uint32_t buffer;
    bool element; /* only changes of the element type, of which the smallest counts */
    uint64_t bytes;
};

struct fit_effects {
    const struct fit_move *moves;
    size_t move_count;
    const struct fit_sized *sizes;
    size_t size_count;
    bool kept;        /* the lists are kept; otherwise there are too many, and the change is applied again */
    uint64_t at_peak; /* the most that it saves at the peak of the unchanged replay */
};

/* For a change of the trace itself, with an `apply`. The lists are in the arena. */
void fit_effects_find(const struct fit *fit, const struct fit_change *change, struct arena *arena, struct fit_effects *out);

/* Adds them to a variant of the same trace. */
void fit_effects_apply(struct fit_variant *v, const struct fit_effects *effects);

#endif
