/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of compiled programs that are replayed again from the module: settings, elements, order, another chip. */
#ifndef TTMEM_PREDICT_FIT_MODULE_KINDS_H
#define TTMEM_PREDICT_FIT_MODULE_KINDS_H

#include "analysis/fit/fit.h"
#include "predict/fit/module_trace.h"

extern const struct fit_kind *const module_kinds[]; /* NULL ends */

/* Whose trace is tried: the one as it is, and the last that was made for a set of changes. */
struct module_source {
    struct prediction *prediction;
    struct module_trace base;
    struct module_trace made;
    uint64_t made_for; /* key of the changes that it was made with; 0: none is made */
};

void module_source_init(struct module_source *source, struct prediction *p, enum pool pool);
void module_source_release(struct module_source *source);

/* Bytes of the largest tensor of a class. */
uint64_t module_largest_of(const struct fit *fit, enum live_class class);

/* For fit_begin. */
struct fit_source module_fit_source(struct module_source *source);

#endif
