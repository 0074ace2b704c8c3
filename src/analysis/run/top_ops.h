/* SPDX-License-Identifier: Apache-2.0 */
/* The records that stand out: by the memory that they reached, by growth, by padding of their results. */
#ifndef TTMEM_ANALYSIS_TOP_OPS_H
#define TTMEM_ANALYSIS_TOP_OPS_H

#include "model/run.h"

enum top_by {
    TOP_DRAM,            /* thousandths of a MB per bank, see record_reached */
    TOP_L1,              /* the same for L1 */
    TOP_GROWTH,          /* change in DRAM across the op, thousandths of a MB per bank; see growth_elsewhere */
    TOP_PADDING,         /* bytes of its most padded result beyond the logical size, all banks */
    TOP_BYTE_SECONDS,    /* DRAM of its results times how long they exist, bytes per bank times ms; see byte_seconds.h */
    TOP_L1_BYTE_SECONDS, /* the same for L1 */
    TOP_BY_COUNT,
};

extern const char *const top_by_names[TOP_BY_COUNT]; /* "dram", ... */

struct top_op {
    uint32_t record;
    int64_t value;
    uint32_t times; /* how often the same op ran, if rows are folded; else 0 */
};

struct top_ops {
    VEC(struct top_op) rows; /* largest value first, lower record first on ties; values above 0 only */
    uint64_t candidates;     /* number of records with a value above 0 */
};

/* The `limit` largest; 0 keeps all. `among`: a flag per record, NULL: all of them. */
void top_ops_find(const struct run *run, enum top_by by, size_t limit, const bool *among, struct top_ops *out);
/* The same with one row for an op that passes repeat: where its value is highest. For padding, the op that made the result
 * of a load_cached is not listed beside it. */
void top_ops_folded(const struct run *run, enum top_by by, size_t limit, struct top_ops *out);
/* The first `limit` of those, in the order of the run; their value is 0. */
void top_ops_in_order(const struct run *run, const bool *among, size_t limit, struct top_ops *out);
void top_ops_release(struct top_ops *top);

/* By its name; TOP_DRAM for NULL. */
enum top_by top_by_named(const char *name);

/* The highest state of a pool that each record reached: over the blocks of its rank after it and up to the next record, so
 * that states before deallocates count; the state before the record itself if no block follows. Thousandths of a MB per
 * bank, one per record; the caller frees it. */
uint32_t *records_reached(const struct run *run, enum pool pool);

/* The same for one record in bytes; 0 if no block is near. */
int64_t record_reached_bytes(const struct run *run, uint32_t record, enum pool pool);

/* Growth across ops counts every byte once: what ran inside a load_cached is charged to the outermost load_cached, because
 * only its result stays; an op that calls another program (a trace, a function) has no growth of its own, because the ops of
 * that program have it.
 *
 * Per step: is its growth charged to other ops? The caller frees it. */
bool *growth_elsewhere(const struct run *run);

/* After the step minus before it, thousandths of a MB per bank. False if it was not measured on both sides. */
bool step_growth(const struct run *run, const struct step *step, enum pool pool, int64_t *milli);

/* The same in bytes, for a step that was measured on both sides. */
int64_t step_growth_bytes(const struct run *run, const struct step *step, enum pool pool);

#endif
