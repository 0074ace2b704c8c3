/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/log_submits.h"

#include "base/num.h"

static int64_t dram_of(const struct run *log, const struct step *step) {
    if (step->block == NONE) return -1;
    const struct block *block = &log->blocks.items[step->block];
    return block->have & 1u << POOL_DRAM ? (int64_t)block->allocated[POOL_DRAM] : -1;
}

struct submit_state log_submit(const struct run *log, uint32_t execution) {
    struct submit_state found = {-1, -1};
    if (execution >= log->executions.len) return found;
    const struct execution *e = &log->executions.items[execution];
    for (size_t i = e->first_step; i-- > 0;) {
        const struct step *step = &log->steps.items[i];
        if (step->rank != e->rank || step->kind == STEP_BLOCK || step->kind == STEP_VOID) continue;
        if (step->kind == STEP_BEFORE_SUBMIT) found.before = dram_of(log, step);
        break;
    }
    for (size_t i = e->end_step; i < log->steps.len; i++) {
        const struct step *step = &log->steps.items[i];
        if (step->rank != e->rank || step->kind == STEP_BLOCK || step->kind == STEP_VOID) continue;
        if (step->kind == STEP_AFTER_SUBMIT) found.after = dram_of(log, step);
        break;
    }
    return found;
}

int64_t log_submit_distance(const struct prediction *p, const struct run *log, const struct replay *replay) {
    int64_t sum = -1;
    for (size_t i = 0; i < p->forms.programs.len && i < replay->runs.len; i++) {
        struct submit_state logged = log_submit(log, p->forms.programs.items[i].execution);
        if (logged.before < 0) continue;
        int64_t here = num_bytes_to_milli_mb(replay->runs.items[i].dram_at_start) - logged.before;
        sum = (sum < 0 ? 0 : sum) + (here < 0 ? -here : here);
    }
    return sum;
}
