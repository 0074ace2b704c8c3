/* SPDX-License-Identifier: Apache-2.0 */
/* The trace of compiled modules: the whole program, including what follows an op that does not fit, because it is replayed
 * on a bank that holds anything. The allocator of fit_replay then has the real bank. */
#ifndef TTMEM_PREDICT_FIT_MODULE_TRACE_H
#define TTMEM_PREDICT_FIT_MODULE_TRACE_H

#include "analysis/fit/trace.h"
#include "predict/prediction.h"

struct module_trace {
    struct fit_trace trace; /* first, because op_of gets a pointer to it as the whole */
    struct replay replay;
    VEC(uint32_t) numbers; /* state -> number of ops that began before it: the index of its record in the predicted run */
    uint32_t begun;
    struct prediction again; /* modules with other sizes */
    bool is_again;
};

/* Makes the trace of the programs of `p` with these options. The prediction must outlive the trace. */
void module_trace_make(struct module_trace *made, struct prediction *p, const struct predict_options *options, enum pool pool);

/* Does it stop early: the text is cut, too long, without sizes, or another pool is too small? */
bool module_trace_is_cut(const struct module_trace *made);
void module_trace_release(struct module_trace *made);

#endif
