/* SPDX-License-Identifier: Apache-2.0 */
/* The longest cache and the largest batch that fit, found by replaying a run with other sizes of its caches, or of whatever
 * grows with the batch. With two runs of the same ops and different batches the growth is known; with one it is an estimate. */
#ifndef TTMEM_ANALYSIS_FIT_LIMITS_H
#define TTMEM_ANALYSIS_FIT_LIMITS_H

#include "analysis/fit/fit.h"

struct fit_limit {
    bool known;
    const char *what; /* "kv_len", "kv_blocks", "batch" */
    uint64_t was, best;
    bool bounded; /* false: everything tried fits */
    bool exact;
    const char *assumption; /* what an estimate assumes; NULL: nothing */
    uint64_t peak;
    uint64_t uncertainty; /* by how much the peak may be off; it fits even with that */
    uint64_t bytes_each;  /* per bank, for one position or block of all caches, or one more in the batch; 0: unknown */
    uint64_t in_block;    /* positions per block; 0: no blocks */
};

enum fit_limit_of { LIMIT_KV_LEN, LIMIT_KV_BLOCKS, LIMIT_BATCH, FIT_LIMITS };

struct fit_limits {
    struct fit_limit of[FIT_LIMITS];
    uint64_t utilization_milli; /* gpu_memory_utilization, in thousandths, that requests the caches that fit; 0: none */
};

/* Caches of a run. Those of compiled modules are found by predicting again. */
void fit_limit_caches(struct fit *fit, struct fit_limits *out);

/* From one run, by the leading dimension that its inputs, or its caches, share. */
void fit_limit_batch(struct fit *fit, struct fit_limits *out);

/* The batch from the leading dimension of inputs and caches, 0 if there are none or they differ; 0: unknown. `paged`: caches
 * consist of blocks. And the assumption behind it. */
enum fit_batch_told { BATCH_OF_INPUTS, BATCH_OF_CACHES };
uint64_t fit_batch_choose(uint64_t inputs, uint64_t caches, bool paged, enum fit_batch_told *told);
const char *fit_batch_assumption(enum fit_batch_told told, bool paged);

/* Bytes per bank that one more adds, on average from the present value to the largest that fits: the peak may move on the
 * way. `now`: the present peak; `otherwise`: used if that is the largest. */
uint64_t fit_limit_each(const struct fit_limit *limit, uint64_t now, uint64_t otherwise);
extern const char fit_without_holes[]; /* what is assumed for logs */

/* For changes of the batch: does a name request one that is not listed; the name and text of a change. */
bool fit_reads_batch(const struct fit *fit, const struct fit_kind *kind, const char *name, uint64_t *batch);
void fit_name_batch(struct fit_change *change, uint64_t batch, const char *assumption);

/* Makes the trace of the same program for any batch; NULL: it does not reach its end. Valid until the next call. */
struct fit_batches {
    void *context;
    uint64_t was; /* the batch that the program has */
    const struct fit_trace *(*with)(void *context, uint64_t n);
};

/* From two runs; returns NULL, or why nothing can be said: "does other ops", ... If `batches` (may be NULL) reproduces the
 * second run to the byte, it does so for any batch, and the answer is exact. */
const char *fit_limit_batch_of(struct fit *fit, const struct fit_trace *other, const struct fit_batches *batches,
                               struct fit_limits *out);

/* For these: dimensions of a shape, 0 if it has none; bytes of the buffer with one dimension in another size, *by_tiles: its
 * tiles give them, otherwise they are in proportion. */
enum { FIT_MOST_DIMS = 16 };
unsigned fit_dims(const struct tensor_type *type, uint64_t dims[FIT_MOST_DIMS]);
uint64_t fit_bytes_with(const struct fit_trace *trace, const struct fit_buffer *b, unsigned dim, uint64_t size, bool *by_tiles);

/* Searches the largest n that fits. `size` gives the bytes of a buffer at n, or `batches` makes the whole trace. */
struct fit_scaling {
    uint64_t (*size)(const struct fit_scaling *scaling, uint32_t buffer, uint64_t n);
    const struct fit_batches *batches; /* NULL */
    const struct fit_trace *trace;
    const void *context;
    void *memo;         /* of `size`; NULL */
    uint64_t was, step; /* only multiples of `step` are tried */
    uint64_t uncertainty;
};
/* Bytes per bank that one more adds on average, where it matters, up to twice the present value. */
uint64_t fit_growth_at_peak(const struct fit *fit, const struct fit_scaling *scaling);
void fit_limit_search(struct fit *fit, const struct fit_scaling *scaling, struct fit_limit *limit);

#endif
