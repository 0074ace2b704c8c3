/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the results that no deallocate frees are leaks, and which does the host have and let go of? The log names neither.
 * What stays after each pass tells: of the candidates of a rank those that every pass leaves and that fit into its growth leak;
 * first what the program does not return, then the largest. */
#ifndef TTMEM_MODEL_LEAK_PICK_H
#define TTMEM_MODEL_LEAK_PICK_H

#include "model/left/slope.h"
#include "model/run.h"

/* Repetitions of one program on one rank, by what is allocated in DRAM at their ends: thousandths of a MB per bank. What
 * another program brings along when it runs for the first time is not what a repetition leaves: of the passes between two such
 * moments those count of which there are most. */
struct pass_series {
    uint32_t program; /* of the run */
    uint32_t rank;
    uint32_t passes;
    uint32_t first, second, last;
    uint32_t first_step, end_step; /* of the passes that count: [first, end) */
    struct slope slope;            /* bytes; not known where there are too few passes for bounds */
};

/* What stays after each further pass, thousandths of a MB per bank, rounded up: the robust slope where it is known, 0 where its
 * bounds include 0; else from the second pass on where there are three (the first fills caches), or from the first. False with
 * fewer than two passes. */
bool pass_series_growth(const struct pass_series *series, int64_t *growth);

/* A result that its program's end finds alive. */
struct leak_candidate {
    uint32_t series;
    uint32_t kind;
    uint32_t tensor; /* of the run */
    uint64_t per_bank_bytes;
    bool returned; /* the program returns it, or may */
    bool leaks;
    bool suspect; /* none of its series fits: all of them may leak */
};

/* Sets `leaks` and `suspect`. Orders the candidates by series, kind and tensor. */
void leak_pick(const struct pass_series *series, struct leak_candidate *items, size_t len);

#endif
