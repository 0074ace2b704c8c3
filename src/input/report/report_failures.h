/* SPDX-License-Identifier: Apache-2.0 */
/* The failures that the metadata of a report lists. */
#ifndef TTMEM_INPUT_REPORT_FAILURES_H
#define TTMEM_INPUT_REPORT_FAILURES_H

#include "base/json_read.h"
#include "model/run.h"

/* Does it list them? The Python tool kept none. */
bool report_failures_kept(struct json_reader *reader, struct slice metadata);

/* Adds them to the run, with the figures in the list. Of what came after a failure, only ops are known. */
void report_failures_add(struct run *run, struct json_reader *reader, struct slice metadata);

#endif
