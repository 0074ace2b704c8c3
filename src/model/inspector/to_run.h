/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a run from an Inspector folder: ops from the runtime entries, device buffers with their addresses and times.
 *
 * An op's outputs are allocated before its entry, and its program's binary after it: between two entries, allocations up to
 * the sending of a binary belong to the earlier op, the rest to the later one. Without runtime entries the steps are states. */
#ifndef TTMEM_MODEL_INSPECTOR_RUN_H
#define TTMEM_MODEL_INSPECTOR_RUN_H

#include "base/err.h"
#include "model/inspector/data.h"

struct run;

/* `path` is for messages. Returns -1 with ERR_LACKS and the reason if no buffer is recorded. */
int inspector_run_make(struct run *run, const struct inspector_data *data, const char *path, struct err *err);

/* Writes ttnn's name of the op: "MatmulDeviceOperation" -> "ttnn.matmul". */
void inspector_op_name(struct strbuf *out, struct slice name);

#endif
