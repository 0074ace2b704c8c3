/* SPDX-License-Identifier: Apache-2.0 */
/* What each op does to memory: one row per op. An op without a row counts as plain, and is reported as such. */
#ifndef TTMEM_REPLAY_OP_TABLE_H
#define TTMEM_REPLAY_OP_TABLE_H

#include "replay/engine/op_run.h"

enum op_effect {
    EFFECT_PLAIN,    /* a buffer for each result */
    EFFECT_NOTHING,  /* takes no device memory */
    EFFECT_IN_PLACE, /* writes to an operand */
    EFFECT_DATA,     /* results are written by the host: no program runs */
    EFFECT_VIEW,     /* may return its operand (views.h) */
    EFFECT_FREE,     /* deallocate */
    EFFECT_CACHED,   /* load_cached */
    EFFECT_CALL,
    EFFECT_TRACE,
};

struct op_row {
    const char *name; /* without "ttnn." */
    enum op_effect effect;
    uint32_t binary; /* bytes per bank of its kernels; 0: the usual */
};

/* NULL: unknown. */
const struct op_row *op_row_find(struct slice name);

/* Bytes per bank of an ordinary program's kernels: five to ten pages of 2048 over the banks. */
enum { BINARY_USUAL = 2048 };

/* Is the result of an op with EFFECT_VIEW its first operand? */
bool op_is_view(const struct op_run *x);

/* Does a reshape on the device return its operand? */
bool reshape_is_view(const struct ir_type *in, const struct ir_type *out);

/* Temporaries: one row per rule; the first that fits counts. */
struct temporary_rule {
    const char *ops; /* names without "ttnn.", separated by spaces */
    bool (*when)(const struct op_run *x);
    void (*make)(struct op_run *x);
    bool estimated;
    bool sharded;       /* also applies to sharded operands */
    const char *source; /* the place in tt-metal, below ttnn/cpp/ttnn/operations/ */
};

/* NULL: none fits. *left_out: one would fit if the operands were not sharded. */
const struct temporary_rule *temporary_rule_find(const struct op_run *x, bool *left_out);

/* The row of values that a pad of rows on one core keeps in L1, bytes per bank; 0: none, as on several cores. */
uint64_t pad_row_bytes(const struct op_run *x);

/* conv2d with its input in DRAM. */
bool conv_goes_through_dram(const struct op_run *x);
void conv_make(struct op_run *x);

/* Sliding-window tables of a convolution or pool in DRAM, bytes per bank; 0: in L1_SMALL or none. */
uint64_t conv_table_bytes(const struct op_run *x);

/* Those in L1_SMALL: their size depends on the cores that the op runs on, which a module does not give. */
bool conv_tables_in_l1_small(const struct op_run *x);

#endif
