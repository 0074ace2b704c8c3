/* SPDX-License-Identifier: Apache-2.0 */
/* One op while it runs: what its rule may ask for and do. A rule takes temporaries, has the results made, and returns; its
 * temporaries are freed when the op ends. Order decides fragmentation: early temporaries, results, maps and tables,
 * binaries, then the temporaries go. */
#ifndef TTMEM_REPLAY_OP_RUN_H
#define TTMEM_REPLAY_OP_RUN_H

#include "replay/engine/memory.h"
#include "replay/engine/reshape_map.h"
#include "replay/ir/ir.h"

struct replay;

enum { OP_RUN_HELD = 96 };

struct op_run {
    struct replay *replay;
    const struct ir *ir;
    const struct ir_op *op;
    uint32_t *values; /* buffers of the function's values */
    bool results_made;
    bool estimating;            /* what is being taken is an estimate */
    uint32_t held[OP_RUN_HELD]; /* freed when the op ends, in this order */
    unsigned held_count;
    uint64_t temporaries; /* bytes per bank of temporaries, all pools */
};

/* NULL if the op has fewer, or it is not a tensor with known dimensions on the device. */
const struct ir_type *op_run_in(const struct op_run *x, uint32_t operand);
const struct ir_type *op_run_out(const struct op_run *x, uint32_t result);

/* A tensor that lives until the op ends or it is released. */
uint32_t op_run_temporary(struct op_run *x, const struct ir_type *type);
void op_run_let_go(struct op_run *x, uint32_t buffer);

/* Makes the results, in order; once. */
void op_run_results(struct op_run *x);

/* The first result is this buffer: a view of it. */
void op_run_result_is(struct op_run *x, uint32_t buffer);

/* What a copying tiled reshape leaves on the device: its map and its binary, the first time. */
void op_run_reshape_map(struct op_run *x, const struct ir_type *in, const struct ir_type *out);

/* A table or binary of the program `identity`, the first time. */
void op_run_program(struct op_run *x, struct hash128 identity, uint64_t table, uint64_t binary);

/* Hash of name, properties and types. */
struct hash128 op_run_identity(const struct op_run *x);

/* What L1 holds in all banks together. */
uint64_t op_run_l1_bytes(const struct op_run *x);
unsigned op_run_dram_align(const struct op_run *x);
uint64_t op_run_devices(const struct op_run *x); /* of the mesh */

#endif
