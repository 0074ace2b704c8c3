/* SPDX-License-Identifier: Apache-2.0 */
/* Builds runs from what other tools recorded: ops in order, buffers that come and go, states of a pool. The reader of a
 * format makes these calls in order; run_write.h writes steps, blocks, types and tensors.
 *
 * The state before an op is known once its rank has had a buffer or a state. Buffers have addresses, so the largest free
 * block is known if the pool's region is. Texts are copied. Owns its memory until buffers_end. */
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
    uint64_t id;        /* its name among operands and results */
    struct slice shape; /* "1x32x4"; empty: unknown */
    struct slice dtype; /* "bf16" */
    bool tiled, on_device;
    bool raw; /* bytes in no tensor: without elements, and so without padding */
    enum buffer_layout layout;
    enum pool pool;
    uint64_t bank_bytes;  /* 0: unknown */
    uint64_t total_bytes; /* of its pages; 0: as shape and layout say */
};

struct buffer_op {
    struct slice name;
    struct slice location; /* empty: unknown */
    struct slice text;     /* the op as MLIR prints it: gives everything but the line; empty: made from the other fields */
    uint64_t line;         /* its line in the input, or 0 */
    const struct buffer_tensor *operands, *results;
    size_t operand_count, result_count;
};

struct device_buffer {
    enum pool pool;
    uint64_t address, bank_bytes;
    const struct buffer_tensor *tensor; /* its contents; NULL: unknown */
    enum tensor_class class;
    bool bounded;      /* bank_bytes is a lower bound */
    struct slice name; /* of an argument, or empty */
};

/* `bytes` is the size of the input. */
struct buffers *buffers_begin(struct run *run, enum run_origin origin, uint64_t bytes);

/* A sequence of ops with its own memory: a device, a process. Empty name: the only one. */
uint16_t buffers_rank(struct buffers *b, struct slice name);

/* Sets the size of the pool's banks; `has_base`: addresses begin at `base`. */
void buffers_pool(struct buffers *b, uint16_t rank, enum pool pool, unsigned banks, bool has_base, uint64_t base,
                  uint64_t bytes);

/* The pool is larger than its region by an unknown amount, so its size and free memory are unknown. */
void buffers_open_end(struct buffers *b, uint16_t rank, enum pool pool);

/* The input does not name the device: the given sizes are those of a likely one. */
void buffers_device_assumed(struct buffers *b);

void buffers_op(struct buffers *b, uint16_t rank, const struct buffer_op *op);

/* The rank's innermost open op ends after this duration; 0: unknown. Later events begin after it. */
void buffers_op_ends(struct buffers *b, uint16_t rank, uint64_t duration_ns);

/* Later events happened at this time, counted from the start; the previous step lasts until then. */
void buffers_at(struct buffers *b, uint16_t rank, uint64_t ns);

/* The buffers of a rank: either each one as it comes and goes ... */
void buffers_take(struct buffers *b, uint16_t rank, const struct device_buffer *buffer);
void buffers_free(struct buffers *b, uint16_t rank, enum pool pool, uint64_t address);
/* The last op uses the buffer at this address. */
void buffers_use(struct buffers *b, uint16_t rank, enum pool pool, uint64_t address);
/* The buffer at this address is of another class after all. */
void buffers_reclass(struct buffers *b, uint16_t rank, enum pool pool, uint64_t address, enum tensor_class class);
/* ... or the complete list, repeatedly: a buffer that is not named between the two calls is gone. */
void buffers_all_begin(struct buffers *b, uint16_t rank);
void buffers_all_end(struct buffers *b, uint16_t rank);

/* Is this same buffer already there? Between the two calls it then counts as named. */
bool buffers_keep(struct buffers *b, uint16_t rank, enum pool pool, uint64_t address, uint64_t bank_bytes);
/* Bytes per bank of the buffer at this address, 0: none. */
uint64_t buffers_bytes_at(const struct buffers *b, uint16_t rank, enum pool pool, uint64_t address);

/* Sum over all buffers in the pool. */
uint64_t buffers_sum(const struct buffers *b, uint16_t rank, enum pool pool);

/* Address of the lowest buffer; false if there is none or they overlap. */
bool buffers_lowest(const struct buffers *b, uint16_t rank, enum pool pool, uint64_t *address);

/* A state of a pool as recorded by the input; bytes per bank. Valid until the next one. */
void buffers_state(struct buffers *b, uint16_t rank, enum pool pool, uint64_t allocated, uint64_t free, uint64_t largest);

/* A named state without an op. */
void buffers_add_state(struct buffers *b, uint16_t rank, struct slice name, uint64_t line);

/* The current state, inside the last op: higher than before and after it. Not a record. */
void buffers_inside(struct buffers *b, uint16_t rank);

/* The state between the last op and what follows it that is not an op: the freeing of buffers, the arguments of another
 * program. It is the state after the op. Not a record. */
void buffers_between(struct buffers *b, uint16_t rank, struct slice name);

/* The ops up to the end form one pass of a program. Not nested. */
void buffers_pass_begins(struct buffers *b, uint16_t rank, struct slice program);
void buffers_pass_ends(struct buffers *b, uint16_t rank, bool finished);

/* A compiled program of the run; its `text` is at `offset` of the later run.text. */
void buffers_module(struct buffers *b, struct slice stage, struct slice text, uint64_t offset);

/* The last op ran out of memory. */
void buffers_failure(struct buffers *b, uint16_t rank, const struct failure *failure, uint64_t line);

/* Finishes the run and frees the builder. The last state of each rank becomes the state after its last op. */
void buffers_end(struct buffers *b);

#endif
