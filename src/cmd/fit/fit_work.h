/* SPDX-License-Identifier: Apache-2.0 */
/* What would make a run or compiled modules fit: from the input to the answer, for every command that shows it. */
#ifndef TTMEM_CMD_FIT_WORK_H
#define TTMEM_CMD_FIT_WORK_H

#include "input/input.h"
#include "predict/fit/module_kinds.h"
#include "render/fit/fit_report.h"

struct fit_wish {
    const char *target;       /* "90%", "900MB", NULL: that it fits */
    const char *pool;         /* "dram", "l1", NULL: the one that failed */
    int rank;                 /* -1: the one that failed, or the highest */
    const char *const *names; /* of --try */
    size_t name_count;
    bool exact_only;
    bool line_only; /* no limits of caches and batches: they take replays of their own */
};

struct fit_work {
    struct fit fit;
    struct fit_report report;
    struct fit_trace trace;       /* of a run */
    struct prediction prediction; /* of modules */
    struct module_source source;
    bool is_module, ready;
    struct strbuf name;
};

/* The run must outlive it. -1 with ERR_LACKS: it has no lifetimes or sizes, and which input has. */
int fit_work_run(struct fit_work *w, const struct run *run, const char *path, const struct fit_wish *wish, struct err *err);

/* Compiled modules that run one after another. */
int fit_work_modules(struct fit_work *w, const char *const *paths, size_t count, const struct predict_options *options,
                     const struct fit_wish *wish, struct err *err);

/* The line that is enough, for other commands: "free %5 after last use: fits, peak ..."; false where nothing has to change,
 * nothing is enough, or nothing tells lifetimes. */
bool fit_work_line(struct strbuf *out, const struct term *term, const struct run *run, const char *path, const char *target);

void fit_work_release(struct fit_work *w);

/* Whether the target is reached: as it is, or by a set of changes. */
bool fit_work_good(const struct fit_work *w);

#endif
