/* SPDX-License-Identifier: Apache-2.0 */
/* From a log to a report: what analyze, run and the interactive program share. */
#ifndef TTMEM_WORK_MAKE_REPORT_H
#define TTMEM_WORK_MAKE_REPORT_H

#include "analysis/run/overview.h"
#include "work/open.h"
#include "store/report.h"

struct made_report {
    struct input in; /* the run stays, for views of it */
    struct overview overview;
    struct strbuf folder;
};

struct report_wish {
    struct report_options options;
    bool last_run;      /* only the last complete pass */
    const char *marker; /* text at its end; NULL: by programs and submits */
};

/* Reads the log, checks it and writes the files. Returns -1 with nothing to release. */
int make_report(struct made_report *made, const struct work *work, const char *path, const struct report_wish *wish,
                struct err *err);
void made_report_release(struct made_report *made);

/* The page of an input, written into an open file. */
int make_page(const struct input *in, struct outfile *file, struct err *err);
/* The same to a path, - is stdout. */
int make_page_at(const struct input *in, const char *path, struct err *err);

/* The summary and where the report is. */
void made_report_text(struct strbuf *out, const struct term *term, const struct made_report *made);

#endif
