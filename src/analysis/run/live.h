/* SPDX-License-Identifier: Apache-2.0 */
/* What is alive before a step, from op lines. An estimate: memory blocks are measured, and what they hold beyond the tensors
 * known here is shown as unattributed. */
#ifndef TTMEM_ANALYSIS_LIVE_H
#define TTMEM_ANALYSIS_LIVE_H

#include "model/run.h"

enum live_class {
    LIVE_ACTIVATION,
    LIVE_WEIGHT,
    LIVE_CONST_EVAL,
    LIVE_INPUT,
    LIVE_KV_CACHE,
    /* only predictions distinguish these */
    LIVE_TEMPORARY,
    LIVE_RESHAPE_MAP,
    LIVE_TABLE,
    LIVE_BINARY,
    LIVE_CIRCULAR_BUFFER, /* of a running program; with dataflow buffers and scratchpads */
    LIVE_CLASS_COUNT
};

extern const char *const live_class_names[LIVE_CLASS_COUNT];

struct live_sum {
    uint64_t tensors;
    uint64_t logical_bytes; /* of the elements, all banks; memory in no tensor has none */
    uint64_t padded_bytes;  /* as stored, all banks */
    uint64_t padding_bytes; /* of tensors whose elements and layout are known */
    uint64_t per_bank_bytes;
    uint64_t bank_unknown; /* tensors without a size per bank, because the number of banks is unknown: then there is no sum */
    uint64_t unshaped;     /* buffers of which only the bytes are known, not their padding */
};

/* Does any of the sum have a shape, so that its padding is known? */
static inline bool live_sum_has_shapes(const struct live_sum *sum) { return sum->tensors > sum->unshaped; }

/* Memory in no tensor, by rule (computed.h). */
struct live_computed {
    uint64_t bytes;   /* per bank; never more than what the tensors leave */
    uint64_t by_rule; /* per bank, whether or not there is room for it */
    uint64_t parts;
};

struct live_set {
    uint32_t step;         /* what is alive before it */
    VEC(uint32_t) tensors; /* of the pool asked for, largest per bank first */
    struct live_sum sum;
    struct live_sum by_class[LIVE_CLASS_COUNT];
    struct live_sum left; /* the part that earlier passes left behind (analysis/pass/leaks.h) */
    struct live_computed computed[LIVE_CLASS_COUNT];
    uint64_t computed_bytes; /* per bank, over all classes */
    bool has_computed;       /* it was requested, and not every buffer of the run is known */
};

enum live_class tensor_live_class(const struct run *run, const struct tensor *tensor);
bool tensor_in_pool(const struct run *run, const struct tensor *tensor, enum pool pool);
struct live_sum tensor_sum(const struct run *run, const struct tensor *tensor);
bool run_has_shapes(const struct run *run); /* of any tensor on the device */
void live_sum_add(struct live_sum *sum, const struct live_sum *more);

static inline bool tensor_alive(const struct tensor *tensor, uint32_t step, uint16_t rank) {
    return tensor->rank == rank && tensor->born <= step && step < tensor->gone;
}

/* Did an earlier pass leave this tensor of the set behind? By the lines of the log it would be gone. */
bool live_is_left(const struct run *run, const struct live_set *set, const struct tensor *tensor);

void live_at(const struct run *run, uint32_t step, enum pool pool, struct live_set *set);
void live_sort(const struct run *run, struct live_set *set); /* restores the order, largest first */
void live_release(struct live_set *set);

/* What a memory block reports as allocated per bank, minus live tensors and computed memory: thousandths of a MB. Negative
 * if the op lines name more than the runtime holds. */
int64_t live_unattributed(const struct live_set *set, uint32_t allocated);

/* The last record of the tensor's rank after which it still existed; NONE if it stays, or if this is unknown: arguments
 * belong to the caller, and the end of their program says nothing about them. */
uint32_t tensor_last_record(const struct run *run, const struct tensor *tensor);

/* The name of a tensor to show: for an argument its name in the model, else empty. */
struct slice tensor_name(const struct run *run, const struct tensor *tensor);

#endif
