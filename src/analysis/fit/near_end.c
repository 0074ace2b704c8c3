/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fit/near_end.h"

#include "analysis/fit/run_trace.h"

const struct fit_modules *fit_modules;

/* Otherwise nothing is replayed. */
static bool came_near(const struct run *run, enum pool pool) {
    if (run->failures.entries.len) return true;
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        if (!(block->have >> pool & 1)) continue;
        uint64_t limit = (uint64_t)block_config(run, block, pool)->total * FIT_NEAR_END_PERCENT;
        if ((uint64_t)block->allocated[pool] * 100 > limit) return true;
    }
    return false;
}

bool fit_near_end(struct fit_near_end *out, const struct run *run) {
    enum pool pool = fit_pool_of(run);
    struct fit_target target = {.percent_milli = FIT_NEAR_END_PERCENT * 1000};
    const struct fit_kind *const *kinds = NULL;
    const struct fit_trace *trace = &out->trace;
    *out = (struct fit_near_end){0};
    if (!run->ranks.len || !came_near(run, pool)) return false;
    if (run->origin == RUN_PREDICTED) {
        trace = fit_modules ? fit_modules->begin(run, pool, &out->source, &kinds) : NULL;
        if (!trace) return false;
    } else if (fit_run_trace(&out->trace, run, fit_rank_of(run, pool), pool) != FIT_LACKS_NOTHING) {
        return false;
    }
    fit_begin(&out->fit, trace, out->source.trace ? &out->source : NULL, target);
    if (fit_is_told(&out->fit) && fit_was_to_target(&out->fit) != FIT_FITS) {
        if (!out->fit.base.fits) out->fit.target = (struct fit_target){0};
        fit_list(&out->fit, kinds);
        fit_try_all(&out->fit);
    }
    if (out->fit.changes.len) return true;
    fit_near_end_release(out);
    return false;
}

void fit_near_end_release(struct fit_near_end *near) {
    fit_release(&near->fit);
    if (near->source.context) fit_modules->end(near->source.context);
    else fit_trace_release(&near->trace);
}
