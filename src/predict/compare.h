/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a prediction with a log of the same programs: memory at the submits, the change at every op, and the message when
 * it runs out of memory. Differences matter: what the compiler planned and what the device did are not always the same. */
#ifndef TTMEM_PREDICT_COMPARE_H
#define TTMEM_PREDICT_COMPARE_H

#include "predict/prediction.h"

/* Thousandths of a MB per bank; -1: unknown. */
struct compare_submit {
    uint32_t program;
    int64_t logged_before, predicted_before, logged_after, predicted_after;
};

struct compare_op {
    uint32_t state;            /* in the replay */
    uint64_t line;             /* in the log */
    int64_t logged, predicted; /* change of DRAM up to the next op, thousandths of a MB */
};

struct compare {
    VEC(struct compare_submit) submits;
    VEC(struct compare_op) ops; /* those whose change the log shows */
    uint64_t aligned, programs; /* ops and programs that both have */
    uint64_t differing;         /* ops that differ by more than rounding */
    size_t first, largest;      /* index in ops; ops.len: none differs */
    uint64_t measured;          /* the peak of DRAM in the whole log, bytes per bank; 0: not known */
    bool measured_at_least;     /* a lower bound */
    bool has_failure;           /* the log ends because memory ran out: */
    struct failure failure;
    struct slice failure_op; /* what was running, or empty */
};

void compare_make(struct compare *c, const struct prediction *p, const struct run *log);
void compare_release(struct compare *c);

/* Do they differ by more than rounding to three decimals? */
static inline bool compare_differs(const struct compare_op *op) {
    int64_t d = op->logged - op->predicted;
    return d > 1 || d < -1;
}

#endif
