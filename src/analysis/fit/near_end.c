/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fit/near_end.h"

#include "analysis/fit/run_trace.h"

/* Without that nothing is replayed. */
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

/* A report is about the program; another device is what ttmem fit tells. */
static void leave_out_devices(struct fit *fit) {
    size_t kept = 0;
    for (size_t i = 0; i < fit->changes.len; i++)
        if (!fit->changes.items[i].other_device) fit->changes.items[kept++] = fit->changes.items[i];
    fit->changes.len = kept;
}

bool fit_near_end(struct fit_near_end *out, const struct run *run) {
    enum pool pool = fit_pool_of(run);
    struct fit_target target = {.percent_milli = FIT_NEAR_END_PERCENT * 1000};
    if (!run->ranks.len || !came_near(run, pool) ||
        fit_run_trace(&out->trace, run, fit_rank_of(run, pool), pool) != FIT_LACKS_NOTHING)
        return false;
    fit_begin(&out->fit, &out->trace, NULL, target);
    out->useful = 0;
    if (fit_is_told(&out->fit) && !fit_reaches(&out->fit, &out->fit.base)) {
        if (!out->fit.base.fits) out->fit.target = (struct fit_target){0};
        fit_list(&out->fit, NULL);
        leave_out_devices(&out->fit);
        fit_try_all(&out->fit);
        const struct fit_change *changes = out->fit.changes.items;
        while (out->useful < out->fit.changes.len && fit_is_better(&out->fit, &changes[out->useful].result, &out->fit.base))
            out->useful++;
    }
    if (out->useful) return true;
    fit_near_end_release(out);
    return false;
}

void fit_near_end_release(struct fit_near_end *near) {
    fit_release(&near->fit);
    fit_trace_release(&near->trace);
}
