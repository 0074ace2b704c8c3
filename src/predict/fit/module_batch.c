/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/fit/module_batch.h"

#include "predict/fit/module_sizes.h"

const char *module_batch_assumption(const struct prediction *p) {
    return fit_batch_assumption(p->scaled.batch_told, p->scaled.paged);
}

uint64_t module_batch_uncertainty(const struct fit *fit) { return module_largest_of(fit, LIVE_ACTIVATION) / 2; }

static void add(struct fit *fit, struct fit_change *change, uint64_t batch) {
    const struct module_source *source = fit->source.context;
    fit_name_batch(change, batch, module_batch_assumption(source->prediction));
    change->setting = "compile for a batch of that size";
    change->uncertainty = module_batch_uncertainty(fit);
}

static void ask(struct fit *fit, const struct fit_kind *kind, const char *name) {
    const struct module_source *source = fit->source.context;
    uint64_t batch;
    if (source->prediction->scaled.batch_was && fit_reads_batch(fit, kind, name, &batch))
        add(fit, fit_add_wanted(fit, kind, 0, NONE), batch);
}

/* The largest batch that reaches the target, if it is not reached now; 1 if none does, because it may help together with other
 * changes. */
static void list(struct fit *fit, const struct fit_kind *kind) {
    struct module_source *source = fit->source.context;
    const struct prediction *p = source->prediction;
    if (p->scaled.batch_was < 2 || p->options.scale.batch || fit_was_to_target(fit) == FIT_FITS) return;
    struct module_sizes m;
    struct fit_limit limit = {.was = p->scaled.batch_was};
    module_sizes_init(&m, source, LIMIT_BATCH);
    struct fit_scaling scaling = {
        .batches = &m.sizes, .trace = fit->trace, .was = limit.was, .step = 1, .uncertainty = module_batch_uncertainty(fit)};
    fit_limit_search(fit, &scaling, &limit);
    module_sizes_release(&m);
    if (limit.best >= limit.was) return;
    struct fit_change *change = fit_add(fit, kind, 0, NONE);
    if (change) add(fit, change, limit.best ? limit.best : 1);
}

const struct fit_kind module_batch = {"batch", list, NULL, ask};
