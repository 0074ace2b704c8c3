/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/study/cb_report.h"

static void run_case(struct cb_case *c, const struct cb_workload *w, const struct chip *chip) {
    cb_simulate(&c->pressure, &c->sizes, w, chip);
}

int cb_study(struct cb_study *out, const struct cb_workload *workload, const struct chip *chip, cb_strategies_fn *more,
             void *ctx, bool seed_strategies) {
    *out = (struct cb_study){.chip = chip, .workload = *workload, .class = cb_workload_class(workload)};
    if (seed_strategies) {
        cb_strategy_fixed(&out->cases[out->n_cases++].sizes, workload);
        cb_strategy_adaptive(&out->cases[out->n_cases++].sizes, workload);
    }
    if (more) {
        struct cb_strategy_sizes added[CB_MAX_CASES];
        int n = more(ctx, workload, added);
        if (n < 0) return -1;
        for (int i = 0; i < n && out->n_cases < CB_MAX_CASES; i++) out->cases[out->n_cases++].sizes = added[i];
    }
    for (unsigned i = 0; i < out->n_cases; i++) run_case(&out->cases[i], workload, chip);
    struct cb_workload buffers_only = *workload;
    buffers_only.kernel_bytes = 0;
    out->low_exists = cb_smallest_low(&out->low.sizes, workload, chip);
    if (out->low_exists) run_case(&out->low, &buffers_only, chip);
    out->best_exists = cb_best_within(&out->best.sizes, workload, chip);
    if (out->best_exists) run_case(&out->best, &buffers_only, chip);
    return 0;
}

uint64_t cb_first_high(const struct cb_study *studies, size_t n, unsigned which) {
    for (size_t i = 0; i < n; i++)
        if (which < studies[i].n_cases && studies[i].cases[which].pressure.verdict == CB_HIGH)
            return studies[i].workload.a_tiles;
    return 0;
}
