/* SPDX-License-Identifier: Apache-2.0 */
/* Says of figures that they are predicted. */
#ifndef TTMEM_RENDER_PREDICTED_H
#define TTMEM_RENDER_PREDICTED_H

#include "analysis/compare/footprint.h"
#include "base/strbuf.h"
#include "base/term.h"
#include "model/run.h"

static inline bool run_is_predicted(const struct run *run) { return run && run->origin == RUN_PREDICTED; }

/* The name of a predicted run ends so, wherever it is kept. */
bool footprint_is_predicted(const struct footprint *f);

/* A line at the end of an answer; nothing for runs that ran. */
void add_predicted_note(struct strbuf *out, const struct term *term, const struct run *run);

#endif
