/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/pass/passes.h"

/* DRAM in the first block of the rank among the steps [first, end); or NONE. */
static uint32_t first_dram(const struct run *run, uint16_t rank, uint32_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->rank != rank || step->block == NONE || !(run->blocks.items[step->block].have & 1u << POOL_DRAM)) continue;
        return run->blocks.items[step->block].allocated[POOL_DRAM];
    }
    return NONE;
}

static void find_records(const struct run *run, struct run_pass *pass) {
    for (uint32_t i = pass->first_step; i < pass->end_step; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->rank != pass->rank || step->record == NONE) continue;
        if (pass->first_record == pass->end_record) pass->first_record = step->record;
        pass->end_record = step->record + 1;
    }
}

void passes_find(const struct run *run, uint16_t rank, struct passes *out) {
    *out = (struct passes){0};
    for (uint32_t i = 0; i < run->executions.len; i++) {
        const struct execution *e = &run->executions.items[i];
        if (e->parent != NONE || e->rank != rank) continue;
        uint32_t end = e->end_step > run->steps.len ? (uint32_t)run->steps.len : e->end_step;
        struct run_pass pass = {.execution = i,
                                .rank = rank,
                                .first_step = e->first_step,
                                .end_step = end,
                                .first_line = e->start_line,
                                .end_line = UINT64_MAX,
                                .start = first_dram(run, rank, e->first_step, end),
                                .end = first_dram(run, rank, end, run->steps.len)};
        find_records(run, &pass);
        if (out->items.len) vec_last(&out->items).end_line = e->start_line;
        vec_push(&out->items, pass);
    }
}

void passes_release(struct passes *passes) { vec_release(&passes->items); }
