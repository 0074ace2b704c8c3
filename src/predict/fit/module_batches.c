/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/fit/module_batches.h"

static void drop(struct module_batches *m) {
    if (m->is_made) module_trace_release(&m->made);
    m->is_made = false;
}

static const struct fit_trace *with_batch(void *context, uint64_t n) {
    struct module_batches *m = context;
    struct predict_options options = m->source->prediction->options;
    options.scale.batch = n;
    drop(m);
    module_trace_make(&m->made, m->source->prediction, &options, m->source->base.trace.pool);
    m->is_made = true;
    return module_trace_is_cut(&m->made) ? NULL : &m->made.trace;
}

void module_batches_init(struct module_batches *m, struct module_source *source) {
    uint64_t was = source->prediction ? source->prediction->scaled.batch_was : 0;
    *m = (struct module_batches){.source = source, .batches = {m, was, with_batch}};
}

void module_batches_release(struct module_batches *m) { drop(m); }
