/* SPDX-License-Identifier: Apache-2.0 */
/* One replay of a capture's trace with the changes of a what-if. */
#ifndef TTMEM_ANALYSIS_GRAPH_REPLAY_H
#define TTMEM_ANALYSIS_GRAPH_REPLAY_H

#include "analysis/graph/graph_simulate.h"
#include "analysis/graph/graph_what_if.h"

/* Fills everything but the changes. False: no memory. */
bool graph_replay(const struct graph_session *session, struct graph_what_if *what);

#endif
