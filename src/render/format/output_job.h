/* SPDX-License-Identifier: Apache-2.0 */
/* What every writer of a run as files gets: the page, the JSON files of a report, the exports. Parts that a writer does not
 * use may be empty. */
#ifndef TTMEM_RENDER_OUTPUT_JOB_H
#define TTMEM_RENDER_OUTPUT_JOB_H

#include "analysis/run/overview.h"
#include "base/progress.h"

struct output_job {
    const struct run *run;
    const struct overview *overview;
    struct slice name;   /* of the report */
    const char *path;    /* of the input */
    const char *version; /* of ttmem */
    const char *note;    /* page: a line at its foot, NULL: none */
    bool pretty;         /* JSON with line breaks and indentation */
    const char *table;   /* csv: which one of export_tables */
    struct progress *progress;
};

#endif
