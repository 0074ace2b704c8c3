/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/compare.h"

#include "analysis/run/peaks.h"
#include "base/num.h"
#include "predict/log_submits.h"

static int64_t dram_before(const struct run *log, const struct step *step) {
    if (step->block == NONE) return -1;
    const struct block *block = &log->blocks.items[step->block];
    return block->have & 1u << POOL_DRAM ? (int64_t)block->allocated[POOL_DRAM] : -1;
}

static void compare_ops(struct compare *c, const struct run *log, const struct execution *e, const struct replay *r,
                        const struct replay_program *run) {
    size_t step = log_next_op(log, e, e->first_step);
    for (uint32_t i = run->first_state; i < run->end_state && step < log->steps.len; i++) {
        const struct op_state *s = &r->states.items[i];
        const struct ir_op *op = place_op(r, s);
        if (!op) continue;
        if (!log_same_name(log, &log->steps.items[step], op)) return;
        c->aligned++;
        size_t next = log_next_op(log, e, step + 1);
        int64_t here = dram_before(log, &log->steps.items[step]);
        int64_t after = next < log->steps.len ? dram_before(log, &log->steps.items[next]) : -1;
        if (here >= 0 && after >= 0 && i + 1 < run->end_state) {
            int64_t predicted =
                num_bytes_to_milli_mb(r->states.items[i + 1].dram_before) - num_bytes_to_milli_mb(s->dram_before);
            vec_push(&c->ops, ((struct compare_op){i, log->steps.items[step].line, after - here, predicted}));
        }
        step = next;
    }
}

static int64_t size_of_difference(const struct compare_op *op) {
    int64_t d = op->logged - op->predicted;
    return d < 0 ? -d : d;
}

static void find_differences(struct compare *c) {
    c->first = c->largest = c->ops.len;
    for (size_t i = 0; i < c->ops.len; i++) {
        if (!compare_differs(&c->ops.items[i])) continue;
        c->differing++;
        if (c->first == c->ops.len) c->first = i;
        if (c->largest == c->ops.len || size_of_difference(&c->ops.items[i]) > size_of_difference(&c->ops.items[c->largest]))
            c->largest = i;
    }
}

static void take_failure(struct compare *c, const struct run *log) {
    for (size_t i = 0; i < log->failures.entries.len && !c->has_failure; i++) {
        if (log->failures.entries.items[i].failure.kind != FAILURE_OOM) continue;
        c->has_failure = true;
        c->failure = log->failures.entries.items[i].failure;
        uint32_t step = i < log->failure_sites.len ? log->failure_sites.items[i].step : NONE;
        if (step != NONE) c->failure_op = step_name(log, &log->steps.items[step]);
        else if (i < log->failure_sites.len) c->failure_op = run_site_op(log, &log->failure_sites.items[i]);
    }
}

static void take_peak(struct compare *c, const struct run *log) {
    struct peaks peaks;
    peaks_find(log, &peaks, NULL);
    const struct peak *dram = &peaks.pools[POOL_DRAM];
    if (!dram->seen || dram->source != PEAK_MEASURED) return;
    c->measured = (uint64_t)peak_bytes(dram);
    c->measured_at_least = dram->at_least;
}

void compare_make(struct compare *c, const struct prediction *p, const struct run *log) {
    const struct replay *r = &p->replay;
    uint32_t from = 0;
    *c = (struct compare){0};
    for (size_t i = 0; i < r->runs.len; i++) {
        const struct replay_program *run = &r->runs.items[i];
        uint32_t execution = log_execution(log, p, r, i, from);
        if (execution == NONE) continue;
        from = execution + 1;
        c->programs++;
        struct submit_state logged = log_submit(log, execution);
        if (logged.before >= 0 || logged.after >= 0)
            vec_push(&c->submits,
                     ((struct compare_submit){(uint32_t)i, logged.before, num_bytes_to_milli_mb(run->dram_at_start),
                                              logged.after, num_bytes_to_milli_mb(run->dram_at_end)}));
        compare_ops(c, log, &log->executions.items[execution], r, run);
    }
    find_differences(c);
    take_failure(c, log);
    take_peak(c, log);
}

void compare_release(struct compare *c) {
    vec_release(&c->submits);
    vec_release(&c->ops);
}
