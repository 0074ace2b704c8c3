/* SPDX-License-Identifier: Apache-2.0 */
/* What is alive before a step, from op lines. An estimate: the memory blocks are measured, and what they hold beyond the
 * tensors known here is shown as unattributed. */
#ifndef TTMEM_ANALYSIS_LIVE_H
#define TTMEM_ANALYSIS_LIVE_H

#include "model/run.h"

enum live_class {
    LIVE_ACTIVATION,
    LIVE_WEIGHT,
    LIVE_CONST_EVAL,
    LIVE_INPUT,
    LIVE_KV_CACHE,
    /* what only predictions distinguish */
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
    uint64_t logical_bytes; /* without padding, all banks */
    uint64_t padded_bytes;  /* as stored, all banks */
    uint64_t per_bank_bytes;
    uint64_t bank_unknown; /* tensors without a per-bank size, because the number of banks is not known: there is no sum then */
    uint64_t unshaped;     /* buffers of which only the bytes are known, not their padding */
};

/* Whether any of the sum has a shape, so that its padding is known. */
static inline bool live_sum_has_shapes(const struct live_sum *sum) { return sum->tensors > sum->unshaped; }

/* Memory that is in no tensor, by rule (computed.h). */
struct live_computed {
    uint64_t bytes;   /* per bank; never more than what the tensors leave */
    uint64_t by_rule; /* per bank, whether there is room for it or not */
    uint64_t parts;
};

struct live_set {
    uint32_t step;         /* what is alive before it */
    VEC(uint32_t) tensors; /* of the pool asked for, largest per bank first */
    struct live_sum sum;
    struct live_sum by_class[LIVE_CLASS_COUNT];
    struct live_sum left; /* of these: copies that earlier passes left behind (analysis/pass/leaks.h) */
    struct live_computed computed[LIVE_CLASS_COUNT];
    uint64_t computed_bytes; /* per bank, of all classes */
    bool has_computed;       /* it was asked for, and not every buffer of the run is known */
};

enum live_class tensor_live_class(const struct run *run, const struct tensor *tensor);
bool tensor_in_pool(const struct run *run, const struct tensor *tensor, enum pool pool);
struct live_sum tensor_sum(const struct run *run, const struct tensor *tensor);
bool run_has_shapes(const struct run *run); /* of any tensor on the device */
void live_sum_add(struct live_sum *sum, const struct live_sum *more);

static inline bool tensor_alive(const struct tensor *tensor, uint32_t step, uint16_t rank) {
    return tensor->rank == rank && tensor->born <= step && step < tensor->gone;
}

/* Whether a tensor of the set is one that an earlier pass left behind: by the lines of the log it would be gone. */
bool live_is_left(const struct run *run, const struct live_set *set, const struct tensor *tensor);

void live_at(const struct run *run, uint32_t step, enum pool pool, struct live_set *set);
void live_sort(const struct run *run, struct live_set *set); /* puts the largest first again */
void live_release(struct live_set *set);

/* What a memory block says is allocated per bank, minus live tensors and computed memory: thousandths of a MB. Negative when
 * the op lines name more than the runtime holds. */
int64_t live_unattributed(const struct live_set *set, uint32_t allocated);

/* The last record of the tensor's rank after which it was still there; NONE when it stays, or when that is not known: arguments
 * belong to the caller, the end of their program says nothing about them. */
uint32_t tensor_last_record(const struct run *run, const struct tensor *tensor);

/* What people call a tensor: its name in the model for an argument, else empty. */
struct slice tensor_name(const struct run *run, const struct tensor *tensor);

#endif
