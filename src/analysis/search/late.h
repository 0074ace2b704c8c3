/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that are freed late, or never, and what the peak would be otherwise. An op's operand exists while its result is
 * made: it could be gone at the second state after its last use.
 *
 * The peak is found again by going over every memory state of the run, because the savings of single tensors do not add up. */
#ifndef TTMEM_ANALYSIS_LATE_H
#define TTMEM_ANALYSIS_LATE_H

#include "analysis/run/live.h"
#include "analysis/run/peaks.h"

/* Bytes per bank that could be missing before the steps from <= s < to of a rank. */
struct late_window {
    uint32_t from, to;
    uint16_t rank;
    uint64_t bytes;
};

/* The peak over all states of a pool, and the peak without some windows. Bytes per bank. */
struct late_peak {
    bool seen;
    uint64_t bytes, without_bytes;
    uint32_t block, without_block; /* where each is first */
};

void late_replay(const struct run *run, enum pool pool, const struct late_window *windows, size_t count, struct late_peak *out);

/* Equal tensors of one op, over passes and ranks. */
struct late_row {
    uint32_t tensor;    /* one of them, late at the peak if possible */
    uint32_t last_used; /* record of that one's last use */
    uint32_t freed;     /* last record after which it still existed; NONE: nothing frees it */
    uint32_t ops;       /* ops of its rank that ran in between */
    uint32_t count;
    uint64_t bytes;  /* per bank, of one */
    uint64_t lowers; /* the peak if only these were freed at their last use; bytes per bank */
};

struct late {
    bool known;                      /* the input records uses and frees */
    struct peak highest;             /* of the run: above what was measured if not every op was measured */
    struct late_peak peak;           /* without: everything is freed at its last use; not seen if ops were not measured */
    VEC(struct late_row) rows;       /* largest reduction of the peak first, then the largest */
    VEC(struct late_window) windows; /* of all of them */
};

/* Only the peak, with everything freed at its last use; `highest` is that of the run. */
void late_peak_find(const struct run *run, enum pool pool, const struct peak *highest, struct late_peak *out);

void late_find(const struct run *run, enum pool pool, struct late *out);
void late_release(struct late *late);

/* Ops that ran between a tensor's last use and its free; 0: it is freed as soon as possible, or stays, or this is unknown. */
uint32_t tensor_ops_late(const struct run *run, const struct tensor *tensor);

/* The op that used it last, as a record; NONE: unknown. */
uint32_t tensor_last_used(const struct run *run, const struct tensor *tensor);

#endif
