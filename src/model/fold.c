/* SPDX-License-Identifier: Apache-2.0 */
#include "model/fold.h"

#include <stdlib.h>

#include "model/op_types.h"
#include "scan/lines.h"

enum { ALL_POOLS = (1 << POOL_COUNT) - 1 };

void fold_init(struct fold *fold, struct run *run, struct slice stays) {
    *fold = (struct fold){
        .run = run,
        .stays = stays,
        .first_line = 1,
        .first_writer = NONE,
        .file = NONE,
        .around = {.round = 1, .process = 1, .last_site = NONE, .traceback = NONE, .buffer = NONE, .told = {.failure = NONE}}};
    run_write_begin(&fold->writer, run, RUN_LOG);
}

/* Worker ids of a piece -> ids of the run. */

static void grow_workers(struct fold *fold, unsigned worker) {
    while (fold->worker_count <= worker) {
        size_t n = fold->worker_count + 1;
        fold->op_ids = mem_resize(fold->op_ids, n, sizeof *fold->op_ids);
        fold->type_ids = mem_resize(fold->type_ids, n, sizeof *fold->type_ids);
        fold->tags = mem_resize(fold->tags, n, sizeof *fold->tags);
        memset(&fold->op_ids[n - 1], 0, sizeof *fold->op_ids);
        memset(&fold->type_ids[n - 1], 0, sizeof *fold->type_ids);
        memset(&fold->tags[n - 1], 0, sizeof *fold->tags);
        vec_push(&fold->tags[n - 1].known, ((struct log_tag){slice_of("", 0), 0}));
        fold->worker_count = n;
    }
}

/* "... mesh_shape = #ttnn<mesh_shape 1x8>" of get_device */
static struct slice device_mesh(struct run *run, struct slice properties) {
    struct slice key = SLICE("#ttnn<mesh_shape ");
    size_t at = slice_find(properties, key);
    struct slice shape = at == SLICE_NONE ? slice_of("", 0) : slice_skip(properties, at + key.len);
    return arena_copy(&run->arena, slice_take(shape, slice_find_byte(shape, '>')));
}

static uint32_t add_op(struct fold *fold, const struct log_piece *piece, const struct log_op *from, const uint32_t *type_ids) {
    struct run *run = fold->run;
    struct hash128 hash = hash_bytes(from->text);
    uint32_t known = run_write_known_op(&fold->writer, hash);
    if (known != NONE) return known;
    bool in_place = from->text.ptr >= piece->bytes.ptr && from->text.ptr < piece->bytes.ptr + piece->bytes.len;
    struct op op = {.offset = from->offset,
                    .length = (uint32_t)from->text.len,
                    .text = in_place ? 0 : strtab_id(&run->strings, from->text),
                    .name = strtab_id(&run->strings, from->name),
                    .callee = strtab_id(&run->strings, from->callee),
                    .display = strtab_id(&run->strings, from->display),
                    .result = from->result_value,
                    .operand_count = from->operand_count,
                    .result_count = from->result_count,
                    .kind = (uint8_t)op_kind_of(from->name, from->attributes),
                    .truncated = from->truncated,
                    .frees_first_operand = slice_find(from->properties, SLICE("deallocate_activation = true")) != SLICE_NONE,
                    .cache_operands = op_cache_operands(from->name),
                    .may_return_input = op_may_return_input(from->name),
                    .key = from->key,
                    .place_key = from->place_key,
                    .hash = hash};
    if (in_place && fold->kept) kept_text_add(fold->kept, from->offset, from->text);
    if (op.kind == OP_GET_DEVICE && !run->mesh.len) run->mesh = device_mesh(run, from->properties);
    vec_clear(&fold->refs);
    for (unsigned i = 0; i < from->operand_count; i++)
        vec_push(&fold->refs,
                 ((struct op_ref){from->operands[i].value, from->operands[i].index, type_ids[from->operands[i].type]}));
    for (unsigned i = 0; i < from->result_count; i++)
        vec_push(&fold->refs, ((struct op_ref){0, (uint16_t)i, type_ids[from->result_types[i]]}));
    return run_write_op(&fold->writer, &op, fold->refs.items);
}

uint32_t fold_learn(struct fold *fold, const struct log_piece *piece) {
    grow_workers(fold, piece->worker);
    for (size_t i = 0; i < piece->new_ranks.len; i++) vec_push(&fold->tags[piece->worker].known, piece->new_ranks.items[i]);
    for (size_t i = 0; i < piece->new_types.len; i++) {
        uint32_t id = run_write_type(&fold->writer, &piece->new_types.items[i].type);
        vec_push(&fold->type_ids[piece->worker], id);
    }
    for (size_t i = 0; i < piece->new_ops.len; i++) {
        uint32_t id = add_op(fold, piece, &piece->new_ops.items[i], fold->type_ids[piece->worker].items);
        vec_push(&fold->op_ids[piece->worker], id);
    }
    for (size_t i = 0; i < piece->events.len; i++)
        if (piece->events.items[i].kind == LINE_OP) return fold->op_ids[piece->worker].items[piece->events.items[i].value];
    return NONE;
}

/* Steps and records. */

static struct step *add_step(struct fold *fold, struct rank_state *rank, enum step_kind kind, uint64_t line) {
    struct frame *frame = frame_top(rank);
    struct step *step = run_write_step(&fold->writer, (uint16_t)rank->id, kind, line);
    if (frame && kind <= STEP_BLOCK) step->execution = frame->execution;
    if (rank->lost) fold_mark_loss(fold, rank, step);
    return step;
}

static void on_op(struct fold *fold, struct rank_state *rank, uint32_t op_id, struct slice text, uint64_t line) {
    struct run *run = fold->run;
    fold_settle_block(fold, rank);
    const struct op *op = &run->ops.items[op_id];
    struct frame *frame = frame_top(rank);
    if (frame && (frame->may_call || (op->result && op->result != frame->next_result + 1))) {
        programs_before_op(fold, rank, op, line);
        frame = frame_top(rank);
    } else if (frame) {
        frame->next_result += op->result != 0;
    }
    uint32_t number = (uint32_t)run->steps.len;
    values_op_read(fold, rank, number);
    struct step *step = add_step(fold, rank, STEP_OP, line);
    step->op = op_id;
    if (op->truncated) torn_op_read(fold, rank, number, text);
    if (frame) {
        struct execution *execution = &run->executions.items[frame->execution];
        execution->own_ops++;
        execution->key = sequence_key(execution->key, op->key);
        execution->place_key = sequence_key(execution->place_key, hash_mix(op->key, op->place_key));
        execution->text_key = sequence_key(execution->text_key, op->hash.low);
        frame->last_op = number;
        frame->nested = 0;
        frame->may_call = op->kind == OP_LOAD_CACHED || op->kind == OP_CALL;
    }
    run->op_lines++;
    if (op->kind == OP_DEALLOCATE) run->deallocates++;
    else if (op->kind == OP_GET_DEVICE) run->get_devices++;
    else run_write_record(&fold->writer, step);
    if (op->truncated) run_warn(run, WARN_TRUNCATED_OP, line);
    rank->pending = number;
    rank->has_ops = true;
}

/* Memory blocks. */

static void fill_pool(struct fold *fold, struct block *block, const struct log_block *from, enum pool pool) {
    const struct pool_view *view = &from->pools[pool];
    block->config[pool] = run_write_config(&fold->writer, pool, view->banks, view->total, 0);
    block->allocated[pool] = view->allocated;
    block->free[pool] = view->free;
    block->largest[pool] = view->largest;
    block->have |= (uint8_t)(1u << pool);
    block->partial = (uint8_t)(block->partial | (from->partial & 1u << pool));
}

/* If the log showed before that the type is another op's own name, it is not this op's. */
static bool type_may_be_of(struct fold *fold, const struct op *op, struct slice op_type) {
    struct slice name = run_string(fold->run, op->name);
    if (!op_type_fits((enum op_kind)op->kind, name, op_type)) return false;
    if (!op_type.len) return true;
    bool own = op_type_is_own(name, op_type), added;
    struct hash128 key = hash_bytes(op_type);
    const uint32_t *owner = map_find(&fold->exact_types, key);
    if (owner && *owner != op->name && !own) return false;
    if (own && !owner) *map_at(&fold->exact_types, key, &added) = op->name;
    return true;
}

/* A submit that failed has no end; an end without a beginning is from another process. */
static void count_submit(struct rank_state *rank, bool begins) {
    if (begins) rank->nested_submits += rank->in_submit;
    else rank->loose_submits += !rank->in_submit;
    rank->in_submit = begins;
}

static bool has_headings(const struct rank_state *rank) {
    uint64_t blocks = 0;
    for (unsigned pools = 0; pools <= ALL_POOLS; pools++) blocks += rank->blocks_of[pools];
    return blocks > 0;
}

/* The step that a block precedes. If blocks have headings, values without one may also belong to an op whose line is
 * missing. */
static struct step *block_step(struct fold *fold, struct rank_state *rank, enum line_kind kind, struct slice op_type,
                               bool headless, uint64_t line) {
    struct run *run = fold->run;
    if (kind == LINE_BLOCK_BEFORE_SUBMIT || kind == LINE_BLOCK_AFTER_SUBMIT) {
        count_submit(rank, kind == LINE_BLOCK_BEFORE_SUBMIT);
        return add_step(fold, rank, kind == LINE_BLOCK_BEFORE_SUBMIT ? STEP_BEFORE_SUBMIT : STEP_AFTER_SUBMIT, line);
    }
    if (headless) run_warn(run, WARN_BLOCK_WITHOUT_HEADING, line);
    bool stray = headless && has_headings(rank);
    struct step *pending = rank->pending == NONE ? NULL : &run->steps.items[rank->pending];
    if (pending && pending->block == NONE && !stray) {
        struct op *op = &run->ops.items[pending->op];
        bool known = op->op_type && slice_equal(run_string(run, op->op_type), op_type);
        if (known || type_may_be_of(fold, op, op_type)) {
            if (!known) op->op_type = strtab_id(&run->strings, op_type);
            pending->op_type = op->op_type;
            return pending;
        }
    }
    rank->lost |= rank->has_ops || stray;
    struct step *step = add_step(fold, rank, STEP_BLOCK, line);
    step->op_type = strtab_id(&run->strings, op_type);
    if (op_type_is_op(op_type)) run_write_record(&fold->writer, step); /* frees are not records, with or without op lines */
    return step;
}

static void close_block(struct fold *fold, struct rank_state *rank, uint32_t number) {
    struct run *run = fold->run;
    struct block *block = &run->blocks.items[number];
    if (rank->headed) rank->blocks_of[block->have]++;
    else rank->headless_of[block->have]++;
    if (block->partial) run_warn(run, WARN_PARTIAL_BLOCK, block->line);
    run_write_block_done(&fold->writer, number);
    part_by_config(fold, rank, number);
    rank->last_block = number;
    values_block_read(fold, rank);
}

/* A heading without pools is not a block, and the record it made, if any, is void. */
static void drop_block(struct fold *fold, struct rank_state *rank, uint32_t number) {
    struct run *run = fold->run;
    rank->blocks_of[0]++;
    struct step *step = &run->steps.items[run->blocks.items[number].step];
    run_warn(run, WARN_EMPTY_BLOCK, run->blocks.items[number].line);
    rank->lost = true;
    if (rank->pending == run->blocks.items[number].step) rank->pending = NONE; /* a later heading does not belong to it */
    step->block = NONE;
    if (step->kind == STEP_BLOCK) run_write_void(&fold->writer, step);
}

/* Closes the block that a piece left open. */
void fold_settle_block(struct fold *fold, struct rank_state *rank) {
    uint32_t number = rank->open_block;
    rank->open_block = NONE;
    if (number == NONE) return;
    if (fold->run->blocks.items[number].have) close_block(fold, rank, number);
    else drop_block(fold, rank, number);
}

static struct block *begin_block(struct fold *fold, struct rank_state *rank, struct step *step, bool headed, uint64_t line) {
    struct block *block = run_write_block(&fold->writer, step, line);
    rank->open_block = step->block;
    rank->headed = headed;
    return block;
}

/* Pools without a heading: the rest of a block from an earlier piece, or separate blocks. A piece cannot know where one ends
 * and the next begins, so they are taken pool by pool, by the parser's rule. */
static void on_headless(struct fold *fold, struct rank_state *rank, const struct log_block *from) {
    struct run *run = fold->run;
    for (unsigned i = 0; i < from->pool_count; i++) {
        enum pool pool = (enum pool)from->order[i];
        uint64_t line = fold->first_line + from->pool_line[pool];
        if (rank->open_block == NONE || run->blocks.items[rank->open_block].have >> pool & 1) {
            fold_settle_block(fold, rank);
            begin_block(fold, rank, block_step(fold, rank, LINE_POOL, slice_of("", 0), true, line), false, line);
        }
        struct block *block = &run->blocks.items[rank->open_block];
        fill_pool(fold, block, from, pool);
        if (block->have == ALL_POOLS) fold_settle_block(fold, rank);
    }
}

static void on_block(struct fold *fold, struct rank_state *rank, const struct log_event *event, const struct log_block *from) {
    uint64_t line = fold->first_line + event->line;
    if (from->headless) {
        on_headless(fold, rank, from);
        return;
    }
    fold_settle_block(fold, rank);
    struct step *step = block_step(fold, rank, (enum line_kind)event->kind, from->op_type, false, line);
    struct block *block = begin_block(fold, rank, step, true, line);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (from->have >> pool & 1) fill_pool(fold, block, from, (enum pool)pool);
    if (!from->open) fold_settle_block(fold, rank);
}

/* Other lines. */

static void mark_pending(struct fold *fold, struct rank_state *rank, enum op_kind kind, uint8_t flag) {
    if (rank->pending == NONE) return;
    struct step *step = &fold->run->steps.items[rank->pending];
    if (fold->run->ops.items[step->op].kind == kind) step->flags |= flag;
}

/* "main_const_eval_0 with hash: 9b1c..." */
static void on_cache_run(struct rank_state *rank, struct slice text) {
    size_t at = slice_find(text, SLICE(" with hash: "));
    rank->cache_hash = at == SLICE_NONE ? (struct hash128){0, 0} : hash_bytes(slice_skip(text, at + 12));
}

/* The rest of the line after the message, up to the next message, as far as every way of reading the text has it. */
static struct slice rest_of_line(struct slice text, const struct failure *f) {
    struct slice rest = slice_skip(slice_take(text, f->at + FAILURE_WINDOW), f->at + f->length);
    rest = slice_take(rest, slice_find_byte(rest, '\n'));
    if (slice_find(rest, SLICE("\\n")) == SLICE_NONE) return slice_of("", 0); /* it contains nothing to read */
    struct failure next;
    size_t from = f->at + f->length;
    return failure_next_before(text, from, from + rest.len, &next) ? slice_take(rest, next.at - from) : rest;
}

/* `again`: its line is like an earlier one, so the text before and after the message says the same. */
static void on_failure(struct fold *fold, const struct failure_line *its, const struct failure *failure, struct slice text,
                       struct slice before, uint64_t line, bool again) {
    bool is_new;
    struct rank_state *rank = &fold->state[its->failing];
    struct failure_site site = {.step = rank->pending, .rank = (uint16_t)rank->id};
    uint32_t number = run_write_failure(&fold->writer, failure, line, site, &is_new);
    if (number == NONE) return;
    if (is_new && failure_is_memory(failure)) around_keep_line(fold, number, text, failure->at);
    if (is_new) around_site(fold, number)->tag = its->tag;
    struct failure_place place = {
        .line = line, .failure = number, .tag = its->tag, .step = site.step, .rank = (uint16_t)rank->id};
    around_place(fold, &place, is_new, its->lead.shape);
    if (its->lead.escaped) around_escaped(fold, rank, before, true, line);
    const uint64_t had = rank->failures;
    bool is_first = around_failure(fold, rank, number, is_new, before, line);
    if (!again) around_escaped(fold, rank, rest_of_line(text, failure), false, line);
    fold_failed_early(fold, number, line, rank->failures > had);
    if (is_first && failure_is_memory(failure)) programs_unwind(fold, rank, line);
}

/* How many bytes from this offset on belong to the last failure's message. */
static size_t message_left(const struct fold *fold, uint64_t offset) {
    return fold->failure_end > offset ? (size_t)(fold->failure_end - offset) : 0;
}

/* Reads the context of failures in [from, end). `rest`: that is just the rest of the last failure's line; if one of several
 * equal lines said nothing, neither do the others. */
static void read_around(struct fold *fold, uint32_t number, struct slice text, uint64_t base, size_t from, size_t end,
                        bool rest, uint64_t line) {
    struct failure_line *last = &fold->lines[fold->last_line];
    if (from == end) return;
    if (rest && last->quiet && fold->around.traceback == NONE && !fold->around.in_frames) return;
    bool tells = around_text(fold, &fold->state[number], text, from, end, message_left(fold, base + from), line);
    if (rest) last->quiet = !tells;
}

/* Text outside module dumps: failures and their context. A failure ends the programs of its rank, because the exception
 * unwinds them silently. A repetition of the message (exception text, a test's summary) changes nothing. */
static void on_other_text(struct fold *fold, uint32_t number, const struct log_piece *piece, const struct log_event *event) {
    size_t from;
    struct slice text = failure_reach(piece->bytes, (size_t)(event->offset - piece->offset), event->length, &from);
    size_t done = from;
    const size_t end = from + event->length;
    const uint64_t base = event->offset - from;
    if (fold->failure_end > event->offset) from = (size_t)(fold->failure_end - base);
    uint64_t line = fold->first_line + event->line;
    const struct failure *failure;
    struct failure_alike *alike = &fold->alike;
    bool of_failure = false;
    while (event->failure && (failure = failure_alike_search(alike, text, base, from, end))) {
        from = failure->at + failure->length;
        const char *above = memrchr(text.ptr + done, '\n', failure->at - done);
        size_t start = above ? (size_t)(above + 1 - text.ptr) : done;
        struct failure_line *last = &fold->lines[fold->last_line];
        read_around(fold, number, text, base, done, start, of_failure && alike->on && last->chain == alike->chain, line);
        line += lines_between(text.ptr + done, text.ptr + failure->at);
        struct slice before = slice_between(text.ptr + start, text.ptr + failure->at);
        bool again;
        struct failure_line *its = fold_line_like(fold, number, before, &again);
        const bool same_line = of_failure && !memchr(text.ptr + done, '\n', failure->at - done);
        if (same_line) *its = *last; /* its writer is known */
        else if (!again || its->counted) fold_failing_line(fold, number, text, failure->at, its);
        fold->last_line = (uint32_t)(its - fold->lines);
        fold->early_tag = its->early_tag, fold->early_part = its->early_part;
        if (!again) {
            message_lead_read(&its->lead, before);
            its->chain = alike->chain, its->writer = number, its->quiet = false;
        }
        on_failure(fold, its, failure, text, before, line, again);
        done = failure->at;
        of_failure = true;
        fold->failure_end = base + failure->at + failure->length;
    }
    const bool to_eol = base + end <= alike->below && alike->below - (base + end) <= 1; /* with or without the line break */
    read_around(fold, number, text, base, done, end, of_failure && alike->on && to_eol, line);
}

static void on_event(struct fold *fold, const struct log_piece *piece, const struct log_event *event) {
    uint32_t writer = fold_writer(fold, piece->worker, event->rank);
    bool runs = event->kind >= LINE_OP && event->kind <= LINE_FINISH;
    struct rank_state *rank = fold_rank(fold, writer, runs);
    struct slice text = log_event_text(piece, event);
    uint64_t line = fold->first_line + event->line;
    if (runs && rank->closed_line) part_begin(fold, rank, rank->closed_line);
    if (runs) rank->fresh = false;
    bool is_text = event->kind == LINE_TEXT || event->kind == LINE_FOREIGN || event->kind == LINE_RUNTIME_OTHER;
    if (event->kind == LINE_TEXT && fold->torn_ops) torn_ops_try_join(fold, rank, text);
    if (is_text && event->failure) module_is_over(fold, rank);
    if (is_text && (rank->dump.module == NONE || event->failure)) { /* no module contains a message, but one may land in it */
        uint32_t number = rank->id;
        on_other_text(fold, number, piece, event);
        rank = &fold->state[number]; /* a new failing rank may have moved the array */
    }
    switch ((enum line_kind)event->kind) {
        case LINE_OP:
            rank->moments++;
            on_op(fold, rank, fold->op_ids[piece->worker].items[event->value], text, line);
            break;
        case LINE_POOL:
        case LINE_BLOCK_OP:
        case LINE_BLOCK_BEFORE_SUBMIT:
        case LINE_BLOCK_AFTER_SUBMIT:
            if (event->kind != LINE_POOL) rank->moments++; /* in a log without op lines, blocks show that it continues */
            on_block(fold, rank, event, &piece->blocks.items[event->value]);
            break;
        case LINE_START:
            program_start(fold, rank, text, line);
            break;
        case LINE_FINISH:
            rank->moments++;
            program_finish(fold, rank, text, line);
            break;
        case LINE_CACHE_RUN:
            on_cache_run(rank, text);
            break;
        case LINE_CACHE_HIT:
            mark_pending(fold, rank, OP_LOAD_CACHED, STEP_CACHE_HIT);
            break;
        case LINE_CACHE_MISS:
            mark_pending(fold, rank, OP_LOAD_CACHED, STEP_CACHE_MISS);
            break;
        case LINE_TRACE_HIT:
            mark_pending(fold, rank, OP_TRACE, STEP_TRACE_HIT);
            break;
        case LINE_TRACE_MISS:
        case LINE_TRACE_STALE:
            mark_pending(fold, rank, OP_TRACE, STEP_TRACE_MISS);
            break;
        case LINE_RETAINED:
            mark_pending(fold, rank, OP_DEALLOCATE, STEP_RETAINED);
            break;
        case LINE_MODULE_BEGIN:
            module_begin(fold, rank, text, line);
            break;
        case LINE_MODULE_END:
            module_end(fold, rank, run_string(fold->run, fold->writers.items[writer].name));
            break;
        case LINE_TEXT:
            module_add_text(fold, rank, text, event->offset, event->torn);
            break;
        case LINE_DEVICE:
            if (!fold_is_stranger(fold, writer)) part_device_line(fold, rank, text, line);
            break;
        case LINE_SUBFUNC:
            program_is_through(fold, rank, text, line);
            break;
        case LINE_RUNTIME_OTHER:
        case LINE_FOREIGN:
            break;
    }
}

/* If several processes write into one log without tags, lines of one land between a heading and the values of another: the
 * pools that one heading lacks appear elsewhere without a heading. Lost lines do not appear elsewhere. */
static void count_headings(struct fold *fold, const struct rank_state *rank, struct rank *of) {
    unsigned usual = 0;
    uint64_t lacking = rank->blocks_of[0];
    of->headings = lacking;
    for (unsigned pools = 1; pools <= ALL_POOLS; pools++) {
        of->headings += rank->blocks_of[pools];
        if (rank->blocks_of[pools] > (usual ? rank->blocks_of[usual] : 0)) usual = pools;
    }
    of->bare_headings = 0;
    for (unsigned pools = 0; pools <= ALL_POOLS; pools++) {
        unsigned missing = usual & ~pools;
        if (!missing) continue;
        if (pools) lacking += rank->blocks_of[pools];
        uint64_t elsewhere = rank->headless_of[missing];
        of->bare_headings += rank->blocks_of[pools] < elsewhere ? rank->blocks_of[pools] : elsewhere;
    }
    if (lacking > rank->blocks_of[0]) fold_mark_lacking(fold, rank, usual);
    of->backwards = rank->backwards;
    of->crossed_submits = rank->nested_submits < rank->loose_submits ? rank->nested_submits : rank->loose_submits;
}

/* Closes the ranks from `first` on. */
static void close_ranks(struct fold *fold, size_t first) {
    for (size_t i = first; i < fold->state_count; i++) {
        struct rank_state *rank = &fold->state[i];
        fold_settle_block(fold, rank);
        values_flush(fold, rank);
        for (size_t d = 0; d < rank->depth; d++)
            run_write_execution_end(&fold->writer, rank->frames.items[d].execution, false, fold->first_line - !fold->cut_line);
        for (size_t d = 0; d < rank->frames.len; d++) {
            vec_release(&rank->frames.items[d].slots);
            vec_release(&rank->frames.items[d].values);
            vec_release(&rank->frames.items[d].arguments);
        }
        vec_release(&rank->frames);
        rank->depth = 0;
        count_headings(fold, rank, &fold->run->ranks.items[rank->id]);
        fold->run->ranks.items[rank->id].failures = rank->failures;
        strbuf_release(&rank->torn_op_text);
    }
}

static void end_file(struct fold *fold) {
    if (fold->file == NONE) return;
    fold->run->lines += fold->cut_line;
    fold_place_early(fold);
    close_ranks(fold, fold->first_state);
    modules_finish(fold);
    fold_name_ranks(fold);
}

static void next_file(struct fold *fold) {
    end_file(fold);
    fold->file = fold->file == NONE ? 0 : fold->file + 1;
    if (fold->run->file_count) fold->run->reading = strtab_id(&fold->run->strings, fold->names[fold->file]);
    fold->cut_line = false;
    fold->failure_end = 0;
    fold->alike.on = false;
    if (fold->names) fold->first_line = 1;
    fold_begin_ranks(fold);
}

void fold_piece(struct fold *fold, const struct log_piece *piece) {
    while (fold->file == NONE || fold->file < piece->file) next_file(fold);
    fold_learn(fold, piece);
    for (size_t i = 0; i < piece->events.len; i++) on_event(fold, piece, &piece->events.items[i]);
    around_settle_lines(fold);
    if (piece->malformed) {
        run_warn(fold->run, WARN_MALFORMED_POOL, fold->first_line + piece->first_malformed_line);
        fold->run->warnings[WARN_MALFORMED_POOL] += piece->malformed - 1;
    }
    fold->first_line += piece->lines;
    fold->run->lines += piece->lines;
    if (piece->lines || piece->cut_line) fold->cut_line = piece->cut_line; /* otherwise no line starts in it */
    fold->run->products |= piece->products;
    AHEAD_WANT(&fold->ahead, 0, fold->run->blocks);
    AHEAD_WANT(&fold->ahead, 1, fold->run->steps);
    AHEAD_WANT(&fold->ahead, 2, fold->run->tensors);
}

void fold_finish(struct fold *fold) {
    for (; fold->file == NONE || fold->file + 1 < fold->name_count;) next_file(fold);
    end_file(fold);
    fold->run->reading = 0;
    around_finish(fold);
    if (fold->names) fold_choose_names(fold->run);
    fold_sort_ranks(fold->run);
    run_write_end(&fold->writer);
    for (size_t i = 0; i < fold->worker_count; i++) {
        vec_release(&fold->op_ids[i]);
        vec_release(&fold->type_ids[i]);
        vec_release(&fold->tags[i].known);
        vec_release(&fold->tags[i].writers);
    }
    free(fold->op_ids);
    free(fold->type_ids);
    free(fold->tags);
    free(fold->state);
    vec_release(&fold->refs);
    vec_release(&fold->writers);
    vec_release(&fold->early);
    map_release(&fold->cached);
    map_release(&fold->met);
    map_release(&fold->arguments);
    map_release(&fold->exact_types);
    if (fold->joiner) log_worker_release(fold->joiner);
    free(fold->joiner);
    vec_release(&fold->cached_tensors);
}
