/* SPDX-License-Identifier: Apache-2.0 */
/* What is odd about a log, in words. */
#ifndef TTMEM_RENDER_WARNING_WORDS_H
#define TTMEM_RENDER_WARNING_WORDS_H

#include "model/run.h"

/* After the count: "op lines are cut". */
const char *warning_words(enum warning kind, uint64_t count);

/* "bank", or "core" for L1 that is allocated per core. */
const char *pool_unit(const struct run *run, enum pool pool);

/* The same for a sentence about several pools: "bank", or "bank (L1: per core)". */
const char *pools_unit(const struct run *run);

/* Is L1 allocated per core? What JSON calls per bank is then per core. */
static inline bool run_l1_is_per_core(const struct run *run) { return run->warnings[WARN_PER_CORE_L1] > 0; }

#endif
