/* SPDX-License-Identifier: Apache-2.0 */
/* A report directory: the files of one analysed log under one name. */
#ifndef TTMEM_STORE_REPORT_H
#define TTMEM_STORE_REPORT_H

#include "analysis/run/overview.h"
#include "base/err.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "base/outfile.h"

struct report {
    struct strbuf folder;
    struct strbuf name;
    struct strbuf origin; /* what was analysed: the log's real path, or its content if it has none */
    bool locked;          /* a lock on the folder, from report_open to report_release: one writer at a time */
    int lock;
};

struct report_options {
    const char *output_dir; /* NULL: under the home of ttmem */
    const char *name;       /* NULL: from the log's path */
    bool force;             /* take over the name from another log */
    bool pretty;
    bool no_page;
    const char *note; /* a line for the page, NULL: none */
};

/* Makes a valid name from one that a report cannot have, or that is too long, such as that of a log ..x.log. */
void report_make_name(struct strbuf *name);

/* Returns -1 with a usage error for a name that a report cannot have: with / or .. in it, or a leading dot. */
int report_check_name(const char *name, struct err *err);

struct output_job;

/* Where ttmem keeps its files: $TTMEM_HOME, or ~/.ttmem. -1 if there is neither. */
int ttmem_home(struct strbuf *out, struct err *err);

/* Chooses folder and name and makes the folder: the report of the same log is refreshed, that of another log left alone. */
int report_open(struct report *report, const char *log, const struct run *run, const struct report_options *options,
                struct err *err);

/* Where to spool, on the disk that the report will be on: its folder, or the nearest existing one above it. Nothing is
 * created, because the input may prove to be bad. ERR_OUTPUT if it cannot be written to. */
int report_spool_folder(struct strbuf *out, const struct report_options *options, struct err *err);

/* Writes only a page, into an open file. */
int report_page_into(struct outfile *file, const struct output_job *job, struct err *err);

/* Writes the JSON files and, unless the options say no, the page. They appear when all of them are written, the summary
 * last: it lists the others, so that a reader can detect a mixture if the program ends in between. */
int report_write(struct report *report, const struct run *run, const struct overview *overview,
                 const struct report_options *options, const char *version, struct progress *progress, struct err *err);

/* Writes one more file of the report, "<folder>/<name><suffix>". */
int report_add(const struct report *report, const char *suffix, struct slice text, struct err *err);

/* "<folder>/<name><suffix>", valid until the next change of `out`. */
const char *report_path(const struct report *report, const char *suffix, struct strbuf *out);

void report_release(struct report *report);

#endif
