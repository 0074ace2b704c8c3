/* SPDX-License-Identifier: Apache-2.0 */
/* A report database of ttnn (db.sqlite), of any schema: with or without ranks, with or without the newer tables. It is only
 * read; columns and tables that a schema lacks read as unknown.
 *
 *   devices, operations, tensors, input_tensors, output_tensors, buffers (all live buffers after each op) */
#ifndef TTMEM_PARSE_TTNN_DB_H
#define TTMEM_PARSE_TTNN_DB_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

struct ttnn_device {
    int64_t rank, id;
    uint64_t l1_banks, l1_bank_bytes, worker_l1_bytes, l1_base, cb_limit; /* 0: unknown */
};

struct ttnn_operation {
    int64_t rank, id;
    struct slice name;
    struct slice location; /* "model.py:12": the innermost Python frame of its stack; empty: not recorded */
    uint64_t duration_ns;  /* 0: unknown */
};

struct ttnn_tensor {
    int64_t rank, id;
    struct slice shape, dtype, layout, memory_config; /* as written */
    uint64_t address;
    bool has_address;
    int64_t device;
    int64_t buffer_type; /* of tt-metal; -1: unknown */
};

/* An operand or result. */
struct ttnn_use {
    int64_t rank, operation, tensor;
};

struct ttnn_buffer {
    int64_t rank, operation, device;
    uint64_t address, bank_bytes;
    int64_t buffer_type, buffer_layout; /* of tt-metal */
};

/* A device that has buffers. */
struct ttnn_place {
    int64_t rank, device;
    uint64_t lowest_dram; /* address; UINT64_MAX: none */
};
typedef VEC(struct ttnn_place) ttnn_places;

/* The nodes of an op: where their text is. */
struct ttnn_graph {
    int64_t rank, operation, row;
};

struct db_reading;
struct sqlite3;

struct ttnn_db {
    struct arena arena; /* texts */
    VEC(struct ttnn_device) devices;
    VEC(struct ttnn_operation) operations; /* by rank and id */
    VEC(struct ttnn_tensor) tensors;       /* likewise */
    VEC(struct ttnn_use) inputs, outputs;  /* by rank and operation, in order */
    VEC(struct ttnn_use) last_uses;        /* from tensor_lifetime; by rank and operation */
    ttnn_places places;                    /* by rank and device */
    VEC(struct ttnn_graph) graphs;         /* by rank and operation */
    uint64_t buffer_rows;
    bool buffers_in_order; /* as stored, as far as checked */
    bool broken;           /* the rows of buffers are damaged from here on */
    bool unexpected; /* a row is on another device than the first ones, or out of order: call ttnn_db_look_at_all and start over
                      */
    bool no_buffers; /* the table of buffers is missing, or not in a known form */
    bool some_operations;   /* the table of ops is missing or damaged */
    uint64_t unlisted;      /* ops that it lacks: only their nodes show them */
    uint64_t unread_tables; /* damaged tables: the rows read before the damage count */
    struct db_reading *reading;
    bool programs_untold;        /* nodes do not show the memory of programs */
    bool per_core_l1;            /* L1 addresses differ by core, or a tensor says so */
    struct slice schema_version; /* empty: one of the older schemas */
    uint64_t unreadable_buffers; /* the part of `unreadable` in rows of buffers */
    uint64_t unreadable;         /* impossible values; ttnn_db_unreadable also has those of buffers */
};

bool ttnn_db_looks_like(struct slice bytes);

/* Returns 0, or -1 if it is not a ttnn report or damaged. Release either way. Takes over the handle; `path` must stay until
 * then. */
int ttnn_db_read(struct ttnn_db *db, struct sqlite3 *handle, const char *path, struct err *err);

/* The rows of `buffers` in sequence by rank and operation: there are as many as ops times live buffers. False: no more. */
bool ttnn_db_next_buffer(struct ttnn_db *db, struct ttnn_buffer *out);

/* Impossible values in the rows read so far. */
uint64_t ttnn_db_unreadable(const struct ttnn_db *db);
uint64_t ttnn_db_unreadable_buffers(const struct ttnn_db *db); /* the same of buffers alone */

/* Walks over all rows of buffers first, so that nothing is unexpected. */
void ttnn_db_look_at_all(struct ttnn_db *db);

/* The text of a graph, valid until the next call; false if it cannot be read. */
bool ttnn_db_graph_text(struct ttnn_db *db, const struct ttnn_graph *graph, struct slice *text);

void ttnn_db_release(struct ttnn_db *db);

#endif
