/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/fit/fit_work.h"

#include <ctype.h>
#include <string.h>

#include "analysis/fit/run_trace.h"
#include "base/amounts.h"
#include "base/num.h"
#include "base/size.h"
#include "input/names.h"
#include "predict/fit/module_sizes.h"
#include "predict/fit/run_modules.h"

int fit_target_read(const char *text, struct fit_target *target, struct err *err) {
    *target = (struct fit_target){0};
    if (!text) return 0;
    struct slice whole = slice_from(text), number = slice_take(whole, whole.len ? whole.len - 1 : 0);
    bool percent = whole.len > 1 && text[whole.len - 1] == '%',
         unit = !percent && whole.len && isalpha((unsigned char)text[whole.len - 1]);
    uint64_t milli;
    if (percent && num_read_thousandths(number, &milli) == number.len && milli && milli <= 100000) {
        target->percent_milli = milli;
        return 0;
    }
    if (unit && size_read(whole, &target->bytes) && target->bytes) return 0;
    /* 90 would mean 90 bytes, which is hardly ever intended */
    bool bare = !percent && size_read(whole, &target->bytes) && target->bytes;
    return err_set(err, ERR_USAGE,
                   "--target takes a share of the bank such as 90%%, or a size per bank such as 900MB, not '%s'%s", text,
                   bare ? ": a number needs % or a unit (B, KB, MB, GB)" : "");
}

/* The replay does not match what happened. */
static int is_not_told(const struct fit *fit, const char *path, struct err *err) {
    const struct fit_trace *t = fit->trace;
    const char *hint = t->follows ? "; a graph capture records every buffer" : "";
    if (fit->difference < FIT_LOG_ROUNDING)
        return err_set(err, ERR_LACKS, "%s does not say enough: the run ran out of memory, its replay does not%s", path, hint);
    return err_set(err, ERR_LACKS,
                   "%s does not say enough: its replay differs from what was allocated by up to %s MB per bank, the measured "
                   "peak is %s MB%s",
                   path, figure_ratio((int64_t)fit->difference, NUM_MIB, 3).text,
                   figure_ratio((int64_t)t->measured, NUM_MIB, 3).text, hint);
}

/* Memory of the other run, which has another batch. */
static int compare_batches(struct fit_work *w, const struct fit_wish *wish, struct err *err) {
    const struct run *other = wish->other;
    struct fit_trace trace = {0};
    struct prediction prediction;
    struct module_trace made;
    const char *why = "records no lifetimes and sizes";
    bool predicted = other->origin == RUN_PREDICTED;
    if (predicted && prediction_of_run(&prediction, other, wish->other_path)) {
        struct module_sizes batches;
        module_trace_make(&made, &prediction, &prediction.options, w->fit.trace->pool);
        module_sizes_init(&batches, &w->source, LIMIT_BATCH);
        why = fit_limit_batch_of(&w->fit, &made.trace, w->is_module ? &batches.sizes : NULL, &w->report.limits);
        module_sizes_release(&batches);
        module_trace_release(&made);
        prediction_release(&prediction);
    } else if (!predicted &&
               fit_run_trace(&trace, other, fit_rank_of(other, w->fit.trace->pool), w->fit.trace->pool) == FIT_LACKS_NOTHING) {
        why = fit_limit_batch_of(&w->fit, &trace, NULL, &w->report.limits);
        fit_trace_release(&trace);
    }
    return why ? err_set(err, ERR_LACKS, "%s cannot show what grows with the batch: it %s", wish->other_path, why) : 0;
}

static int try_it(struct fit_work *w, const struct fit_source *source, const struct fit_kind *const *kinds,
                  const struct fit_trace *trace, const char *path, const struct fit_wish *wish, struct err *err) {
    fit_begin(&w->fit, trace, source, wish->target);
    w->ready = true;
    if (!fit_is_told(&w->fit)) return is_not_told(&w->fit, path, err);
    fit_list(&w->fit, kinds);
    w->fit.exact_only = wish->exact_only;
    w->report.fit = &w->fit;
    w->report.tried = wish->name_count > 0;
    if (wish->name_count) return fit_try_named(&w->fit, wish->names, wish->name_count, err);
    fit_try_all(&w->fit);
    return wish->other && !wish->line_only ? compare_batches(w, wish, err) : 0;
}

/* --- what a run does not record --- */

static int lacks(enum fit_lacks what, const char *path, enum pool pool, struct err *err) {
    switch (what) {
        case FIT_LACKS_TENSORS:
            if (pool == POOL_L1_SMALL || pool == POOL_TRACE)
                return err_set(
                    err, ERR_LACKS,
                    "%s does not record what lies in %s, and how long: graph captures, Inspector and ttnn reports do", path,
                    pool_names[pool]);
            return err_set(
                err, ERR_LACKS,
                "%s does not record which tensors live in %s, and how long: op lines do (TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG), "
                "so do graph captures, Inspector, ttnn reports and compiled modules",
                path, pool_names[pool]);
        case FIT_LACKS_SIZES:
            return err_set(
                err, ERR_LACKS,
                "%s does not record how large its tensors are per bank: memory blocks, which give the number of banks, are "
                "missing (TT_RUNTIME_MEMORY_LOG_LEVEL=all)",
                path);
        case FIT_LACKS_CAPACITY:
            return err_set(err, ERR_LACKS,
                           "%s does not record how large a bank of %s is: memory blocks do (TT_RUNTIME_MEMORY_LOG_LEVEL=all)",
                           path, pool_names[pool]);
        case FIT_LACKS_BANKS:
            return err_set(err, ERR_LACKS,
                           "%s does not say enough: its memory blocks are of devices with different numbers of banks, so sizes "
                           "per bank are not known; a log of one device is enough",
                           path);
        case FIT_LACKS_REQUEST:
            return err_set(err, ERR_LACKS,
                           "%s does not say enough: it ran out of memory, and the message does not say how much was asked for "
                           "per bank",
                           path);
        case FIT_LACKS_LEVELS:
            return err_set(err, ERR_LACKS,
                           "%s does not record what of %s was allocated between ops: memory blocks do "
                           "(TT_RUNTIME_MEMORY_LOG_LEVEL=all)",
                           path, pool_names[pool]);
        case FIT_LACKS_END:
            return prediction_not_known(NULL, path, err);
        case FIT_LACKS_NOTHING:
            break;
    }
    return 0;
}

/* --- modules --- */

/* What the prediction is about; `path` is only shown. */
static int try_modules(struct fit_work *w, const char *path, const struct fit_wish *wish, struct err *err) {
    bool l1 = wish->pool ? strcmp(wish->pool, "l1") == 0
                         : w->prediction.replay.memory.failures && w->prediction.replay.memory.failure.pool == POOL_L1;
    module_source_init(&w->source, &w->prediction, l1 ? POOL_L1 : POOL_DRAM);
    w->has_source = true;
    report_name(&w->name, path);
    const struct chip *chip = w->prediction.replay.device.chip;
    w->report = (struct fit_report){.chip = chip ? chip->title : NULL, .name = strbuf_slice(&w->name), .predicted = true};
    if (module_trace_is_cut(&w->source.base)) {
        if (prediction_fits(&w->prediction)) return prediction_not_known(&w->prediction, path, err);
        return err_set(
            err, ERR_LACKS,
            "%s does not fit (ttmem predict), but it is not followed to its end: it ends early, runs longer than "
            "ttmem follows, has tensors of unknown size or needs more of another memory; what would be enough is not known",
            path);
    }
    if (!w->source.base.trace.events.len)
        return err_set(err, ERR_LACKS, "%s uses no %s", path, pool_names[l1 ? POOL_L1 : POOL_DRAM]);
    struct fit_source source = module_fit_source(&w->source);
    int rc = try_it(w, &source, module_kinds, &w->source.base.trace, path, wish, err);
    if (rc == 0 && !wish->name_count && !wish->line_only && !l1) module_limits_find(&w->fit, &w->source, &w->report.limits);
    return rc;
}

int fit_work_modules(struct fit_work *w, const char *const *paths, size_t count, const struct predict_options *options,
                     const struct fit_wish *wish, struct err *err) {
    *w = (struct fit_work){.is_module = true};
    for (size_t i = 0; i < count; i++)
        if (forms_add(&w->prediction.forms, paths[i], err) != 0) return -1;
    if (prediction_make(&w->prediction, options, err) != 0) return -1;
    return try_modules(w, paths[0], wish, err);
}

/* --- a run --- */

int fit_work_run(struct fit_work *w, const struct run *run, const char *path, const struct fit_wish *wish, struct err *err) {
    *w = (struct fit_work){0};
    if (run->origin == RUN_PREDICTED) {
        w->is_module = prediction_of_run(&w->prediction, run, path);
        if (w->is_module) return try_modules(w, path, wish, err);
        return err_set(err, ERR_LACKS, "%s was predicted with options that it does not record: give ttmem fit its modules",
                       path);
    }
    report_name(&w->name, path);
    enum pool pool = !wish->pool ? fit_pool_of(run) : strcmp(wish->pool, "l1") == 0 ? POOL_L1 : POOL_DRAM;
    uint16_t rank = wish->rank >= 0 ? (uint16_t)wish->rank : fit_rank_of(run, pool);
    w->report = (struct fit_report){
        .run = run, .rank = rank, .pool = pool, .chip = run->chip ? run->chip->title : NULL, .name = strbuf_slice(&w->name)};
    if (wish->regions) w->report.regions = *wish->regions;
    else fit_regions_find(run, &w->report.regions);
    enum fit_lacks missing = fit_run_trace(&w->trace, run, rank, pool);
    /* the size of a region is known even without lifetimes, if the region is what failed */
    bool region =
        !wish->name_count && !wish->line_only && (w->report.regions.trace.failed || w->report.regions.l1_small.failed);
    w->lacks = missing;
    w->pool = pool;
    if (missing != FIT_LACKS_NOTHING) return region ? 0 : lacks(missing, path, pool, err);
    int rc = try_it(w, NULL, NULL, &w->trace, path, wish, err);
    if (rc != 0 || wish->name_count || wish->line_only) return rc;
    fit_limit_caches(&w->fit, &w->report.limits);
    if (!wish->other) fit_limit_batch(&w->fit, &w->report.limits);
    return 0;
}

void fit_work_release(struct fit_work *w) {
    if (w->ready) fit_release(&w->fit);
    fit_trace_release(&w->trace);
    if (w->has_source) module_source_release(&w->source);
    if (w->is_module) prediction_release(&w->prediction);
    strbuf_release(&w->name);
}

const struct fit *fit_work_answer(struct fit_work *w, const struct run *run, const char *path, const char *pool,
                                  struct fit_target target) {
    struct err err = {0};
    struct fit_wish wish = {.target = target, .pool = pool, .rank = -1, .line_only = true};
    /* from the run alone, so that a pipe and a report without its input give the same answer */
    int rc = fit_work_run(w, run, path, &wish, &err);
    struct fit_set enough;
    bool said = rc == 0 && w->ready && fit_was_to_target(&w->fit) != FIT_FITS;
    return said && fit_enough(&w->fit, &enough) ? &w->fit : NULL;
}

int fit_work_lacks(const struct fit_work *w, const char *path, struct err *err) { return lacks(w->lacks, path, w->pool, err); }

bool fit_work_good(const struct fit_work *w) { return !w->ready || w->fit.set.found; }
