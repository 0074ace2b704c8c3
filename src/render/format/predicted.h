/* SPDX-License-Identifier: Apache-2.0 */
/* Says how to read figures: as predicted, or as bounds. */
#ifndef TTMEM_RENDER_PREDICTED_H
#define TTMEM_RENDER_PREDICTED_H

#include "analysis/compare/footprint.h"
#include "base/strbuf.h"
#include "base/term.h"
#include "model/run.h"

static inline bool run_is_predicted(const struct run *run) { return run && run->origin == RUN_PREDICTED; }

/* Figures are lower bounds: for some buffers only a lower bound of the bytes per bank is known, or parts could not be read,
 * or only one thread may be counted. */
static inline bool run_is_bounded(const struct run *run) {
    return run &&
           ((run->inspector && run->inspector->bounded) || run->unread_pools || run->unspread_pools || run->one_thread_pools);
}

/* A line at the end of an answer; nothing for measured runs. */
void add_predicted_note(struct strbuf *out, const struct term *term, const struct run *run);

/* The same for figures that are bounds. */
void add_bounds_note(struct strbuf *out, const struct term *term, const struct run *run);

#endif
