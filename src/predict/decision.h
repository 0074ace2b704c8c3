/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler's optimizer planned for L1: the decision trace that tt-mlir writes with enable-decision-trace=true
 * (<function>_decision_trace.json, version 3). Its figures are the compiler's own and are shown beside those of the replay. */
#ifndef TTMEM_PREDICT_DECISION_H
#define TTMEM_PREDICT_DECISION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

struct decision_event {
    struct slice op, action, victim, details;
    int64_t position;
    uint64_t before, after, own; /* L1 bytes per core: occupied before and after, and by the op itself */
};

struct decision_trace {
    struct arena arena;
    struct slice function;
    uint64_t ops, budget, spills, final_occupied;
    uint64_t most; /* highest occupancy at any time */
    struct slice most_op;
    VEC(struct decision_event) events; /* those that spill, demote or run out; others are only counted */
    uint64_t event_count;
    uint64_t l1_choices, dram_choices; /* chosen layouts */
};

/* Returns -1 if the file cannot be read (ERR_INPUT) or is not a decision trace (ERR_LACKS). */
int decision_read(struct decision_trace *trace, const char *path, struct err *err);
void decision_release(struct decision_trace *trace);

#endif
