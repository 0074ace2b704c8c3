/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the results that no deallocate frees leak, and which does the host hold and release? The log tells neither. The
 * growth per pass does: of a rank's candidates, those leak that every pass leaves and that fit into its growth; first those
 * that the program does not return, then the largest. */
#ifndef TTMEM_MODEL_LEAK_PICK_H
#define TTMEM_MODEL_LEAK_PICK_H

#include "model/left/slope.h"
#include "model/run.h"

/* Repetitions of one program on one rank, by the DRAM allocated at their ends: thousandths of a MB per bank. What another
 * program allocates when it first runs is not left by a repetition, so the series is the longest run of passes between two
 * such moments. */
struct pass_series {
    uint32_t program; /* index in the run */
    uint32_t rank;
    uint32_t passes;
    uint32_t first, second, last;
    uint32_t first_step, end_step; /* of the passes that count: [first, end) */
    struct slope slope;            /* in bytes; unknown if there are too few passes for bounds */
};

/* What each further pass leaves, in thousandths of a MB per bank, rounded up: the robust slope if known, 0 if its bounds
 * include 0; else counted from the second pass if there are three (the first fills caches), or from the first. False with
 * fewer than two passes. */
bool pass_series_growth(const struct pass_series *series, int64_t *growth);

/* A result that is alive when its program ends. */
struct leak_candidate {
    uint32_t series;
    uint32_t kind;
    uint32_t tensor; /* index in the run */
    uint64_t per_bank_bytes;
    bool returned; /* the program returns it, or may */
    bool leaks;
    bool suspect; /* none of its series fits, so all of them may leak */
};

/* Sets `leaks` and `suspect`. Orders the candidates by series, kind and tensor. */
void leak_pick(const struct pass_series *series, struct leak_candidate *items, size_t len);

#endif
