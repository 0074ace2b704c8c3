/* SPDX-License-Identifier: Apache-2.0 */
/* Folds rows of changed tensors that repeat from layer to layer into one. */
#ifndef TTMEM_RENDER_DIFF_FOLD_H
#define TTMEM_RENDER_DIFF_FOLD_H

#include "base/vec.h"
#include "render/compare/diff.h"

struct diff_fold {
    uint32_t first; /* of the pool's tensors */
    uint32_t count;
    int64_t bytes; /* over all of them */
};

struct diff_folds {
    VEC(struct diff_fold) items; /* in the order of their first */
    uint32_t *of;                /* of each tensor: its fold */
};

/* Tensors are alike if their changes are equal in bytes, cause and kind, and their names differ only in numbers other than
 * those of source lines. `each`: every tensor is its own fold. */
void diff_folds_make(struct diff_folds *folds, const struct diff *diff, const struct diff_pool *pool, bool each);
void diff_folds_release(struct diff_folds *folds);

/* "#41 ttnn.matmul  layers.3.mlp", or "32 x ttnn.matmul  layers.*.mlp" with a '*' for numbers that differ. */
void diff_fold_title(struct strbuf *out, const struct diff *diff, const struct diff_pool *pool, const struct diff_folds *folds,
                     size_t fold);

/* For several: ", each; +1.3 MB in all, first #41". */
void diff_fold_rest(struct strbuf *out, const struct diff *diff, const struct diff_pool *pool, const struct diff_fold *fold);

#endif
