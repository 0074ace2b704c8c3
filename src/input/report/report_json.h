/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the JSON files of a report, an older one of ours or the Python tool's, as the log that they came from: programs,
 * ops, memory blocks and modules are passed line by line to the fold of a log, so that there is one model of a run.
 *
 * The files contain less than a log. Deallocates are assumed to follow the last use of a value; states between ops are known
 * if the files have the state after each op. Notes say so. */
#ifndef TTMEM_INPUT_REPORT_JSON_H
#define TTMEM_INPUT_REPORT_JSON_H

#include "input/input.h"
#include "input/report/report_files.h"

/* ERR_INPUT if a file is cut, not JSON, or from another run than the others. */
int report_json_read(struct input *in, const struct report_files *files, struct err *err);

#endif
