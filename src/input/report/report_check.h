/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the files of a report are whole, and of one run. Answers from files that do not belong together would be figures that
 * no run had. */
#ifndef TTMEM_INPUT_REPORT_CHECK_H
#define TTMEM_INPUT_REPORT_CHECK_H

#include "base/json_read.h"
#include "input/input.h"
#include "input/report/report_files.h"

/* What the summary of a report says about its files: ERR_LACKS when one is missing, ERR_INPUT when one was replaced or cut.
 * Nothing is known about files of older reports. */
int report_check_listed(const struct report_files *files, struct err *err);

/* ERR_INPUT naming the file that is cut off, not JSON, or holds something else than it should. A file that the answers can do
 * without gives a note instead. */
int report_check_files(struct input *in, const struct report_files *files, struct err *err);

/* ERR_LACKS when a file of the report is of a later schema than is known here, or its summary is missing: ttmem writes one with
 * every report, the Python tool did not. */
int report_check_versions(const struct report_files *files, struct err *err);

/* Does the summary of a report that does not list its files count as many operations as the memory file? ERR_INPUT when it
 * counts others. */
int report_check_summary(const struct report_files *files, struct json_reader *reader, struct err *err);

/* Is the element of operations.json the operation of the record? ERR_INPUT when it is another. */
int report_check_pair(const struct report_files *files, uint64_t index, struct json_value record, struct json_value op,
                      struct err *err);

/* A check of a file's content that does not read all of it: its beginning and its end. */
uint64_t report_file_check(struct slice bytes);

#endif
