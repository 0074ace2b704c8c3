/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a graph capture: one HTML file that contains the data of `ttmem graph --json` and the timeline (web/DATA.md). */
#ifndef TTMEM_RENDER_GRAPH_PAGE_H
#define TTMEM_RENDER_GRAPH_PAGE_H

#include "analysis/graph/graph_report.h"
#include "base/outfile.h"
#include "model/run.h"

/* The session must have kept its timeline. `run`: the same capture as a run, for the L1 of a core; may be NULL. */
int graph_page(const struct graph_session *session, const struct run *run, struct slice name, const char *generator,
               struct outfile *file, struct err *err);

#endif
