/* SPDX-License-Identifier: Apache-2.0 */
/* How to get a log with memory data, in steps. */
#ifndef TTMEM_TUI_STEPS_H
#define TTMEM_TUI_STEPS_H

#include "base/term.h"

void steps_text(struct strbuf *out, const struct term *term);

#endif
