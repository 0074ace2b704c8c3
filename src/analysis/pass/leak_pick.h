/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the results that no deallocate frees are leaks, and which does the host have and let go of? The log names neither.
 * What stays after each pass tells: of the candidates of a program, largest first, those that every pass leaves and that fit
 * into its growth leak. */
#ifndef TTMEM_ANALYSIS_LEAK_PICK_H
#define TTMEM_ANALYSIS_LEAK_PICK_H

#include "analysis/compare/footprint.h"

/* A result that its program's end finds alive. */
struct leak_candidate {
    uint32_t program; /* of the footprint's programs */
    uint32_t kind;
    uint32_t tensor; /* of the run */
    uint64_t per_bank_bytes;
    bool leaks;
};

/* Sets `leaks`. Where no candidate fits, all of its program are suspects. Orders the candidates by program, kind and tensor. */
void leak_pick(const struct footprint *f, struct leak_candidate *items, size_t len);

#endif
