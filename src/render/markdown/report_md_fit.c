/* SPDX-License-Identifier: Apache-2.0 */
/* What would make it fit, in the report for agents. */
#include "analysis/fit/near_end.h"
#include "base/amounts.h"
#include "base/num.h"
#include "render/format/markdown.h"
#include "render/format/warning_words.h"
#include "render/markdown/report_md_parts.h"

static const char *const enough_words[FIT_VERDICTS] = {"yes", "maybe", "no"};

static void row(struct md_page *p, const struct fit *fit, const struct fit_change *c) {
    if (c->result.cut) return; /* what it would take is unknown */
    strbuf_addz(p->out, "| ");
    md_text(p->out, slice_from(c->name), NAME_MOST);
    strbuf_addz(p->out, " | ");
    add_mb(p->out, c->result.peak, 2);
    strbuf_addz(p->out, " | ");
    add_ratio(p->out, (int64_t)c->result.peak - (int64_t)fit->base.peak, NUM_MIB, 2);
    strbuf_addf(p->out, " | %s | %s |\n", enough_words[fit_to_target(fit, &c->result, c->uncertainty)],
                c->assumption ? c->assumption : "exact");
}

size_t md_would_fit(struct md_page *p, size_t limit) {
    struct fit_near_end near;
    if (!limit || !fit_near_end(&near, p->run)) return 0;
    const struct fit *fit = &near.fit;
    strbuf_addz(p->out, "## What Would Fit\n");
    const char *unit = pool_unit(p->run, fit->trace->pool);
    strbuf_addz(p->out, "Changes tried by a replay of all allocations; target: ");
    if (fit->base.fits) strbuf_addf(p->out, "a tenth of the %s free.\n\n", unit);
    else strbuf_addz(p->out, "to fit.\n\n");
    strbuf_addf(p->out, "| Change | New Peak (MB/%s) | Difference (MB/%s) | Enough | How |\n|---|---|---|---|---|\n", unit,
                unit);
    for (size_t i = 0; i < fit->changes.len && i < limit; i++) row(p, fit, &fit->changes.items[i]);
    if (fit->set.count > 1) {
        strbuf_addf(p->out, "\nThe smallest set that %s enough: ", fit->set.found ? "is" : "may be");
        for (size_t i = 0; i < fit->set.count; i++) {
            if (i) strbuf_addz(p->out, " + ");
            md_text(p->out, slice_from(fit->changes.items[fit->set.changes[i]].name), NAME_MOST);
        }
        strbuf_addz(p->out, "\n");
    }
    md_next(p, "fit", "%s", "");
    size_t rows = fit->changes.len;
    fit_near_end_release(&near);
    return rows;
}
