/* SPDX-License-Identifier: Apache-2.0 */
/* How many lines of which kind the log of a report had, as its summary tells. */
#ifndef TTMEM_INPUT_REPORT_COUNTS_H
#define TTMEM_INPUT_REPORT_COUNTS_H

#include "base/json_read.h"
#include "input/input.h"
#include "input/report/report_files.h"
#include "model/run.h"

/* Also the warnings. Bits of enum told_by_files: what the files do not say about, and that the log was whole. */
uint8_t report_counts_take(struct run *run, const struct report_files *files, struct json_reader *reader);

/* Whether programs ran inside others that are not const-evals, as a trace does: the files do not say which operations are
 * theirs. */
bool report_counts_nested(const struct report_files *files);

/* Says what the files of a report do not hold. */
void report_counts_note(struct input *in, const struct report_files *files, bool by_last_use);

#endif
