/* SPDX-License-Identifier: Apache-2.0 */
/* Which program is running: a stack per rank. A program that starts while the last op of the running one is a load_cached, a
 * call or a trace is nested in it; any other start means that the running ones ended by an exception, which prints nothing. */
#include "model/fold.h"

struct frame *frame_top(struct rank_state *rank) {
    return rank->depth ? &rank->frames.items[rank->depth - 1] : NULL;
}

static bool is_const_eval_name(struct slice name) { return slice_find(name, SLICE("_const_eval_")) != SLICE_NONE; }

/* Can `frame`'s running op have started a program of this name? */
static bool may_nest(const struct run *run, const struct frame *frame, struct slice name) {
    if (frame->last_op == NONE) {
        /* a log without op lines: names tell */
        return run->op_lines == 0 && (is_const_eval_name(name) || slice_find(name, SLICE("trace_")) != SLICE_NONE);
    }
    const struct step *step = &run->steps.items[frame->last_op];
    const struct op *op = &run->ops.items[step->op];
    switch (op->kind) {
        case OP_LOAD_CACHED:
            return !frame->nested && !(step->flags & STEP_CACHE_HIT) && slice_equal(run_string(run, op->callee), name);
        case OP_CALL:
            return !frame->nested && slice_equal(run_string(run, op->callee), name);
        case OP_TRACE:
            return true;
        default:
            return false;
    }
}

static struct frame *push_frame(struct rank_state *rank) {
    if (rank->depth == rank->frames.len) vec_push(&rank->frames, ((struct frame){0}));
    struct frame *frame = &rank->frames.items[rank->depth++];
    vec_clear(&frame->slots);
    vec_clear(&frame->values);
    vec_clear(&frame->arguments);
    frame->last_op = NONE;
    frame->nested = 0;
    return frame;
}

static void pop_frame(struct fold *fold, struct rank_state *rank, bool finished, uint64_t line) {
    struct frame *frame = frame_top(rank);
    values_flush(fold, rank);
    run_write_execution_end(&fold->writer, frame->execution, finished, line);
    values_frame_end(fold, rank, frame, finished);
    rank->depth--;
}

void programs_unwind(struct fold *fold, struct rank_state *rank, uint64_t line) {
    fold_settle_block(fold, rank);
    while (rank->depth) pop_frame(fold, rank, false, line);
    rank->pending = NONE;
}

void program_start(struct fold *fold, struct rank_state *rank, struct slice name, uint64_t line) {
    struct run *run = fold->run;
    fold_settle_block(fold, rank);
    while (rank->depth && !may_nest(run, frame_top(rank), name)) pop_frame(fold, rank, false, line);
    struct frame *outer = frame_top(rank);
    struct execution execution = {.name = strtab_id(&run->strings, name),
                                  .parent = outer ? outer->execution : NONE,
                                  .caller = outer ? outer->last_op : NONE,
                                  .start_line = line,
                                  .rank = (uint16_t)rank->id};
    if (outer) {
        outer->nested++;
        bool cached = outer->last_op != NONE && run->ops.items[run->steps.items[outer->last_op].op].kind == OP_LOAD_CACHED;
        execution.const_eval = cached || is_const_eval_name(name);
        execution.cache_miss = cached && (run->steps.items[outer->last_op].flags & STEP_CACHE_MISS);
    }
    struct frame *frame = push_frame(rank);
    frame->execution = run_write_execution(&fold->writer, &execution);
    values_frame_start(fold, rank, frame, rank->depth > 1 ? &rank->frames.items[rank->depth - 2] : NULL);
}

void program_finish(struct fold *fold, struct rank_state *rank, struct slice name, uint64_t line) {
    struct run *run = fold->run;
    fold_settle_block(fold, rank);
    size_t depth = rank->depth;
    while (depth && !slice_equal(run_string(run, run->executions.items[rank->frames.items[depth - 1].execution].name), name))
        depth--;
    if (!depth) {
        run_warn(run, WARN_FINISH_WITHOUT_START, line);
        return;
    }
    while (rank->depth > depth) pop_frame(fold, rank, false, line);
    pop_frame(fold, rank, true, line);
    rank->pending = NONE;
}
