/* SPDX-License-Identifier: Apache-2.0 */
/* Graph captures as one run: those of several processes are its ranks. */
#ifndef TTMEM_INPUT_GRAPH_RUN_H
#define TTMEM_INPUT_GRAPH_RUN_H

#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"

struct run;

struct graph_file {
    struct slice bytes;
    const char *path;
};

/* The captures in a folder, in order; free() each. */
typedef VEC(char *) graph_paths_in_folder;
void graph_folder_captures(graph_paths_in_folder *out, const char *folder);

int graph_captures_read(struct run *run, const struct graph_file *files, size_t count, struct err *err);

#endif
