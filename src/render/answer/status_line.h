/* SPDX-License-Identifier: Apache-2.0 */
/* One line about a run in progress. */
#ifndef TTMEM_RENDER_STATUS_LINE_H
#define TTMEM_RENDER_STATUS_LINE_H

#include "base/term.h"
#include "model/watch.h"

/* Cut to the terminal's width, without a line end. `elapsed_ns` < 0: not shown. */
void status_line(struct strbuf *out, const struct term *term, const struct watch_status *status, int64_t elapsed_ns);

#endif
