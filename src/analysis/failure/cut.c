/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/cut.h"

struct log_cut log_cut_of(const struct run *run) {
    struct log_cut out = {0};
    uint32_t *last = mem_alloc(sizeof *last * (run->ranks.len + 1));
    for (size_t i = 0; i < run->ranks.len; i++) last[i] = NONE;
    for (size_t i = 0; i < run->executions.len; i++)
        if (run->executions.items[i].parent == NONE && run->executions.items[i].start_line)
            last[run->executions.items[i].rank] = (uint32_t)i;
    for (size_t i = 0; i < run->ranks.len && !out.cut; i++) {
        const struct execution *execution = last[i] == NONE ? NULL : &run->executions.items[last[i]];
        if (!execution || execution->finished) continue;
        out.cut = true;
        out.program = run_string(run, execution->name);
        for (uint32_t step = execution->end_step; step-- > execution->first_step && !out.has_op;) {
            const struct step *s = &run->steps.items[step];
            out.has_op = s->rank == execution->rank && s->record != NONE;
            out.op_index = s->record;
        }
    }
    free(last);
    return out;
}

/* Start of the last `words`, SLICE_NONE. */
static size_t find_last(struct slice text, struct slice words) {
    size_t found = SLICE_NONE;
    for (size_t at = 0, hit; (hit = slice_find(slice_skip(text, at), words)) != SLICE_NONE; at += hit + 1) found = at + hit;
    return found;
}

bool log_cut_maybe(struct slice text) {
    enum { TAIL = 4 << 20 };
    struct slice tail = text.len > TAIL ? slice_skip(text, text.len - TAIL) : text;
    size_t finished = find_last(tail, SLICE("Finished execution of program"));
    struct slice rest = finished == SLICE_NONE ? tail : slice_skip(tail, finished);
    return slice_find(rest, SLICE("Executing operation")) != SLICE_NONE ||
           slice_find(rest, SLICE("Starting execution of program")) != SLICE_NONE;
}
