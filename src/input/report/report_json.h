/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON files of a report, ours of before or the Python tool's, read as the log that they came from: programs, operations,
 * memory blocks and modules are told line by line to the fold of a log, so that there is one model of a run.
 *
 * The files hold less than a log. Deallocates are taken to follow the last use of a value; states between ops are known where
 * the files have the state after each op. Notes say so. */
#ifndef TTMEM_INPUT_REPORT_JSON_H
#define TTMEM_INPUT_REPORT_JSON_H

#include "input/input.h"
#include "input/report/report_files.h"

/* ERR_INPUT when a file is cut, not JSON, or of another run than the others. */
int report_json_read(struct input *in, const struct report_files *files, struct err *err);

#endif
