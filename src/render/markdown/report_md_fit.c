/* SPDX-License-Identifier: Apache-2.0 */
/* What would make it fit, in the report for agents. */
#include "analysis/fit/fit.h"
#include "analysis/fit/run_trace.h"
#include "base/amounts.h"
#include "base/num.h"
#include "render/format/markdown.h"
#include "render/markdown/report_md_parts.h"

/* Worth saying from there on: a tenth of the bank should stay free. */
enum { WORTH_PERCENT = 90 };

static void row(struct md_page *p, const struct fit *fit, const struct fit_change *c) {
    strbuf_addz(p->out, "| ");
    md_text(p->out, slice_from(c->name), NAME_MOST);
    strbuf_addz(p->out, " | ");
    add_mb(p->out, c->result.peak, 2);
    strbuf_addz(p->out, " | ");
    add_ratio(p->out, (int64_t)c->result.peak - (int64_t)fit->base.peak, NUM_MIB, 2);
    strbuf_addf(p->out, " | %s | %s |\n", fit_reaches(fit, &c->result) ? "yes" : "no", c->assumption ? c->assumption : "exact");
}

static size_t write_rows(struct md_page *p, struct fit *fit, size_t limit) {
    size_t useful = 0;
    while (useful < fit->changes.len && fit_is_better(fit, &fit->changes.items[useful].result, &fit->base)) useful++;
    if (!useful || !limit) return useful;
    strbuf_addz(p->out, "\n## What Would Fit\n");
    strbuf_addf(p->out, "Changes tried by a replay of all allocations; target: %s.\n\n",
                fit->base.fits ? "a tenth of the bank free" : "that it fits");
    strbuf_addz(p->out, "| Change | New Peak (MB/bank) | Difference (MB/bank) | Enough | How |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < useful && i < limit; i++) row(p, fit, &fit->changes.items[i]);
    if (fit->set.found && fit->set.count > 1) {
        strbuf_addz(p->out, "\nThe smallest set that is enough: ");
        for (size_t i = 0; i < fit->set.count; i++) {
            if (i) strbuf_addz(p->out, " + ");
            md_text(p->out, slice_from(fit->changes.items[fit->set.changes[i]].name), NAME_MOST);
        }
        strbuf_addz(p->out, "\n");
    }
    md_next(p, "fit", "%s", "");
    return useful;
}

/* Whether it failed or came near the end of a bank; without that, nothing is replayed. */
static bool is_worth_it(const struct run *run, enum pool pool) {
    if (run->failures.entries.len) return true;
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        if (!(block->have >> pool & 1)) continue;
        if ((uint64_t)block->allocated[pool] * 100 > (uint64_t)block_config(run, block, pool)->total * WORTH_PERCENT)
            return true;
    }
    return false;
}

size_t md_would_fit(struct md_page *p, size_t limit) {
    struct fit_trace trace;
    struct fit fit;
    enum pool pool = fit_pool_of(p->run);
    size_t rows = 0;
    if (!p->run->ranks.len || !is_worth_it(p->run, pool) ||
        fit_run_trace(&trace, p->run, fit_rank_of(p->run, pool), pool) != FIT_LACKS_NOTHING)
        return 0;
    struct fit_target target = {.percent_milli = WORTH_PERCENT * 1000};
    fit_begin(&fit, &trace, NULL, target);
    if (!fit_reaches(&fit, &fit.base)) {
        fit_list(&fit, NULL);
        if (!fit.base.fits) fit.target = (struct fit_target){0};
        fit_try_all(&fit);
        rows = write_rows(p, &fit, limit);
    }
    fit_release(&fit);
    fit_trace_release(&trace);
    return rows;
}
