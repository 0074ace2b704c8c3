/* SPDX-License-Identifier: Apache-2.0 */
/* The records that stand out: by the memory that they reached, by growth, by padding of their results. */
#ifndef TTMEM_ANALYSIS_TOP_OPS_H
#define TTMEM_ANALYSIS_TOP_OPS_H

#include "model/run.h"

enum top_by {
    TOP_DRAM,    /* thousandths of a MB per bank, see record_reached */
    TOP_L1,      /* the same for L1 */
    TOP_GROWTH,  /* DRAM after the op less DRAM before it, thousandths of a MB per bank */
    TOP_PADDING, /* bytes of its most padded result beyond the logical size, all banks */
    TOP_BY_COUNT,
};

extern const char *const top_by_names[TOP_BY_COUNT]; /* "dram", ... */

struct top_op {
    uint32_t record;
    int64_t value;
};

struct top_ops {
    VEC(struct top_op) rows; /* largest value first, lower record first on ties; values above 0 only */
    uint64_t candidates;     /* how many records have a value above 0 */
};

/* The `limit` largest; 0 keeps all. */
void top_ops_find(const struct run *run, enum top_by by, size_t limit, struct top_ops *out);
void top_ops_release(struct top_ops *top);

/* The highest state of a pool that each record reached: over the blocks of its rank after it and up to the next record, so
 * that what comes before deallocates counts; what was before the record itself when no block follows. Thousandths of
 * a MB per bank, one per record; free() it. */
uint32_t *records_reached(const struct run *run, enum pool pool);

#endif
