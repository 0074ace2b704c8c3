/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to memory inside an op, as nodes of a graph capture: the table `buffers` has only what exists after an op,
 * and higher states in between would be lost. */
#ifndef TTMEM_WORK_VISUALIZER_RUN_NODES_H
#define TTMEM_WORK_VISUALIZER_RUN_NODES_H

#include "base/json_write.h"
#include "device/core_range.h"
#include "render/visualizer/visualizer.h"

struct run_nodes {
    struct strbuf out;
    struct json json;
    uint64_t count;
};

struct node_buffer {
    int64_t type; /* tt-metal's number */
    uint64_t address, bank_bytes, banks;
    const char *layout;
};

enum node_program { NODE_PROGRAM_CIRCULAR, NODE_PROGRAM_DATAFLOW, NODE_PROGRAM_SCRATCHPAD };

void run_nodes_begin(struct run_nodes *nodes, struct slice name);
void run_nodes_allocate(struct run_nodes *nodes, const struct node_buffer *buffer);
void run_nodes_free(struct run_nodes *nodes, const struct node_buffer *buffer);
void run_nodes_program(struct run_nodes *nodes, enum node_program kind, uint64_t address, uint64_t bytes,
                       struct core_range cores);
void run_nodes_release_program(struct run_nodes *nodes);

/* As the row of that op. */
void run_nodes_end(struct run_nodes *nodes, struct visualizer *v, struct slice name, int64_t operation, int64_t rank);
void run_nodes_clear(struct run_nodes *nodes);

#endif
