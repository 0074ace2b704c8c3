/* SPDX-License-Identifier: Apache-2.0 */
/* The telemetry of vLLM beside a run: scheduler.jsonl, in the folder of the run or in tt_telemetry/ there. */
#ifndef TTMEM_INPUT_KV_BESIDE_H
#define TTMEM_INPUT_KV_BESIDE_H

#include "input/input.h"

/* Looks in the folder of the path (a log, an Inspector folder) and `levels` folders above it. Problems become notes, and the
 * run does without it. The run's host memory must have been read: its times relate the telemetry to steps. */
void kv_beside_read(struct input *in, const char *path, unsigned levels);

#endif
