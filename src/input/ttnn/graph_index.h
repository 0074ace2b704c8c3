/* SPDX-License-Identifier: Apache-2.0 */
/* A first pass over a graph capture: what its nodes refer forward to (the tensors that a function takes and makes, the
 * tensor in a buffer), and where in the file the tables of a report are. */
#ifndef TTMEM_INPUT_TTNN_GRAPH_INDEX_H
#define TTMEM_INPUT_TTNN_GRAPH_INDEX_H

#include "base/table/idmap.h"
#include "base/table/strtab.h"
#include "input/ttnn/python_io.h"
#include "model/buffers.h"
#include "parse/foreign/graph.h"

struct graph_index_tensor {
    uint64_t id, address;
    uint32_t shape, dtype; /* texts */
    uint8_t layout;        /* enum buffer_layout */
    bool tiled, on_device;
    enum pool pool;
};

struct graph_index_list {
    uint64_t counter; /* of the function_start */
    uint32_t first, count;
};

struct graph_index_entry {
    uint64_t key, offset;
    size_t length;
};

struct graph_index {
    struct strtab texts;
    VEC(struct graph_index_tensor) tensors;
    struct idmap by_counter;              /* counter of a tensor node -> tensor */
    bool keep_places;                     /* set by the caller to keep the positions of tensor nodes */
    VEC(struct graph_index_entry) places; /* positions of tensor nodes, by counter */
    struct idmap place_of;
    struct idmap by_id;     /* tensor_id -> tensor */
    struct idmap in_buffer; /* counter of a buffer node -> counter of a tensor node, low 32 bits */
    VEC(uint64_t) open;     /* functions that have not ended */
    VEC(struct graph_index_list) results;
    struct idmap results_of; /* counter of a function_start -> list */
    VEC(uint64_t) result_counters;
    VEC(struct graph_index_entry) after; /* buffers after a function, by its counter */
    VEC(struct graph_index_entry) pages; /* pages of a buffer, by its address */
    struct idmap after_of, pages_of;     /* counter, address -> entry */
    struct python_io io;
    struct graph_metadata metadata;
    bool per_core; /* a tensor is allocated per core */
};

void graph_index_node(struct graph_index *index, const struct graph_node *node);
void graph_index_table(struct graph_index *index, enum graph_part part, struct slice name, struct slice text, uint64_t offset);

/* The tensor of a node; NULL if it is not one. */
const struct graph_index_tensor *graph_index_tensor(const struct graph_index *index, uint64_t counter);
/* The position of a tensor's node in the file; NULL if it is not one or was not kept. */
const struct graph_index_entry *graph_index_place(const struct graph_index *index, uint64_t counter);
/* The tensor in the buffer of that node, or NULL. */
const struct graph_index_tensor *graph_index_in_buffer(const struct graph_index *index, uint64_t counter);
/* The tensors that the function made, as counters of their nodes. */
const uint64_t *graph_index_results(const struct graph_index *index, uint64_t function, size_t *count);
/* Where the buffers after the function are listed, or NULL. */
const struct graph_index_entry *graph_index_after(const struct graph_index *index, uint64_t function);

struct buffer_tensor graph_index_as_buffer(const struct graph_index *index, const struct graph_index_tensor *tensor);

void graph_index_release(struct graph_index *index);

#endif
