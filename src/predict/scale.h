/* SPDX-License-Identifier: Apache-2.0 */
/* A module with sizes other than it was compiled for: longer caches, weights in another element, another batch. Figures that
 * are not exact are estimates: the compiler might choose other layouts. */
#ifndef TTMEM_PREDICT_SCALE_H
#define TTMEM_PREDICT_SCALE_H

#include "analysis/fit/limits.h"
#include "base/err.h"
#include "replay/ir/ir.h"

/* Some of the weights, const-eval results or activations: by fit_name_key of their names, or of the op that makes them. */
struct scale_part {
    uint64_t key;
    uint64_t row; /* of fit_element_rows */
};

enum { SCALE_PARTS = 16, SCALE_MOVED = 16 };

struct scale {
    uint64_t kv_len, kv_blocks, batch; /* 0: as it is */
    const char *weights;               /* element, NULL: as they are */
    const char *weights_from;          /* only of those in that element; NULL: of all */
    const char *activations;           /* element of what is f32 among them; NULL: as they are */
    const char *const_evals;           /* the same of results of const-eval functions */
    struct scale_part parts[SCALE_PARTS];
    uint64_t part_count;
    uint64_t moved[SCALE_MOVED]; /* ops that are moved to as early as can be: module << 32 | line */
    uint64_t moved_count;
};

/* What was changed. */
struct scaled {
    unsigned caches; /* cache arguments that have what was asked for */
    uint64_t kv_was; /* blocks, or positions where a cache has no blocks */
    bool paged;
    uint64_t block_len;              /* positions of a block */
    uint64_t cache_elements;         /* bytes of all caches as they are afterwards, without padding, */
    uint64_t cache_stored;           /* and in whole pages */
    unsigned weights;                /* arguments and const-eval results */
    uint64_t batch_was;              /* 0: neither inputs nor caches share a leading dimension */
    enum fit_batch_told batch_told;  /* by which */
    unsigned activations, unchanged; /* types of results that have the batch among their dimensions, and that have not */
    unsigned sharded;                /* types that were left as they are because they are sharded */
};

static inline bool scale_is_set(const struct scale *s) {
    return s->kv_len || s->kv_blocks || s->batch || s->weights || s->activations || s->const_evals || s->part_count ||
           s->moved_count;
}

/* Changes the types of a module that was just read. */
void scale_apply(struct ir *ir, const struct scale *scale, struct scaled *scaled);

/* Adds what was changed in another module of the same process. */
void scaled_add(struct scaled *all, const struct scaled *more);

/* Thousandths of a device's DRAM, rounded down, that ask vLLM's plugin for caches of exactly this many bytes per bank: it
 * counts weights as nothing and elements without padding, and takes the DRAM of the device with what the runtime sets aside. */
uint64_t scaled_utilization_milli(const struct scaled *scaled, uint64_t cache_bytes, uint64_t channel_bytes);

/* -1 with ERR_LACKS: the modules have nothing of what is to be scaled. */
int scale_check(const struct scale *scale, const struct scaled *scaled, struct err *err);

#endif
