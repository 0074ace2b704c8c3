/* SPDX-License-Identifier: Apache-2.0 */
/* Graph captures from files, and their page into a file: for ttmem graph and ttmem view. */
#ifndef TTMEM_WORK_GRAPH_READ_H
#define TTMEM_WORK_GRAPH_READ_H

#include "analysis/graph/graph_report.h"
#include "base/progress.h"
#include "work/work.h"

/* Reads a file (- is stdin) as the next segment of the session. */
int graph_read(struct graph_session *session, const char *path, struct slice name, enum progress_mode mode, struct err *err);

/* - is stdout. */
int graph_page_file(const struct work *work, const struct graph_session *session, struct slice name, const char *path,
                    struct err *err);

/* The captures in a folder, in name order, appended to `paths` (the caller frees each). ERR_LACKS if there are none. */
typedef VEC(char *) graph_paths;
int graph_captures_in(const char *folder, graph_paths *paths, struct err *err);

/* Is it a capture and not a log? Judged by its name or its first characters. */
bool graph_looks_like(const char *path);

#endif
