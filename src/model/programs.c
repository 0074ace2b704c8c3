/* SPDX-License-Identifier: Apache-2.0 */
/* Which program is running: a stack per rank. A program that starts while the last op of the running one is a load_cached, a
 * call or a trace is nested in it; any other start means that the running ones ended by an exception, which prints nothing.
 *
 * Also where the device was opened again, by the same process or by another one in the same file: everything on it is gone,
 * and no program is running. Lines of the driver, of tt-metal and of TT-XLA show this; if the log lacks them, a memory block
 * with other banks than the one before it does. */
#include "model/fold.h"

struct frame *frame_top(struct rank_state *rank) {
    return rank->depth ? &rank->frames.items[rank->depth - 1] : NULL;
}

static bool is_const_eval_name(struct slice name) { return slice_find(name, SLICE("_const_eval_")) != SLICE_NONE; }

/* Can the running op of `frame` have started a program of this name? */
static bool may_nest(const struct run *run, const struct frame *frame, struct slice name) {
    if (frame->last_op == NONE) {
        /* a log without op lines: the name decides */
        return run->op_lines == 0 && (is_const_eval_name(name) || slice_find(name, SLICE("trace_")) != SLICE_NONE);
    }
    const struct step *step = &run->steps.items[frame->last_op];
    const struct op *op = &run->ops.items[step->op];
    switch (op->kind) {
        case OP_LOAD_CACHED:
            return !frame->nested && !(step->flags & STEP_CACHE_HIT) && slice_equal(run_string(run, op->callee), name);
        case OP_CALL:
            return !frame->nested && slice_equal(run_string(run, op->callee), name);
        case OP_TRACE: /* no program runs itself: it ended by an exception, after an inner one whose end is missing */
            return !slice_equal(run_string(run, run->executions.items[frame->execution].name), name);
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
    frame->nested = frame->next_result = 0;
    frame->may_call = false;
    return frame;
}

static void pop_frame(struct fold *fold, struct rank_state *rank, bool finished, uint64_t line) {
    struct frame *frame = frame_top(rank);
    values_flush(fold, rank);
    run_write_execution_end(&fold->writer, frame->execution, finished, line);
    values_frame_end(fold, rank, frame, finished);
    rank->depth--;
}

/* Ends an inner program whose last line is missing. The outer one continues, so it was no exception, which would have ended
 * both. */
static void pop_inner(struct fold *fold, struct rank_state *rank, uint64_t line) {
    pop_frame(fold, rank, !fold->run->told_by_files, line);
    rank->lost = true;
}

void programs_unwind(struct fold *fold, struct rank_state *rank, uint64_t line) {
    fold_settle_block(fold, rank);
    while (rank->depth) pop_frame(fold, rank, false, line);
    rank->pending = NONE;
}

/* A const-eval graph runs only inside another program: if no running op can have started it, the line of its op is missing. */
static bool is_orphan(const struct run *run, const struct frame *frame, struct slice name) {
    bool inner = run->executions.items[frame->execution].const_eval;
    return run->op_lines && !run->told_by_files && !inner && is_const_eval_name(name);
}

void program_start(struct fold *fold, struct rank_state *rank, struct slice name, uint64_t line) {
    struct run *run = fold->run;
    fold_settle_block(fold, rank);
    bool orphan = false;
    while (rank->depth && !orphan && !may_nest(run, frame_top(rank), name)) {
        orphan = is_orphan(run, frame_top(rank), name);
        if (!orphan) pop_frame(fold, rank, false, line);
    }
    if (orphan) values_flush(fold, rank);
    rank->lost |= orphan || (!rank->depth && run->op_lines && is_const_eval_name(name));
    struct frame *outer = frame_top(rank);
    struct execution execution = {.name = strtab_id(&run->strings, name),
                                  .parent = outer ? outer->execution : NONE,
                                  .caller = outer && !orphan ? outer->last_op : NONE,
                                  .start_line = line,
                                  .rank = (uint16_t)rank->id};
    if (outer) {
        outer->nested++;
        bool cached = execution.caller != NONE && run->ops.items[run->steps.items[outer->last_op].op].kind == OP_LOAD_CACHED;
        execution.const_eval = cached || is_const_eval_name(name);
        execution.cache_miss = cached && (run->steps.items[outer->last_op].flags & STEP_CACHE_MISS);
    }
    struct frame *frame = push_frame(rank);
    frame->execution = run_write_execution(&fold->writer, &execution);
    values_frame_start(fold, rank, frame, rank->depth > 1 && !orphan ? &rank->frames.items[rank->depth - 2] : NULL);
}

void program_finish(struct fold *fold, struct rank_state *rank, struct slice name, uint64_t line) {
    struct run *run = fold->run;
    fold_settle_block(fold, rank);
    size_t depth = rank->depth;
    while (depth && !slice_equal(run_string(run, run->executions.items[rank->frames.items[depth - 1].execution].name), name))
        depth--;
    if (!depth) {
        run_warn(run, WARN_FINISH_WITHOUT_START, line);
        rank->lost = true;
        return;
    }
    while (rank->depth > depth) pop_inner(fold, rank, line);
    pop_frame(fold, rank, true, line);
    rank->pending = NONE;
}

void program_is_through(struct fold *fold, struct rank_state *rank, struct slice name, uint64_t line) {
    const struct frame *top = frame_top(rank);
    bool told = fold->run->told_by_files;
    bool runs = !told && top && slice_equal(run_string(fold->run, fold->run->executions.items[top->execution].name), name);
    if (!runs || rank->depth == 1) return;
    program_finish(fold, rank, name, line);
    rank->lost = true;
}

/* The innermost frame that this result number continues, if the inner ones ended without a log line; rank->depth: none. */
static size_t frame_of_result(const struct run *run, const struct rank_state *rank, uint32_t number) {
    for (size_t depth = rank->depth; depth-- > 0;) {
        const struct frame *frame = &rank->frames.items[depth];
        if (frame->next_result == number) return depth;
        if (depth && !run->executions.items[frame->execution].const_eval) break; /* others may end by exceptions */
    }
    return rank->depth;
}

/* The program that the last op is about to run; empty: none. */
static struct slice program_due(const struct run *run, const struct frame *frame) {
    if (frame->last_op == NONE || frame->nested) return slice_of("", 0);
    const struct step *step = &run->steps.items[frame->last_op];
    const struct op *op = &run->ops.items[step->op];
    bool runs = op->kind == OP_CALL || (op->kind == OP_LOAD_CACHED && !(step->flags & STEP_CACHE_HIT));
    return runs ? run_string(run, op->callee) : slice_of("", 0);
}

void programs_before_op(struct fold *fold, struct rank_state *rank, const struct op *op, uint64_t line) {
    struct run *run = fold->run;
    struct frame *frame = frame_top(rank);
    if (!frame || run->told_by_files) return; /* what the files of a report leave out is not lost */
    bool numbered = op->result && !(op->result & (VALUE_ARG | VALUE_NAMED));
    uint32_t number = op->result - 1;
    frame->may_call = false;
    bool missed = frame->last_op != NONE && run->steps.items[frame->last_op].flags & STEP_CACHE_MISS;
    struct slice due = program_due(run, frame);
    if (due.len && (missed || (numbered && number == 0))) {
        program_start(fold, rank, due, line); /* a function's first result is %0 */
        rank->lost = true;
        frame = frame_top(rank);
    }
    if (!numbered) return;
    size_t depth = frame->next_result == number ? rank->depth - 1 : frame_of_result(run, rank, number);
    rank->lost |= depth != rank->depth - 1;
    rank->backwards += depth == rank->depth && number < frame->next_result;
    if (depth < rank->depth)
        while (rank->depth > depth + 1) pop_frame(fold, rank, true, line);
    frame_top(rank)->next_result = number + 1;
}

/* Inserts in step order: other ranks may be ahead. */
static void add_part(struct run *run, struct run_part part) {
    vec_push(&run->parts, part);
    size_t at = run->parts.len - 1;
    for (; at && run->parts.items[at - 1].step > part.step; at--) run->parts.items[at] = run->parts.items[at - 1];
    run->parts.items[at] = part;
}

/* Tensors born before `limit` are gone from `first` on. */
static void end_tensors(struct run *run, const struct rank_state *rank, uint32_t first, uint32_t limit) {
    for (size_t i = 0; i < run->tensors.len; i++) {
        struct tensor *tensor = &run->tensors.items[i];
        if (tensor->rank == rank->id && tensor->gone == NONE && tensor->born < limit) tensor->gone = first;
    }
}

void part_begin(struct fold *fold, struct rank_state *rank, uint64_t line) {
    struct run *run = fold->run;
    rank->closed_line = 0;
    if (rank->fresh) return; /* the first opening, or another line about the same one */
    rank->fresh = true;
    uint32_t first = (uint32_t)run->steps.len;
    values_flush(fold, rank);
    programs_unwind(fold, rank, line);
    end_tensors(run, rank, first, NONE);
    rank->last_block = rank->older = rank->newer = NONE;
    rank->cache_hash = (struct hash128){0, 0};
    rank->part++;
    add_part(run, (struct run_part){first, (uint16_t)rank->id, line});
}

/* A closed device counts as opened again only when something runs on it, so that at the end of the log the tensors on it are
 * still known. */
void part_device_line(struct fold *fold, struct rank_state *rank, struct slice text, uint64_t line) {
    switch (device_line(text)) {
        case DEVICE_OPENS:
            around_new_process(fold, rank);
            part_begin(fold, rank, line);
            break;
        case DEVICE_REOPENS:
            part_begin(fold, rank, line);
            break;
        case DEVICE_CLOSES:
            rank->closed_line = line;
            break;
        case DEVICE_NONE:
            break;
    }
}

/* Does a pool that both blocks show have other banks? */
static bool is_other_device(const struct run *run, const struct block *had, const struct block *now) {
    if (memcmp(had->config, now->config, sizeof had->config) == 0) return false;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        unsigned bit = 1u << pool;
        if (!(had->have & now->have & bit) || (had->partial | now->partial) & bit) continue;
        const struct pool_config *a = block_config(run, had, (enum pool)pool), *b = block_config(run, now, (enum pool)pool);
        if (a->banks != b->banks || a->total != b->total) return true;
    }
    return false;
}

/* Arguments that the running programs used before the block are on the new device. Values keep their tensor; its time on the
 * old device becomes a tensor of its own. */
static void move_values(struct fold *fold, struct rank_state *rank, uint32_t first) {
    struct run *run = fold->run;
    for (size_t depth = 0; depth < rank->depth; depth++) {
        const struct frame *frame = &rank->frames.items[depth];
        for (size_t i = 0; i < frame->slots.len; i++) {
            uint32_t id = frame->slots.items[i].tensor;
            if (id == NONE || run->tensors.items[id].born >= first) continue;
            struct tensor before = run->tensors.items[id];
            before.gone = first;
            run_write_tensor(&fold->writer, &before);
            struct tensor *moved = &run->tensors.items[id];
            moved->born = first;
            moved->execution = rank->frames.items[0].execution;
            if (moved->last_use != NONE && moved->last_use < first) moved->last_use = NONE;
        }
    }
}

void part_by_config(struct fold *fold, struct rank_state *rank, uint32_t number) {
    struct run *run = fold->run;
    const struct block *block = &run->blocks.items[number];
    if (rank->last_block == NONE || !is_other_device(run, &run->blocks.items[rank->last_block], block)) return;
    around_reopened(fold, rank);
    uint32_t last = run->blocks.items[rank->last_block].step, first = block->step;
    uint32_t begin = rank->depth ? run->executions.items[rank->frames.items[0].execution].first_step : 0;
    if (begin > last) { /* the running program began on the new device */
        first = begin;
        move_values(fold, rank, first);
    }
    end_tensors(run, rank, first, first);
    rank->part++;
    add_part(run, (struct run_part){first, (uint16_t)rank->id, block->line});
}
