/* SPDX-License-Identifier: Apache-2.0 */
/* The call tree of a capture while it is read: memory per function, and program memory per function and core range.
 * Part of a graph_session. */
#ifndef TTMEM_ANALYSIS_GRAPH_TREE_H
#define TTMEM_ANALYSIS_GRAPH_TREE_H

#include "analysis/graph/graph_report.h"

void graph_tree_begin(struct graph_session *session);
void graph_tree_enter(struct graph_session *session, const struct graph_node *node);
void graph_tree_leave(struct graph_session *session, uint64_t duration_ns);

/* Call after usage_event has counted it. */
void graph_tree_event(struct graph_session *session, const struct graph_node *node, const struct mem_event *event);

/* Closes what is still open (a cut capture). */
void graph_tree_end(struct graph_session *session);

#endif
