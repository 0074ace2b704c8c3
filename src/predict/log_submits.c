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

size_t log_next_op(const struct run *log, const struct execution *e, size_t from) {
    for (size_t i = from; i < e->end_step && i < log->steps.len; i++)
        if (log->steps.items[i].rank == e->rank && log->steps.items[i].kind == STEP_OP) return i;
    return log->steps.len;
}

bool log_same_name(const struct run *log, const struct step *step, const struct ir_op *op) {
    return slice_equal(step_name(log, step), op->name);
}

/* Does the execution begin like the program? */
static bool begins_as(const struct run *log, const struct execution *e, const struct replay *r,
                      const struct replay_program *run) {
    enum { LOOK = 16 };
    size_t step = log_next_op(log, e, e->first_step);
    unsigned seen = 0;
    for (uint32_t i = run->first_state; i < run->end_state && seen < LOOK; i++) {
        const struct ir_op *op = place_op(r, &r->states.items[i]);
        if (!op) continue;
        if (step >= log->steps.len) return seen > 0 && !e->finished;
        if (!log_same_name(log, &log->steps.items[step], op)) return false;
        step = log_next_op(log, e, step + 1);
        seen++;
    }
    return seen > 0;
}

uint32_t log_execution(const struct run *log, const struct prediction *p, const struct replay *r, size_t program,
                       uint32_t from) {
    uint32_t known = p->forms.programs.items[program].execution;
    if (known != NONE) return known < log->executions.len ? known : NONE;
    for (uint32_t k = from; k < log->executions.len; k++) {
        const struct execution *e = &log->executions.items[k];
        if (e->parent == NONE && begins_as(log, e, r, &r->runs.items[program])) return k;
    }
    return NONE;
}

int64_t log_submit_distance(const struct prediction *p, const struct run *log, const struct replay *replay) {
    int64_t sum = -1;
    uint32_t from = 0;
    for (size_t i = 0; i < p->forms.programs.len && i < replay->runs.len; i++) {
        uint32_t execution = log_execution(log, p, replay, i, from);
        if (execution == NONE) continue;
        from = execution + 1;
        struct submit_state logged = log_submit(log, execution);
        if (logged.before < 0) continue;
        int64_t here = num_bytes_to_milli_mb(replay->runs.items[i].dram_at_start) - logged.before;
        sum = (sum < 0 ? 0 : sum) + (here < 0 ? -here : here);
    }
    return sum;
}
