/* SPDX-License-Identifier: Apache-2.0 */
/* What every writer of a run as files needs: the page, the JSON files of a report, the exports. A writer uses what it needs of
 * it; what it does not need may be empty. */
#ifndef TTMEM_RENDER_OUTPUT_JOB_H
#define TTMEM_RENDER_OUTPUT_JOB_H

#include "analysis/run/overview.h"
#include "base/progress.h"

struct output_job {
    const struct run *run;
    const struct overview *overview;
    struct slice name;   /* of the report */
    const char *path;    /* of what was read */
    const char *version; /* of ttmem */
    const char *note;    /* page: a line for its foot, NULL: none */
    bool pretty;         /* JSON with line breaks and indentation */
    const char *table;   /* csv: which one, of export_tables */
    struct progress *progress;
};

#endif
