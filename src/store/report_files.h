/* The files of a report directory that exists already, ours or one of the Python tool. */
#ifndef TTMEM_STORE_REPORT_FILES_H
#define TTMEM_STORE_REPORT_FILES_H

#include "base/strbuf.h"
#include "source/source.h"

enum report_part { PART_MEMORY, PART_OPERATIONS, PART_REGISTRY, PART_IR, PART_SUMMARY, PART_COUNT };

struct report_files {
    struct strbuf folder, name;
    bool have[PART_COUNT];
    struct source parts[PART_COUNT];
};

/* Opens a report: `name` in the folder, or the only one there when `name` is empty. ERR_INPUT when there is no such folder,
 * ERR_LACKS when it holds no report, or several and none is named. */
int report_files_open(struct report_files *files, const char *folder, const char *name, struct err *err);
void report_files_release(struct report_files *files);

/* What a word of the command line means: a folder, a file of a report (then with its name), or the name of a report under the
 * home of ttmem. False: none of these. */
bool report_folder_of(const char *word, struct strbuf *folder, struct strbuf *name);

/* The page of the report, when it is there and not older than the data it was made from. */
bool report_files_page(const struct report_files *files, struct strbuf *path);

#endif
