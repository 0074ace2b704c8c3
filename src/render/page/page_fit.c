/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/page_fit.h"

#include <stdlib.h>

#include "analysis/fit/near_end.h"
#include "analysis/fit/run_trace.h"
#include "base/num.h"

/* For the first rows the page draws the replay over the timeline: the highest of every few steps. */
enum { MOST_ROWS = 30, MOST_CURVES = 12, MOST_POINTS = 600 };

struct page_curve {
    const struct run *run;
    uint64_t *highest; /* of each point */
    size_t points, per;
    size_t at; /* point that was reached */
    uint64_t level;
};

/* The step of the run at a place; NONE before the first op, and after the last one in the run. */
static uint32_t step_of(const struct run *run, const struct fit_trace *trace, uint32_t place) {
    struct fit_op op;
    if (place == NONE) return NONE;
    if (!trace->compiled) return place;
    trace->op_of(trace, place, &op);
    return op.index < run->records.len ? run->records.items[op.index] : NONE;
}

static void reach(struct page_curve *c, size_t point) {
    for (; c->at < point && c->at + 1 < c->points; c->at++)
        if (c->highest[c->at + 1] < c->level) c->highest[c->at + 1] = c->level;
}

static void on_level(void *context, const struct fit_trace *trace, uint32_t place, uint64_t allocated) {
    struct page_curve *c = context;
    uint32_t step = step_of(c->run, trace, place);
    struct fit_op op = {.index = NONE};
    if (trace->compiled) trace->op_of(trace, place, &op);
    if (op.index != NONE && step == NONE) return; /* the run ended before */
    if (step != NONE) reach(c, step / c->per);
    c->level = allocated;
    if (allocated > c->highest[c->at]) c->highest[c->at] = allocated;
}

/* Thousandths of a MB, like the memory of the page's steps; null if there is nothing to draw. */
static void curve(struct json *j, struct fit *fit, const struct fit_change *change, const struct run *run, size_t per) {
    struct page_curve c = {.run = run, .points = num_ceil_div(run->steps.len, per), .per = per};
    if (change->other_device || !c.points) {
        json_null(j);
        return;
    }
    c.highest = mem_zalloc(c.points, sizeof *c.highest);
    fit_follow(fit, change, &(struct fit_watcher){&c, on_level});
    reach(&c, c.points);
    json_array(j);
    for (size_t i = 0; i < c.points; i++) json_i64(j, num_bytes_to_milli_mb(c.highest[i]));
    json_array_end(j);
    free(c.highest);
}

static void row(struct json *j, struct fit *fit, const struct fit_change *c, const struct run *run, size_t per) {
    uint32_t step = step_of(run, fit->trace, c->place);
    json_array(j);
    json_text(j, c->name);
    json_u64(j, c->result.peak);
    json_text(j, fit_verdict_keys[fit_to_target(fit, &c->result, c->uncertainty)]);
    json_bool(j, !c->assumption);
    json_i64(j, step == NONE ? -1 : (int64_t)step);
    json_text(j, c->setting);
    json_text(j, c->assumption);
    json_u64(j, c->uncertainty + fit->difference);
    if (per) curve(j, fit, c, run, per);
    else json_null(j);
    if (c->result.fits && c->result.margin != INT64_MAX) json_i64(j, c->result.margin);
    else json_null(j);
    json_array_end(j);
}

void page_fit(struct json *j, const struct run *run) {
    struct fit_near_end near;
    if (!fit_near_end(&near, run)) return;
    struct fit *fit = &near.fit;
    struct fit_set enough;
    fit_enough(fit, &enough);
    size_t per = num_ceil_div(run->steps.len + 1, MOST_POINTS);
    json_key(j, "fit");
    json_object(j);
    json_member_u64(j, "pool", fit->trace->pool);
    json_member_u64(j, "rank", run->origin == RUN_PREDICTED ? 0 : fit_rank_of(run, fit->trace->pool));
    json_member_u64(j, "peak", fit->base.peak);
    json_member_u64(j, "target", fit_limit_of(fit, &fit->base));
    json_member_bool(j, "fits", fit->base.fits);
    json_member_bool(j, "certain", enough.found);
    json_member_u64(j, "per", per);
    json_key(j, "set");
    json_array(j);
    for (size_t i = 0; i < enough.count; i++) json_text(j, fit->changes.items[enough.changes[i]].name);
    json_array_end(j);
    json_key(j, "rows");
    json_array(j);
    for (size_t i = 0; i < fit->changes.len && i < MOST_ROWS; i++)
        if (!fit->changes.items[i].result.cut) /* what it would take is unknown */
            row(j, fit, &fit->changes.items[i], run, i < MOST_CURVES ? per : 0);
    json_array_end(j);
    json_object_end(j);
    fit_near_end_release(&near);
}
