/* SPDX-License-Identifier: Apache-2.0 */
/* Graph captures as one run: those of several processes are its ranks. */
#ifndef TTMEM_INPUT_GRAPH_RUN_H
#define TTMEM_INPUT_GRAPH_RUN_H

#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"
#include "source/source.h"

struct run;

struct graph_file {
    struct slice bytes;
    const char *path;
    const struct source *source; /* holds the bytes, NULL: they are in memory */
    uint64_t first_node;         /* added to the numbers of its nodes */
    uint64_t number;             /* files with different numbers have different buffer ids */
};

/* Reads the whole file in pieces and releases what was read. `left_out` may be NULL. */
struct graph_calls;
struct graph_left_out {
    bool cut;
    uint64_t nodes; /* number that could not be read */
};
int graph_file_pass(const struct graph_file *file, const struct graph_calls *calls, struct graph_left_out *left_out,
                    struct err *err);

/* The text of a part of the file; once used, it is released together with what precedes it in its page. */
struct slice graph_file_part(const struct graph_file *file, uint64_t offset, size_t length);
void graph_file_part_end(const struct graph_file *file, uint64_t offset, size_t length);

/* The captures in a folder, in order; the caller frees each. */
typedef VEC(char *) graph_paths_in_folder;
void graph_folder_captures(graph_paths_in_folder *out, const char *folder);

/* Consecutive captures of one process: what is alive at the end of one exists in the next. */
int graph_segments_read(struct run *run, const struct graph_file *files, size_t count, struct err *err);

int graph_captures_read(struct run *run, const struct graph_file *files, size_t count, struct err *err);

#endif
