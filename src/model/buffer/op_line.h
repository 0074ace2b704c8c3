/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TTMEM_MODEL_OP_LINE_H
#define TTMEM_MODEL_OP_LINE_H

#include "base/strbuf.h"
#include "model/buffers.h"

/* Writes the op as MLIR would print it, because code that shows or parses op texts needs one. */
void buffer_op_line(struct strbuf *out, const struct buffer_op *op);

#endif
