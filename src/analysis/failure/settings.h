/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a setting in the product that wrote the log, and where it is documented. */
#ifndef TTMEM_ANALYSIS_FAILURE_SETTINGS_H
#define TTMEM_ANALYSIS_FAILURE_SETTINGS_H

#include "model/run.h"

enum product {
    PRODUCT_METAL, /* also if unknown: the messages are tt-metal's */
    PRODUCT_XLA,
    PRODUCT_VLLM,     /* on tt-metal */
    PRODUCT_VLLM_XLA, /* on TT-XLA */
    PRODUCTS,
};

enum setting {
    SETTING_TRACE_REGION,
    SETTING_L1_SMALL,
    SETTING_WORKER_L1,
    SETTING_WEIGHTS,  /* in bfloat8_b */
    SETTING_SEQUENCE, /* how much is processed at once */
    SETTING_NO_TRACE,
    SETTING_OPTIMIZER,  /* tensors in DRAM */
    SETTING_CONST_EVAL, /* off */
    SETTING_KV_CACHE,   /* in bfloat8_b */
    SETTING_DRAM_SPACE, /* the compiler saves DRAM */
    SETTING_ACCUMULATE, /* in bfloat16 */
    SETTINGS,
};

struct setting_words {
    const char *words;  /* NULL: the product has no such setting */
    const char *source; /* where it is documented or read */
};

struct setting_words setting_of(enum product product, enum setting setting);

/* By the contents of the log; `known`, if not NULL: whether anything shows it. */
enum product run_product(const struct run *run, bool *known);

/* "tt-metal", "tt-xla", "vllm" */
const char *product_name(enum product product);

#endif
