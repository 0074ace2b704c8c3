/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a ttnn graph capture as plain data, in all spellings since 2024: parameters as numbers or texts, `params` null or
 * missing, both texts of a core range, flags as true/false/0/1, fields that only some versions write.
 *
 * A reader takes bytes, calls back for every node in file order, and turns those that touch device memory into a struct
 * mem_event. It remembers buffer nodes (the ends of edges of later nodes) until some time after they are freed, and nothing
 * else that it has read. Texts and arrays in a node are valid during the callback. Owns its memory; never ends the process. */
#ifndef TTMEM_PARSE_GRAPH_H
#define TTMEM_PARSE_GRAPH_H

#include "base/table/idmap.h"
#include "base/json_read.h"
#include "device/event.h"
#include "parse/foreign/graph_scan.h"

enum graph_node_kind {
    NODE_OTHER,
    NODE_CAPTURE_START,
    NODE_CAPTURE_END,
    NODE_FUNCTION_START,
    NODE_FUNCTION_END,
    NODE_TENSOR,
    NODE_BUFFER,
    NODE_BUFFER_ALLOCATE,
    NODE_BUFFER_DEALLOCATE,
    NODE_CIRCULAR_BUFFER,
    NODE_DATAFLOW_BUFFER,
    NODE_SCRATCHPAD,
    NODE_RELEASE_PROGRAM,
    NODE_ERROR,
    NODE_KINDS
};

struct graph_node {
    enum graph_node_kind kind;
    uint64_t index;         /* position in the array */
    uint64_t counter;       /* as written; `index` if missing */
    uint64_t offset;        /* position of its first byte in the file */
    struct json_value json; /* the whole node */
    struct slice name;      /* of a function */
    struct slice shape, dtype, layout, memory_config;
    struct slice core_text; /* core_range_set as written */
    struct slice error_text;
    uint64_t tensor_id, duration_ns, size, address;
    bool has_tensor_id, has_type, has_type_text, is_l1;
    enum mem_type type;
    const uint64_t *connections;
    size_t connections_len;
    const uint64_t *input_tensors;
    size_t input_tensors_len;
    struct slice device_tensors;   /* for graph_next_chip */
    const struct slice *arguments; /* of a function, as text; an empty one if it is none */
    size_t arguments_len;
};

struct graph_device {
    uint64_t id;
    struct slice arch;
    uint64_t l1_banks, l1_bank_bytes, worker_l1_bytes, l1_base;
    uint64_t dram_channels, dram_channel_bytes;
    struct json_value json; /* the whole object, during the call */
};

struct graph_metadata {
    uint64_t timestamp_ns, duration_ns, rank, world_size;
    bool has_rank;
};

struct graph_calls {
    /* `event` is NULL for nodes that do not touch memory. Return false to stop. */
    bool (*node)(void *context, const struct graph_node *node, const struct mem_event *event);
    void (*device)(void *context, const struct graph_device *device);       /* may be NULL */
    void (*metadata)(void *context, const struct graph_metadata *metadata); /* may be NULL */
    /* A part of the tables beside the nodes, unread; `name` is the key of an entry. May be NULL: they are skipped. */
    void (*table)(void *context, enum graph_part part, struct slice name, struct slice text, uint64_t offset);
    void *context;
};

struct graph_numbers {
    uint64_t *items;
    size_t len, cap;
};

struct graph_texts {
    struct slice *items;
    size_t len, cap;
};

struct graph_seen_buffer {
    uint64_t size;
    uint32_t next_unused;
    bool is_dram, freed;
};

enum { GRAPH_FREED_KEPT = 16384 };

/* What was wrong with the input. */
struct graph_problems {
    uint64_t unreadable;       /* items that are not nodes: broken JSON, no node_type, longer than GRAPH_VALUE_MAX */
    uint64_t first_unreadable; /* offset */
    uint64_t wrong_values;     /* parameters that are not numbers, or too large; treated as missing */
    uint64_t unknown_kinds;    /* nodes of an unknown type */
    uint64_t out_of_order;     /* counters that differ from the position */
    uint64_t stray_bytes;
};

struct graph_reader {
    struct graph_calls calls;
    uint64_t capture; /* number of the capture, set by the caller: buffers of several captures have different ids */
    struct graph_scan scan;
    struct json_reader *json;
    struct graph_problems problems;
    uint64_t nodes;
    struct graph_numbers connections, input_tensors;
    struct graph_texts arguments;
    struct core_ranges ranges;
    struct idmap buffer_of; /* counter -> index into buffers */
    struct graph_seen_buffer *buffers;
    size_t buffers_len, buffers_cap;
    uint32_t unused_buffer; /* 0: none; buffers[0] is not used */
    uint64_t *freed;        /* ring of counters of freed buffers: the oldest is forgotten */
    size_t freed_at;
    bool no_memory;
};

/* The id in events for the buffer node with that counter. */
uint64_t graph_buffer_id(const struct graph_reader *reader, uint64_t counter);

/* The next chip that holds a part of the tensor, and its mesh device, from `rest` of device_tensors. False: no more. */
bool graph_next_chip(struct slice *rest, uint64_t *chip, uint64_t *mesh);

/* False: out of memory. */
bool graph_reader_init(struct graph_reader *reader, const struct graph_calls *calls);
void graph_reader_release(struct graph_reader *reader);

/* False: stopped by the callback, or out of memory (`no_memory`). */
bool graph_reader_push(struct graph_reader *reader, struct slice bytes);
enum graph_scan_end graph_reader_finish(struct graph_reader *reader);

#endif
