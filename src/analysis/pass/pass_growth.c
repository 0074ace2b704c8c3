/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/pass/pass_growth.h"

#include <stdlib.h>

enum { WARM_UP = 5 };

void pass_ends_find(const struct run *run, struct pass_ends *out) {
    *out = (struct pass_ends){.program = NONE};
    uint32_t *count = mem_zalloc(run->programs.len + 1, sizeof *count);
    uint16_t rank = 0;
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *e = &run->executions.items[i];
        if (e->parent != NONE || !e->finished || e->program >= run->programs.len) continue;
        if (++count[e->program] && (out->program == NONE || count[e->program] > count[out->program]))
            out->program = e->program, rank = e->rank;
    }
    free(count);
    for (size_t i = 0; out->program != NONE && i < run->executions.len; i++) {
        const struct execution *e = &run->executions.items[i];
        if (e->parent == NONE && e->finished && e->program == out->program && e->rank == rank && e->end_step)
            vec_push(&out->steps, e->end_step - 1);
    }
    out->skipped = out->steps.len / WARM_UP;
}

void pass_ends_release(struct pass_ends *ends) { vec_release(&ends->steps); }

/* -1: nothing tells. */
static int64_t bytes_after(const struct run *run, uint32_t step, enum pool pool) {
    uint32_t after = run->steps.items[step].after;
    if (after == NONE || !(run->blocks.items[after].have & 1u << pool)) return -1;
    return (int64_t)((uint64_t)run->blocks.items[after].allocated[pool] * 1048576 / 1000);
}

void pass_growth_find(const struct run *run, enum pool pool, struct slope *out) {
    struct pass_ends ends;
    *out = (struct slope){0};
    pass_ends_find(run, &ends);
    size_t count = ends.steps.len - ends.skipped, filled = 0;
    if (count >= SLOPE_LEAST) {
        int64_t *values = mem_alloc(count * sizeof *values);
        for (; filled < count; filled++) {
            values[filled] = bytes_after(run, ends.steps.items[ends.skipped + filled], pool);
            if (values[filled] < 0) break;
        }
        /* of the last pass of a log the state after it may be missing */
        if (filled + 1 >= count) slope_find(values, filled, out);
        free(values);
    }
    pass_ends_release(&ends);
}
