/* SPDX-License-Identifier: Apache-2.0 */
/* A run in the terminal: why it failed, timeline, ops by what they hold or add, what is alive at the peak, tensor by tensor
 * and by group, its ranks, one op in full. */
#ifndef TTMEM_TUI_REPORT_VIEW_H
#define TTMEM_TUI_REPORT_VIEW_H

#include "tui/opened.h"
#include "tui/prompt.h"

/* ANSWER_BACK or ANSWER_END. A failed run opens on the reason. */
enum answer report_view(const struct opened *opened);

#endif
