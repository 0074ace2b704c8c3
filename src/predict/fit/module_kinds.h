/* SPDX-License-Identifier: Apache-2.0 */
/* Changes to compiled programs that are tried by replaying the module again: settings, elements, order, another chip. */
#ifndef TTMEM_PREDICT_FIT_MODULE_KINDS_H
#define TTMEM_PREDICT_FIT_MODULE_KINDS_H

#include "analysis/fit/fit.h"
#include "predict/fit/module_trace.h"

extern const struct fit_kind *const module_kinds[]; /* ends with NULL */

/* The traces to try: the unchanged one, and the last one made for a set of changes. */
struct module_source {
    struct prediction *prediction;
    struct module_trace base;
    struct module_trace made;
    uint64_t made_for; /* key of the changes that it was made with; 0: none */
};

void module_source_init(struct module_source *source, struct prediction *p, enum pool pool);
void module_source_release(struct module_source *source);

/* Bytes of the largest tensor of a class. */
uint64_t module_largest_of(const struct fit *fit, enum live_class class);

/* For fit_begin. */
struct fit_source module_fit_source(struct module_source *source);

#endif
