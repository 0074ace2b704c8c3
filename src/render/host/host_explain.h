/* SPDX-License-Identifier: Apache-2.0 */
/* How a run ended on the host, from its recording: whether it was killed for lack of memory, the last samples before that,
 * the limit, the largest process, what the run was doing, what to do. */
#ifndef TTMEM_RENDER_HOST_EXPLAIN_H
#define TTMEM_RENDER_HOST_EXPLAIN_H

#include "analysis/run/host.h"
#include "base/term.h"

void host_explain_text(struct strbuf *out, const struct term *term, const struct run *run, const struct host_use *use);
void host_explain_json(struct strbuf *out, const struct run *run, const struct host_use *use);

#endif
