/* SPDX-License-Identifier: Apache-2.0 */
/* The traces of compiled modules for any batch, one at a time: what has the batch among its dimensions is scaled. */
#ifndef TTMEM_PREDICT_FIT_MODULE_BATCHES_H
#define TTMEM_PREDICT_FIT_MODULE_BATCHES_H

#include "analysis/fit/limits.h"
#include "predict/fit/module_kinds.h"

struct module_batches {
    struct fit_batches batches;
    struct module_source *source;
    struct module_trace made;
    bool is_made;
};

/* Its address is kept in it: it must not be moved. The source must outlive it. */
void module_batches_init(struct module_batches *m, struct module_source *source);
void module_batches_release(struct module_batches *m);

#endif
