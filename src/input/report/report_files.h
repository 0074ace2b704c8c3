/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a report directory that exists already, ours or one of the Python tool. */
#ifndef TTMEM_INPUT_REPORT_FILES_H
#define TTMEM_INPUT_REPORT_FILES_H

#include "base/strbuf.h"
#include "source/source.h"

#include "input/report/report_dir.h"

enum report_part { PART_MEMORY, PART_OPERATIONS, PART_REGISTRY, PART_IR, PART_SUMMARY, PART_RUN, PART_COUNT };

enum report_file report_part_file(enum report_part part);

struct report_files {
    struct strbuf folder, name;
    bool have[PART_COUNT];
    struct source parts[PART_COUNT];
};

/* Opens a report: `name` in the folder, or the only one there when `name` is empty. ERR_INPUT when there is no such folder,
 * ERR_LACKS when it holds no report, or several and none is named. */
int report_files_open(struct report_files *files, const char *folder, const char *name, struct err *err);
void report_files_release(struct report_files *files);

/* How many reports the folder holds. */
unsigned report_files_in(const char *folder);

/* Whether a folder without one has files that belong to one, and its name. */
bool report_files_lack_memory(const char *folder, struct strbuf *name);

/* Is the path a file of a report? Its folder and name then. */
bool report_files_part(const char *path, struct strbuf *folder, struct strbuf *name);

/* The page of the report, when it is there and not older than the data it was made from. */
bool report_files_page(const struct report_files *files, struct strbuf *path);

#endif
