/* SPDX-License-Identifier: Apache-2.0 */
/* Replays a capture on simulated devices while it is read. Part of a graph_session. */
#ifndef TTMEM_ANALYSIS_GRAPH_SIMULATE_H
#define TTMEM_ANALYSIS_GRAPH_SIMULATE_H

#include "analysis/graph/graph_report.h"

/* Memory of the chip: from the capture if it is from that chip, else from the table. */
struct sim_map graph_sim_map(const struct graph_session *session, const struct chip *chip);

void graph_simulate(struct graph_session *session, const struct graph_node *node, const struct mem_event *event);

#endif
