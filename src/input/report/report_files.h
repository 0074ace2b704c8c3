/* SPDX-License-Identifier: Apache-2.0 */
/* The files of an existing report directory, ours or the Python tool's. */
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

/* Opens a report: `name` in the folder, or the only one there if `name` is empty. ERR_INPUT if there is no such folder,
 * ERR_LACKS if it has no report, or several and no name is given. */
int report_files_open(struct report_files *files, const char *folder, const char *name, struct err *err);
void report_files_release(struct report_files *files);

/* The number of reports in the folder. */
unsigned report_files_in(const char *folder);

/* Does a folder without a report have files that belong to one? Gives its name. */
bool report_files_lack_memory(const char *folder, struct strbuf *name);

/* If the path is a file of a report, gives its folder and name. */
bool report_files_part(const char *path, struct strbuf *folder, struct strbuf *name);

/* The page of the report, if it exists and is not older than the data it was made from. */
bool report_files_page(const struct report_files *files, struct strbuf *path);

#endif
