/* SPDX-License-Identifier: Apache-2.0 */
/* What to do about each failure; private to the advice. */
#ifndef TTMEM_ANALYSIS_ADVICE_ROWS_H
#define TTMEM_ANALYSIS_ADVICE_ROWS_H

#include <stdint.h>

#include "analysis/failure/advice_figures.h"

enum advice_row_kind {
    ROW_MAY_HELP, /* the amount is unknown, or given by `gain` */
    ROW_ENOUGH,   /* enough alone: its text says by how much */
    ROW_GOAL,     /* the same, but it names no way to get there: counts if nothing from the log is enough */
    ROW_REMARK,   /* not an action: says what does not help, or what is missing */
    ROW_NOTICE,   /* the same, to be read before anything else */
};

/* Words with a $ are figures of the failure; a row with an unknown figure is left out. */
struct advice_row {
    unsigned verdicts;
    unsigned pools;
    const char *text;
    uint64_t kinds;     /* 0: any */
    unsigned phases;    /* bit per phase; 0: any */
    unsigned products;  /* bit per product; 0: any */
    unsigned ops;       /* families of ops: only for these; 0: any */
    const char *source; /* the source, if it is not the message itself */
    gain_fn *gain;      /* its gain, from the figures of the log; NULL: no figure */
    enum advice_row_kind worth;
};

/* Families of ops, by the program config that they take; advice_ops.c has their names. */
enum { ADVICE_MATMUL = 1, ADVICE_SDPA = 2, ADVICE_CONV = 4, ADVICE_NORM = 8 };

/* The family of an op, 0: none; its source, or NULL. */
unsigned advice_op_family(struct slice op);
const char *advice_op_source(struct slice op);

enum {
    ROWS_DRAM = 1u << FAILURE_DRAM,
    ROWS_L1 = 1u << FAILURE_L1,
    ROWS_L1_SMALL = 1u << FAILURE_L1_SMALL,
    ROWS_TRACE = 1u << FAILURE_TRACE,
    ROWS_NO_POOL = 1u << FAILURE_POOL_UNKNOWN,
    ROWS_OTHER = ROWS_NO_POOL | 1u << FAILURE_SYSTEM_MEMORY,
    ROWS_ANY = ~0u >> 1,
    /* Which product's log it is: on TT-XLA the compiler chooses what is a setting of tt-metal. */
    OF_METAL = 1u << PRODUCT_METAL | 1u << PRODUCT_VLLM,
    OF_XLA = 1u << PRODUCT_XLA | 1u << PRODUCT_VLLM_XLA,
};

#define ROW(verdict_set, pool_set, ...) \
    { .verdicts = verdict_set, .pools = ROWS_##pool_set, .text = __VA_ARGS__ }
#define V(verdict) (1u << VERDICT_##verdict)
#define K(kind) (1ull << FAILURE_##kind)
#define P(phase) (1u << PHASE_##phase)

/* In output order; each ends with a row without text. */
extern const struct advice_row advice_rows_memory[], advice_rows_buffers[], advice_rows_runtime[];
/* All of them; ends with NULL. */
extern const struct advice_row *const advice_tables[];

#endif
