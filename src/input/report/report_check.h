/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the files of a report are complete and from one run. Answers from files that do not belong together would be
 * figures of no run. */
#ifndef TTMEM_INPUT_REPORT_CHECK_H
#define TTMEM_INPUT_REPORT_CHECK_H

#include "base/json_read.h"
#include "input/input.h"
#include "input/report/report_files.h"

/* Checks the files against the summary's list: ERR_LACKS if one is missing, ERR_INPUT if one was replaced or cut. Older
 * reports have no list. */
int report_check_listed(const struct report_files *files, struct err *err);

/* ERR_INPUT, naming the file, if one is cut off, not JSON, or has the wrong content. A file that is not essential gives a
 * note instead. */
int report_check_files(struct input *in, const struct report_files *files, struct err *err);

/* ERR_LACKS if a file of the report has a later schema than is known here, or its summary is missing: ttmem writes one with
 * every report, the Python tool did not. */
int report_check_versions(const struct report_files *files, struct err *err);

/* Does the summary of a report without a file list count as many ops as the memory file? ERR_INPUT if not. */
int report_check_summary(const struct report_files *files, struct json_reader *reader, struct err *err);

/* Is the element of operations.json the op of the record? ERR_INPUT if not. */
int report_check_pair(const struct report_files *files, uint64_t index, struct json_value record, struct json_value op,
                      struct err *err);

/* A check of a file's content that reads only its beginning and its end. */
uint64_t report_file_check(struct slice bytes);

#endif
