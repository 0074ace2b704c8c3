/* SPDX-License-Identifier: Apache-2.0 */
/* Graph captures as one run: those of several processes are its ranks. */
#ifndef TTMEM_INPUT_GRAPH_RUN_H
#define TTMEM_INPUT_GRAPH_RUN_H

#include "base/err.h"
#include "base/slice.h"

struct run;

struct graph_file {
    struct slice bytes;
    const char *path;
};

int graph_captures_read(struct run *run, const struct graph_file *files, size_t count, struct err *err);

#endif
