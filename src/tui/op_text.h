/* SPDX-License-Identifier: Apache-2.0 */
/* Everything known about one op, as lines with tones. */
#ifndef TTMEM_TUI_OP_TEXT_H
#define TTMEM_TUI_OP_TEXT_H

#include "tui/opened.h"

void op_text(struct strbuf *out, const struct term *term, const struct opened *opened, size_t record);

#endif
