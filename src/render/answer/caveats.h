/* SPDX-License-Identifier: Apache-2.0 */
/* What whoever reads the figures of a run should know: bounds, estimates, a cut log. */
#ifndef TTMEM_RENDER_CAVEATS_H
#define TTMEM_RENDER_CAVEATS_H

#include "base/strbuf.h"
#include "model/run.h"

/* Appends a line for each. */
void run_caveats(struct strbuf *out, const struct run *run);

#endif
