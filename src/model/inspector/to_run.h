/* SPDX-License-Identifier: Apache-2.0 */
/* A run from an Inspector folder: operations where runtime entries are, device buffers with their addresses and times.
 *
 * An op's outputs are allocated before its entry, and its program's binary after it: between two entries, what was allocated
 * until a binary was sent belongs to the earlier op, the rest to the later one. Without runtime entries the steps are states.
 */
#ifndef TTMEM_MODEL_INSPECTOR_RUN_H
#define TTMEM_MODEL_INSPECTOR_RUN_H

#include "base/err.h"
#include "model/inspector/data.h"

struct run;

/* `path` is for messages. -1 with ERR_LACKS: no buffer is told about, and why. */
int inspector_run_make(struct run *run, const struct inspector_data *data, const char *path, struct err *err);

/* The operation as ttnn calls it: "MatmulDeviceOperation" -> "ttnn.matmul". */
void inspector_op_name(struct strbuf *out, struct slice name);

#endif
