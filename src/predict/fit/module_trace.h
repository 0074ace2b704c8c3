/* SPDX-License-Identifier: Apache-2.0 */
/* The trace of compiled modules: the whole program, also what comes after an operation that does not fit, because it is
 * replayed on a bank that holds anything. The allocator of fit_replay then has the real bank. */
#ifndef TTMEM_PREDICT_FIT_MODULE_TRACE_H
#define TTMEM_PREDICT_FIT_MODULE_TRACE_H

#include "analysis/fit/trace.h"
#include "predict/prediction.h"

struct module_trace {
    struct fit_trace trace; /* first: what op_of gets is the whole */
    struct replay replay;
    VEC(uint32_t) numbers; /* state -> how many operations began before: the number of its record in the predicted run */
    uint32_t begun;
    struct prediction again; /* modules with other sizes */
    bool is_again;
};

/* The programs of `p` with these options. The prediction must outlive the trace. */
void module_trace_make(struct module_trace *made, struct prediction *p, const struct predict_options *options, enum pool pool);

/* It does not go to the end: the text is cut, too long, without sizes, or another pool is too small. */
bool module_trace_is_cut(const struct module_trace *made);
void module_trace_release(struct module_trace *made);

#endif
