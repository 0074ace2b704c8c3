/* SPDX-License-Identifier: Apache-2.0 */
/* Where reports are: the files of one by what follows its name, the reports in a folder and below it, and what a summary tells
 * of one. Everything that lists reports goes through here. */
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

/* A report on disk: its folder, the folder's own name, its name, which files it has. The texts are valid during the call. */
struct found_report {
    const char *folder, *id, *name;
    bool have[REPORT_FILES];
    time_t written; /* newest of its files */
};

typedef void found_report_fn(void *context, const struct found_report *report);

/* Calls `found` for the reports of a folder, or of the folders in a folder. A report is known by its page or its memory.json;
 * only plain files count, no links. A folder that is not there has none. Returns how many folders could not be read. */
size_t reports_in(const char *folder, found_report_fn *found, void *context);
size_t reports_below(const char *root, found_report_fn *found, void *context);

/* What a summary tells; -1 where it does not. The slices of the first of them are valid until the reader is used again. */
struct report_summary {
    int64_t ops;
    int64_t peak[POOL_COUNT], capacity[POOL_COUNT]; /* thousandths of a MB per bank */
    uint64_t failures;                              /* that were not caught */
    struct slice failure_kind, failure_verdict, failure_pool;
    struct slice source; /* path of the log; empty when it is not known */
    struct slice chip;   /* the same */
    size_t ranks;        /* 0: not known */
    bool predicted;      /* nothing ran */
};

/* False when the report has no summary that can be read. `text` holds its bytes. */
bool report_summary_read(struct report_summary *summary, const char *folder, const char *name, struct json_reader *reader,
                         struct strbuf *text);

#endif
