/* SPDX-License-Identifier: Apache-2.0 */
/* One workload under several strategies, and a sweep over workload sizes. */
#ifndef TTMEM_ANALYSIS_CB_REPORT_H
#define TTMEM_ANALYSIS_CB_REPORT_H

#include "cb/study/cb_sim.h"
#include "base/vec.h"

enum { CB_MAX_CASES = 4 };

struct cb_case {
    struct cb_strategy_sizes sizes;
    struct cb_pressure pressure;
};

struct cb_study {
    const struct chip *chip;
    struct cb_workload workload;
    const struct cb_workload_class *class;
    struct cb_case cases[CB_MAX_CASES];
    unsigned n_cases;
    bool low_exists, best_exists;
    struct cb_case low, best; /* recommendations */
};

/* Strategies for a workload: fills at most CB_MAX_CASES; returns the number, or -1. */
typedef int cb_strategies_fn(void *ctx, const struct cb_workload *workload, struct cb_strategy_sizes *out);

/* Runs the fixed and the adaptive strategy and those that `more` (may be NULL) adds. Returns 0, or -1 if `more` fails. */
int cb_study(struct cb_study *out, const struct cb_workload *workload, const struct chip *chip, cb_strategies_fn *more,
             void *ctx, bool seed_strategies);

typedef VEC(struct cb_study) cb_studies;

/* The first size at which a strategy's verdict is HIGH; 0: never. */
uint64_t cb_first_high(const struct cb_study *studies, size_t n, unsigned which);

#endif
