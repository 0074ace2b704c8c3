/* SPDX-License-Identifier: Apache-2.0 */
/* Did a failure end the run, or was it caught? Sweeps try configurations and go on, tests expect failures, compilers probe.
 * Judged by what came after it; if nothing shows it, the answer is "unknown". One function for every command. */
#ifndef TTMEM_ANALYSIS_OUTCOME_H
#define TTMEM_ANALYSIS_OUTCOME_H

#include "model/run.h"

enum failure_outcome { OUTCOME_UNKNOWN, OUTCOME_ENDED, OUTCOME_CAUGHT, OUTCOME_TEST /* ended its test, not the run */ };

extern const char *const failure_outcome_names[]; /* "unknown", "ended", "caught", "test" */

struct failure_ending {
    enum failure_outcome kind;
    const char *evidence; /* a half sentence: "ops ran after it"; may be NULL for OUTCOME_UNKNOWN */
};

/* Did the run go on, in the terms of JSON? */
static inline bool failure_was_caught(enum failure_outcome kind) { return kind == OUTCOME_CAUGHT || kind == OUTCOME_TEST; }

/* `site` may be NULL: nothing is known. */
struct failure_ending failure_outcome(const struct failure *f, const struct failure_site *site);

#endif
