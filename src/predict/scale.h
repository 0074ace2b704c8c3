/* SPDX-License-Identifier: Apache-2.0 */
/* A module with other sizes than it was compiled for: longer caches, weights in another element type, another batch. Inexact
 * figures are estimates: the compiler might choose other layouts. */
#ifndef TTMEM_PREDICT_SCALE_H
#define TTMEM_PREDICT_SCALE_H

#include "analysis/fit/limits.h"
#include "base/err.h"
#include "replay/ir/ir.h"

/* Some of the weights, const-eval results or activations: by fit_name_key of their names, or of the op that makes them. */
struct scale_part {
    uint64_t key;
    uint64_t row; /* row in fit_element_rows */
};

enum { SCALE_PARTS = 16, SCALE_MOVED = 16 };

struct scale {
    uint64_t kv_len, kv_blocks, batch; /* 0: unchanged */
    const char *weights;               /* element type, NULL: unchanged */
    const char *weights_from;          /* only those in this element type; NULL: all */
    const char *activations;           /* element type for those in f32; NULL: unchanged */
    const char *const_evals;           /* the same for results of const-eval functions */
    struct scale_part parts[SCALE_PARTS];
    uint64_t part_count;
    uint64_t moved[SCALE_MOVED]; /* ops to move as early as possible: module << 32 | line */
    uint64_t moved_count;
};

/* What was changed. */
struct scaled {
    unsigned caches; /* cache arguments that have the requested size */
    uint64_t kv_was; /* blocks, or positions if a cache has no blocks */
    bool paged;
    uint64_t block_len;              /* positions per block */
    uint64_t cache_elements;         /* bytes of all caches afterwards, without padding, */
    uint64_t cache_stored;           /* and in whole pages */
    unsigned weights;                /* arguments and const-eval results */
    uint64_t batch_was;              /* 0: neither inputs nor caches share a leading dimension */
    enum fit_batch_told batch_told;  /* by which */
    unsigned activations, unchanged; /* types of results with and without the batch among their dimensions */
    unsigned sharded;                /* types left unchanged because they are sharded */
};

static inline bool scale_is_set(const struct scale *s) {
    return s->kv_len || s->kv_blocks || s->batch || s->weights || s->activations || s->const_evals || s->part_count ||
           s->moved_count;
}

/* Changes the types of a module that was just read. */
void scale_apply(struct ir *ir, const struct scale *scale, struct scaled *scaled);

/* Adds the changes to another module of the same process. */
void scaled_add(struct scaled *all, const struct scaled *more);

/* Thousandths of a device's DRAM, rounded down, that make vLLM's plugin allocate caches of exactly this many bytes per bank:
 * it counts weights as nothing and elements without padding, and takes the device's DRAM including what the runtime
 * reserves. */
uint64_t scaled_utilization_milli(const struct scaled *scaled, uint64_t cache_bytes, uint64_t channel_bytes);

/* Returns -1 with ERR_LACKS if the modules have nothing to scale. */
int scale_check(const struct scale *scale, const struct scaled *scaled, struct err *err);

#endif
