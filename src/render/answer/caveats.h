/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader of a run's figures must know: bounds, estimates, a cut log. */
#ifndef TTMEM_RENDER_CAVEATS_H
#define TTMEM_RENDER_CAVEATS_H

#include "base/strbuf.h"
#include "model/run.h"

/* Appends a line for each. */
void run_caveats(struct strbuf *out, const struct run *run);

#endif
