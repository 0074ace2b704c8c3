/* SPDX-License-Identifier: Apache-2.0 */
/* How many lines of each kind the log of a report had, according to its summary. */
#ifndef TTMEM_INPUT_REPORT_COUNTS_H
#define TTMEM_INPUT_REPORT_COUNTS_H

#include "base/json_read.h"
#include "input/input.h"
#include "input/report/report_files.h"
#include "model/run.h"

/* Also sets the warnings. Returns bits of enum told_by_files: what the files do not cover, and whether the log was complete. */
uint8_t report_counts_take(struct run *run, const struct report_files *files, struct json_reader *reader);

/* Did programs run inside others that are not const-evals, as in a trace? The files do not say which ops are theirs. */
bool report_counts_nested(const struct report_files *files);

/* Notes what the files of a report do not contain. */
void report_counts_note(struct input *in, const struct report_files *files, bool by_last_use);

#endif
