/* SPDX-License-Identifier: Apache-2.0 */
/* Where lines of a log are missing. Most gaps show in order: a skipped result number, a heading without values, values
 * without a heading, a block whose op line is missing, a program that ended without its last line, a logger that says so.
 * That a block lacks a pool shows once it is known which pools the others have. A free has no number: a missing one shows by
 * comparison with the module, or without one with another run of the program. */
#include "model/fold.h"

#include <stdlib.h>

void run_note_loss(struct run *run, struct step *step) {
    if (step->flags & STEP_AFTER_LOSS || run->told_by_files) return; /* files leave out what they do not cover */
    step->flags |= STEP_AFTER_LOSS;
    uint64_t first = run->first_warning_line[WARN_LOST_LINES];
    run_warn(run, WARN_LOST_LINES, step->line);
    if (first && first > step->line) run->first_warning_line[WARN_LOST_LINES] = step->line;
}

void fold_mark_loss(struct fold *fold, struct rank_state *rank, struct step *step) {
    rank->lost = false;
    run_note_loss(fold->run, step);
}

void fold_mark_lacking(struct fold *fold, const struct rank_state *rank, unsigned usual) {
    struct run *run = fold->run;
    bool lacking = false;
    for (size_t i = 0; i < run->steps.len; i++) {
        struct step *step = &run->steps.items[i];
        if (step->rank != rank->id) continue;
        if (lacking) run_note_loss(run, step); /* the missing pools may have been in the block or after it */
        const struct block *block = step->block == NONE ? NULL : &run->blocks.items[step->block];
        lacking = block && block->have && (block->have & usual) != usual;
    }
}

/* The last ops of an execution are missing: marks the next step of its rank. */
static void note_loss_after(struct run *run, const struct execution *execution) {
    uint32_t i = execution->end_step;
    while (i < run->steps.len && run->steps.items[i].rank != execution->rank) i++;
    if (i < run->steps.len) run_note_loss(run, &run->steps.items[i]);
}

/* Walks the ops of an execution along those of a function. False if they are not a subsequence of it. `mark`: marks steps
 * after missing ops. */
static bool follow(struct run *run, uint32_t number, const struct module_text *text, const struct module_function *f,
                   bool mark) {
    const struct execution *execution = &run->executions.items[number];
    uint32_t next = f->first_op, end = f->first_op + f->op_count;
    for (uint32_t i = execution->first_step; i < execution->end_step; i++) {
        struct step *step = &run->steps.items[i];
        if (step->execution != number || step->op == NONE) continue;
        uint64_t key = run->ops.items[step->op].key, place = run->ops.items[step->op].place_key;
        uint32_t at = next;
        while (at < end && (text->ops.items[at].key != key || text->ops.items[at].place != place)) at++;
        if (at == end) return false;
        if (mark && at > next) run_note_loss(run, step);
        next = at + 1;
    }
    if (mark && next < end) note_loss_after(run, execution);
    return true;
}

/* The module of which a finished execution shows more than half, but not all; or NONE. */
static uint32_t find_partial(struct run *run, uint32_t number, const struct module_function **found) {
    const struct execution *execution = &run->executions.items[number];
    for (uint32_t i = 0; i < run->modules.len; i++) {
        const struct module_text *text = &run->modules.items[i].text;
        if (!slice_starts(run->modules.items[i].stage, SLICE("ttnn"))) continue;
        for (size_t k = 0; k < text->functions.len; k++) {
            const struct module_function *f = &text->functions.items[k];
            bool most = f->op_count > execution->own_ops && f->op_count / 2 < execution->own_ops;
            if (!most || !slice_equal(f->name, run_string(run, execution->name))) continue;
            *found = f;
            if (follow(run, number, text, f, false)) return i;
        }
    }
    return NONE;
}

/* The function of its module that an execution ran, or NULL. */
static const struct module_function *function_of(const struct run *run, const struct execution *execution) {
    uint32_t program = run->executions.items[execution->top].program;
    uint32_t module = program < run->programs.len ? run->programs.items[program].module : NONE;
    const struct module_text *text = module == NONE ? NULL : &run->modules.items[module].text;
    for (size_t i = 0; text && i < text->functions.len; i++)
        if (slice_equal(text->functions.items[i].name, run_string(run, execution->name))) return &text->functions.items[i];
    return NULL;
}

/* The next own op of an execution from a step on, or its end. */
static uint32_t next_op(const struct run *run, uint32_t number, uint32_t step) {
    const struct execution *execution = &run->executions.items[number];
    while (step < execution->end_step && (run->steps.items[step].execution != number || run->steps.items[step].op == NONE))
        step++;
    return step;
}

static bool same_op(const struct run *run, uint32_t a, uint32_t b) {
    const struct op *x = &run->ops.items[run->steps.items[a].op], *y = &run->ops.items[run->steps.items[b].op];
    return x->key == y->key && x->place_key == y->place_key;
}

static bool measured_change(const struct run *run, uint32_t from, uint32_t to, unsigned pool, int64_t *change) {
    const struct step *a = &run->steps.items[from], *b = &run->steps.items[to];
    if (a->block == NONE || b->block == NONE) return false;
    const struct block *x = &run->blocks.items[a->block], *y = &run->blocks.items[b->block];
    *change = (int64_t)y->allocated[pool] - x->allocated[pool];
    return x->have & y->have & 1u << pool;
}

/* Two adjacent ops of one execution, with frees between them in the other. */
struct skipped {
    uint32_t from, to;        /* steps */
    uint32_t whole, to_whole; /* in the execution that has the frees: the op before them and the one after */
    uint32_t first;           /* the first free */
};

/* Did the frees run? Then memory fell as much as where they are shown. A program that returns one more tensor does not free
 * it, and is another program. */
static bool has_fallen(const struct run *run, const struct skipped *s) {
    enum { ROUNDING = 2 }; /* of two figures in thousandths */
    bool fell = false;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        int64_t here, there, freed;
        if (!measured_change(run, s->from, s->to, pool, &here) || !measured_change(run, s->whole, s->to_whole, pool, &there) ||
            !measured_change(run, s->first, s->to_whole, pool, &freed))
            continue;
        if (here - there > ROUNDING || there - here > ROUNDING) return false;
        fell |= freed < -2 * ROUNDING;
    }
    return fell;
}

/* Does an execution have the ops of a complete one except some frees, which ran? `mark`: marks the steps after these. */
static bool lacks_frees(struct run *run, uint32_t number, uint32_t whole, bool mark) {
    const struct execution *execution = &run->executions.items[number], *other = &run->executions.items[whole];
    uint32_t at = next_op(run, number, execution->first_step), in = next_op(run, whole, other->first_step);
    struct skipped gap = {.from = NONE, .first = NONE};
    for (; in < other->end_step; in = next_op(run, whole, in + 1)) {
        if (at < execution->end_step && same_op(run, at, in)) {
            if (gap.first != NONE) {
                gap.to = at, gap.to_whole = in;
                if (gap.from == NONE || !has_fallen(run, &gap)) return false;
                if (mark) run_note_loss(run, &run->steps.items[at]);
            }
            gap = (struct skipped){.from = at, .whole = in, .first = NONE};
            at = next_op(run, number, at + 1);
        } else if (run->ops.items[run->steps.items[in].op].kind != OP_DEALLOCATE) {
            return false;
        } else if (gap.first == NONE) {
            gap.first = in;
        }
    }
    return at >= execution->end_step && gap.first == NONE;
}

/* Without modules: two programs of a rank that differ only in frees, which ran, are the same one; lines of the shorter are
 * missing. */
static void compare_programs(struct run *run) {
    enum { MOST_PROGRAMS = 64 };
    uint32_t *whole = mem_alloc((run->programs.len + 1) * sizeof *whole);
    for (uint32_t p = 0; p < run->programs.len; p++) whole[p] = NONE;
    for (uint32_t p = 0; p < run->programs.len && run->programs.len <= MOST_PROGRAMS; p++) {
        const struct program *program = &run->programs.items[p];
        const struct execution *first = &run->executions.items[program->first_execution];
        if (program->module != NONE || !first->finished) continue;
        for (uint32_t q = 0; q < run->programs.len && whole[p] == NONE; q++) {
            uint32_t longer = run->programs.items[q].first_execution;
            const struct execution *other = &run->executions.items[longer];
            if (run->programs.items[q].name != program->name || other->rank != first->rank || !other->finished ||
                other->own_ops <= first->own_ops)
                continue;
            if (lacks_frees(run, program->first_execution, longer, false)) whole[p] = longer;
        }
    }
    for (uint32_t i = 0; i < run->executions.len; i++) {
        const struct execution *execution = &run->executions.items[i];
        uint32_t program = execution->parent == NONE ? execution->program : NONE;
        if (program < run->programs.len && whole[program] != NONE && execution->finished)
            lacks_frees(run, i, whole[program], true);
    }
    free(whole);
}

void run_link_partial(struct run *run) {
    compare_programs(run);
    const struct module_function *f;
    for (uint32_t p = 0; p < run->programs.len; p++) {
        struct program *program = &run->programs.items[p];
        if (program->module == NONE && run->executions.items[program->first_execution].finished)
            program->module = find_partial(run, program->first_execution, &f);
    }
    for (uint32_t i = 0; i < run->executions.len; i++) {
        const struct execution *execution = &run->executions.items[i];
        f = execution->finished ? function_of(run, execution) : NULL;
        if (!f || f->op_count <= execution->own_ops) continue;
        const struct module_text *text =
            &run->modules.items[run->programs.items[run->executions.items[execution->top].program].module].text;
        if (follow(run, i, text, f, false)) follow(run, i, text, f, true);
    }
}
