/* SPDX-License-Identifier: Apache-2.0 */
/* Runs from what other tools wrote: operations in order, buffers that come and go, states of a pool. The reader of a format
 * calls in order; steps, blocks, types and tensors are written by run_write.h.
 *
 * A state is known before an op as soon as a buffer or a state of its rank was given. Buffers have addresses: the largest free
 * block follows from them where the pool's region is known. Texts are copied. Owns its memory until buffers_end. */
#ifndef TTMEM_MODEL_BUFFER_H
#define TTMEM_MODEL_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "model/origin.h"
#include "model/run.h"
#include "parse/memview.h"

struct run;
struct buffers;

enum buffer_layout { BUFFER_INTERLEAVED, BUFFER_HEIGHT_SHARDED, BUFFER_WIDTH_SHARDED, BUFFER_BLOCK_SHARDED, BUFFER_ND_SHARDED };

struct buffer_tensor {
    uint64_t id;        /* names it among operands and results */
    struct slice shape; /* "1x32x4"; empty: not known */
    struct slice dtype; /* "bf16" */
    bool tiled, on_device;
    bool raw; /* bytes of no tensor: nothing of them is padding */
    enum buffer_layout layout;
    enum pool pool;
    uint64_t bank_bytes; /* 0: not known */
};

struct buffer_op {
    struct slice name;
    struct slice location; /* empty: not known */
    struct slice text;     /* the op as MLIR prints it: gives all but the line; empty: made from the rest */
    uint64_t line;         /* where in the input it was, 0 */
    const struct buffer_tensor *operands, *results;
    size_t operand_count, result_count;
};

struct device_buffer {
    enum pool pool;
    uint64_t address, bank_bytes;
    const struct buffer_tensor *tensor; /* what lies in it; NULL: not known */
    enum tensor_class class;
    bool bounded;      /* bank_bytes is a lower bound */
    struct slice name; /* of an argument, empty */
};

/* `bytes` is the size of the input. */
struct buffers *buffers_begin(struct run *run, enum run_origin origin, uint64_t bytes);

/* A stream of operations with a memory of its own: a device, a process. Empty name: the only one. */
uint16_t buffers_rank(struct buffers *b, struct slice name);

/* What a bank of the pool holds; `has_base`: addresses begin at `base`. */
void buffers_pool(struct buffers *b, uint16_t rank, enum pool pool, unsigned banks, bool has_base, uint64_t base,
                  uint64_t bytes);

/* The pool is larger than its region, and by how much is not known: neither is its size, nor what is free in it. */
void buffers_open_end(struct buffers *b, uint16_t rank, enum pool pool);

/* The input does not name the device: the sizes given are those of a likely one. */
void buffers_device_assumed(struct buffers *b);

void buffers_op(struct buffers *b, uint16_t rank, const struct buffer_op *op);

/* The innermost op of the rank that has not ended yet took so long; 0: not known. What follows begins after it. */
void buffers_op_ends(struct buffers *b, uint16_t rank, uint64_t duration_ns);

/* What follows happened at that time, counted from the start; what was there before lasted until then. */
void buffers_at(struct buffers *b, uint16_t rank, uint64_t ns);

/* The buffers of a rank: either each as it comes and goes ... */
void buffers_take(struct buffers *b, uint16_t rank, const struct device_buffer *buffer);
void buffers_free(struct buffers *b, uint16_t rank, enum pool pool, uint64_t address);
/* The op that was given last takes what lies there. */
void buffers_use(struct buffers *b, uint16_t rank, enum pool pool, uint64_t address);
/* What lies there turns out to be of another class. */
void buffers_reclass(struct buffers *b, uint16_t rank, enum pool pool, uint64_t address, enum tensor_class class);
/* ... or all that are there, again and again: what is not named between the two is gone. */
void buffers_all_begin(struct buffers *b, uint16_t rank);
void buffers_all_end(struct buffers *b, uint16_t rank);

/* Whether that very buffer is there already; between the two it then counts as named. */
bool buffers_keep(struct buffers *b, uint16_t rank, enum pool pool, uint64_t address, uint64_t bank_bytes);
/* Bytes per bank of the buffer that lies there, 0: none. */
uint64_t buffers_bytes_at(const struct buffers *b, uint16_t rank, enum pool pool, uint64_t address);

/* Of all of them in the pool. */
uint64_t buffers_sum(const struct buffers *b, uint16_t rank, enum pool pool);

/* Address of the lowest one; false: there is none, or they overlap. */
bool buffers_lowest(const struct buffers *b, uint16_t rank, enum pool pool, uint64_t *address);

/* A state of a pool as the input has it; bytes per bank. It stands until the next one. */
void buffers_state(struct buffers *b, uint16_t rank, enum pool pool, uint64_t allocated, uint64_t free, uint64_t largest);

/* A state without an op, named. */
void buffers_add_state(struct buffers *b, uint16_t rank, struct slice name, uint64_t line);

/* The state at this moment, inside the last op: higher than before it and after it. Not an op of its own. */
void buffers_inside(struct buffers *b, uint16_t rank);

/* The ops until the end are one pass of a program. Not nested. */
void buffers_pass_begins(struct buffers *b, uint16_t rank, struct slice program);
void buffers_pass_ends(struct buffers *b, uint16_t rank, bool finished);

/* A compiled program that the run is of, `text` at `offset` of what run.text will be. */
void buffers_module(struct buffers *b, struct slice stage, struct slice text, uint64_t offset);

/* The op that was given last ran out of memory. */
void buffers_failure(struct buffers *b, uint16_t rank, const struct failure *failure, uint64_t line);

/* Finishes the run and frees the builder. The last state of each rank stands after its last op. */
void buffers_end(struct buffers *b);

#endif
