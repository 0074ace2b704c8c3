/* SPDX-License-Identifier: Apache-2.0 */
/* Graph captures from files, and their page into a file: for ttmem graph and ttmem view. */
#ifndef TTMEM_WORK_GRAPH_READ_H
#define TTMEM_WORK_GRAPH_READ_H

#include "analysis/graph/graph_report.h"
#include "base/progress.h"

/* Reads a file (- is stdin) as the next segment of the session. */
int graph_read(struct graph_session *session, const char *path, struct slice name, enum progress_mode mode, struct err *err);

/* - is stdout. */
int graph_page_file(const struct graph_session *session, struct slice name, const char *path, struct err *err);

/* Is it a capture and not a log? By its name or its first characters. */
bool graph_looks_like(const char *path);

#endif
