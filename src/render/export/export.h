/* SPDX-License-Identifier: Apache-2.0 */
/* A run for other programs: one function per format, in one table. Output is written as it is produced; no format keeps a
 * second copy of the run.
 *
 * A log has the order of events but not their times: for formats that need time, one step of the log is one microsecond. */
#ifndef TTMEM_RENDER_EXPORT_H
#define TTMEM_RENDER_EXPORT_H

#include "base/outfile.h"
#include "base/strbuf.h"
#include "render/format/output_job.h"

struct export_format {
    const char *name;
    const char *opens; /* the program that opens the file, as shown */
    bool needs_file;   /* cannot go to a pipe */
    bool one_table;    /* writes only the table of the job */
    bool of_overview;  /* uses the job's overview; for one_table: if that table does */
    int (*write)(const struct output_job *job, struct outfile *file, struct err *err);
};

extern const struct export_format export_formats[]; /* NULL-name-terminated */
extern const char *const export_tables[];           /* for csv, NULL-terminated; the first is the default */

int export_chrome(const struct output_job *job, struct outfile *file, struct err *err);
int export_speedscope(const struct output_job *job, struct outfile *file, struct err *err);
int export_folded(const struct output_job *job, struct outfile *file, struct err *err);
int export_csv(const struct output_job *job, struct outfile *file, struct err *err);
int export_sqlite(const struct output_job *job, struct outfile *file, struct err *err);
int export_pytorch(const struct output_job *job, struct outfile *file, struct err *err);

/* Does the format, or the table of csv, use the job's overview? */
bool export_needs_overview(const struct export_format *format, const char *table);

/* Writes the text out if it has grown large, or always if `all`. Returns 0 or -1. */
int export_flush(struct strbuf *text, bool all, struct outfile *file, struct err *err);

/* The location of a step; 0 for an op line without one. */
static inline struct slice step_display(const struct run *run, const struct step *step) {
    return step->op == NONE ? slice_of("", 0) : run_string(run, run->ops.items[step->op].display);
}

#endif
