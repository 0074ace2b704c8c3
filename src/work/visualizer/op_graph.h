/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of one op as a database stores them: between a start and an end, numbered from 0, with edges by the new numbers.
 * An edge that leads out of the op keeps the number of the capture, as ttnn's importer leaves it. Owns its memory. */
#ifndef TTMEM_WORK_VISUALIZER_OP_GRAPH_H
#define TTMEM_WORK_VISUALIZER_OP_GRAPH_H

#include "base/json_read.h"
#include "base/strbuf.h"
#include "base/table/idmap.h"
#include "base/vec.h"
#include "render/visualizer/visualizer.h"

struct op_graph_node {
    uint64_t counter;                                        /* in the capture */
    size_t text, length;                                     /* text of its other members, in `texts` */
    size_t connections, connections_len, inputs, inputs_len; /* in `numbers` */
    bool has_connections, has_inputs;
};

struct op_graph {
    struct strbuf texts, out;
    VEC(struct op_graph_node) nodes;
    VEC(uint64_t) numbers;
    struct idmap places;     /* counter -> index */
    const uint64_t *devices; /* set by the caller: ids in the capture, numbered from 0 in the database; may be NULL */
    size_t device_count;
    struct json_reader *inner; /* for texts that are JSON; set by the caller, owned */
};

void op_graph_clear(struct op_graph *graph);
void op_graph_add(struct op_graph *graph, struct json_value node);

/* A buffer that is freed on its own: its edge leads to the end. */
void op_graph_lone(struct op_graph *graph);

/* Rows of captured_graph and edges. */
void op_graph_write(struct op_graph *graph, struct visualizer *v, int64_t operation, int64_t rank);
/* The same for nodes that already have their start and end, and their numbers. */
void op_graph_write_as_is(struct op_graph *graph, struct visualizer *v, int64_t operation, int64_t rank);
void op_graph_release(struct op_graph *graph);

#endif
