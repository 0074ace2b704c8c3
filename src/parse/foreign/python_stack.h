/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of Python as ttnn stores them: innermost frame first, each as: File "model.py", line 12, in forward. */
#ifndef TTMEM_PARSE_PYTHON_STACK_H
#define TTMEM_PARSE_PYTHON_STACK_H

#include "base/strbuf.h"

struct python_frame {
    struct slice path, line; /* line: its digits */
};

/* The innermost frame outside ttnn itself. False: none. */
bool python_stack_frame(struct slice stack, struct python_frame *out);

/* Appends "attention.py:12". */
void python_frame_place(struct strbuf *out, const struct python_frame *frame);

#endif
