/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/fit/run_modules.h"

#include <stdlib.h>

#include "predict/fit/module_kinds.h"

bool prediction_of_run(struct prediction *p, const struct run *run, const char *path) {
    struct err err = {0};
    *p = (struct prediction){0};
    if (forms_add_run(&p->forms, run, path) && prediction_make(p, &(struct predict_options){0}, &err) == 0) return true;
    prediction_release(p);
    return false;
}

struct run_modules {
    struct prediction prediction;
    struct module_source source;
};

static void end(void *context) {
    struct module_source *source = context;
    struct run_modules *m = (struct run_modules *)(void *)source->prediction; /* its first member */
    module_source_release(source);
    prediction_release(&m->prediction);
    free(m);
}

static const struct fit_trace *begin(const struct run *run, enum pool pool, struct fit_source *source,
                                     const struct fit_kind *const **kinds) {
    struct run_modules *m = mem_zalloc(1, sizeof *m);
    if (!prediction_of_run(&m->prediction, run, "the run")) {
        free(m);
        return NULL;
    }
    module_source_init(&m->source, &m->prediction, pool);
    if (module_trace_is_cut(&m->source.base) || !m->source.base.trace.events.len) {
        end(&m->source);
        return NULL;
    }
    *source = module_fit_source(&m->source);
    *kinds = module_kinds;
    return &m->source.base.trace;
}

void fit_run_modules_offer(void) {
    static const struct fit_modules of_run = {begin, end};
    fit_modules = &of_run;
}
