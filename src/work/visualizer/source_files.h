/* SPDX-License-Identifier: Apache-2.0 */
/* The sources that stack traces of a report name, as rows of source_files: the file of the innermost frame. A trace comes
 * with the report and may name anything, so only Python files below the working folder are read, by their real path. */
#ifndef TTMEM_WORK_VISUALIZER_SOURCE_FILES_H
#define TTMEM_WORK_VISUALIZER_SOURCE_FILES_H

#include "base/table/strtab.h"
#include "render/visualizer/visualizer.h"

struct source_files {
    struct strtab named; /* as traces name them */
    struct strtab real;  /* the id of a path is that of its row */
    VEC(int64_t) ids;    /* by id of `named`; 0: missing, or not to be read */
};

/* The id of its row, which the first call makes; 0: none. */
int64_t source_files_id(struct source_files *files, struct visualizer *v, struct slice stack_trace);
void source_files_release(struct source_files *files);

#endif
