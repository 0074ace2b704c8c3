/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of compiled modules for any batch, or any length or number of blocks of their caches, one at a time. */
#ifndef TTMEM_PREDICT_FIT_MODULE_SIZES_H
#define TTMEM_PREDICT_FIT_MODULE_SIZES_H

#include "analysis/fit/limits.h"
#include "predict/fit/module_kinds.h"

struct module_sizes {
    struct fit_batches sizes;
    enum fit_limit_of what;
    struct module_source *source;
    struct module_trace made;
    bool is_made;
};

/* Must not be moved, because it stores its own address. The source must outlive it. */
void module_sizes_init(struct module_sizes *m, struct module_source *source, enum fit_limit_of what);
void module_sizes_release(struct module_sizes *m);

/* The largest value that reaches the target, for everything that the modules have. */
void module_limits_find(struct fit *fit, struct module_source *source, struct fit_limits *out);

#endif
