/* SPDX-License-Identifier: Apache-2.0 */
/* Where reports are: the files of one by their endings, the reports in a folder and below it, and what a summary says about
 * one. Everything that lists reports uses this. */
#ifndef TTMEM_INPUT_REPORT_DIR_H
#define TTMEM_INPUT_REPORT_DIR_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/json_read.h"
#include "base/strbuf.h"
#include "parse/memview.h"

enum report_file {
    FILE_PAGE,
    FILE_MEMORY,
    FILE_OPERATIONS,
    FILE_REGISTRY,
    FILE_IR,
    FILE_SUMMARY,
    FILE_MARKDOWN,
    FILE_RUN,
    REPORT_FILES
};

extern const char *const report_suffixes[REPORT_FILES];

/* A report on disk: its folder, the folder's own name, its name, and which files it has. The texts are valid during the
 * call. */
struct found_report {
    const char *folder, *id, *name;
    bool have[REPORT_FILES];
    time_t written; /* newest of its files */
};

typedef void found_report_fn(void *context, const struct found_report *report);

/* Calls `found` for the reports of a folder, or of the folders in it. A report is recognised by its page or its memory.json;
 * only plain files count, not links. A folder that does not exist has none. Returns the number of folders that could not be
 * read. */
size_t reports_in(const char *folder, found_report_fn *found, void *context);
size_t reports_below(const char *root, found_report_fn *found, void *context);

/* Contents of a summary; -1 for missing figures. The first slices are valid until the reader is used again. */
struct report_summary {
    int64_t ops;
    int64_t peak[POOL_COUNT], capacity[POOL_COUNT]; /* thousandths of a MB per bank */
    uint64_t failures;                              /* not caught, of those that are listed */
    bool more_failures;                             /* than are listed */
    struct slice failure_kind, failure_verdict, failure_pool;
    struct slice source; /* path of the log; empty if unknown */
    struct slice chip;   /* likewise */
    size_t ranks;        /* 0: unknown */
    bool predicted;      /* nothing ran */
    bool mixed;          /* files of the report are not of the sizes that it lists */
};

/* False if the report has no readable summary, or one that does not belong to its files. `text` holds its bytes. */
bool report_summary_read(struct report_summary *summary, const char *folder, const char *name, struct json_reader *reader,
                         struct strbuf *text);

#endif
