/* SPDX-License-Identifier: Apache-2.0 */
/* What would make a run or compiled modules fit: from the input to the answer, for every command that shows it. */
#ifndef TTMEM_CMD_FIT_WORK_H
#define TTMEM_CMD_FIT_WORK_H

#include "analysis/fit/run_trace.h"
#include "input/input.h"
#include "predict/fit/module_kinds.h"
#include "render/fit/fit_report.h"

struct fit_wish {
    struct fit_target target; /* zeroed: to fit */
    const char *pool;         /* "dram", "l1", NULL: the one that failed */
    int rank;                 /* -1: the one that failed, or the highest */
    const char *const *names; /* from --try */
    size_t name_count;
    bool exact_only;
    const struct run *other; /* the same with another batch, or NULL */
    const char *other_path;
    const struct fit_regions *regions; /* of all passes, if the run is only the last one; NULL: of the run */
    bool line_only;                    /* no limits of caches and batches, because they take their own replays */
};

struct fit_work {
    struct fit fit;
    struct fit_report report;
    struct fit_trace trace;       /* of a run */
    struct prediction prediction; /* of modules */
    struct module_source source;
    enum fit_lacks lacks; /* for a run that cannot be replayed: only its regions are known */
    enum pool pool;
    bool is_module, has_source, ready;
    struct strbuf name;
};

/* "90%" or "900MB"; NULL: to fit. */
int fit_target_read(const char *text, struct fit_target *target, struct err *err);

/* The run must outlive it. Returns -1 with ERR_LACKS if it has no lifetimes or sizes; the message names an input that has. */
int fit_work_run(struct fit_work *w, const struct run *run, const char *path, const struct fit_wish *wish, struct err *err);

/* Compiled modules that run in sequence. */
int fit_work_modules(struct fit_work *w, const char *const *paths, size_t count, const struct predict_options *options,
                     const struct fit_wish *wish, struct err *err);

/* For other commands: a fit whose set is enough or may be, NULL if nothing has to change, nothing is enough, or lifetimes
 * are unknown. Must be released in any case. */
const struct fit *fit_work_answer(struct fit_work *w, const struct run *run, const char *path, const char *pool,
                                  struct fit_target target);

void fit_work_release(struct fit_work *w);

/* Returns -1 with ERR_LACKS that says what the run does not record and which input does; 0 if nothing is missing. */
int fit_work_lacks(const struct fit_work *w, const char *path, struct err *err);

/* Is the target reached, unchanged or with a set of changes? */
bool fit_work_good(const struct fit_work *w);

#endif
