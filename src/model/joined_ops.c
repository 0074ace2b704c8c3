/* SPDX-License-Identifier: Apache-2.0 */
/* Op lines that were torn. The runtime writes a line longer than its output buffer in several pieces, and another writer's
 * line can land in between:
 * <first part of the op><a line of another logger>
 * <rest of the op>
 * The parts are joined if that gives an op with balanced brackets; otherwise nothing changes. */
#include "model/fold.h"
#include "scan/find.h"

enum { JOINER = 64, LONGEST_OP = 16 << 20 };

void torn_op_read(struct fold *fold, struct rank_state *rank, uint32_t step, struct slice text) {
    struct frame *frame = frame_top(rank);
    const struct execution *execution = frame ? &fold->run->executions.items[frame->execution] : NULL;
    rank->torn_op = step;
    fold->torn_ops = true;
    rank->torn_keys[0] = execution ? execution->place_key : 0;
    rank->torn_keys[1] = execution ? execution->text_key : 0;
    strbuf_clear(&rank->torn_op_text);
    if (text.len < LONGEST_OP) strbuf_add(&rank->torn_op_text, text);
}

/* Parses the parts as one op line; returns the op's id, or NONE if they do not make a complete one. */
static uint32_t join(struct fold *fold, struct slice first, struct slice rest) {
    struct run *run = fold->run;
    if (!fold->joiner) {
        fold->joiner = mem_zalloc(1, sizeof *fold->joiner);
        log_worker_init(fold->joiner, JOINER, true);
    }
    struct strbuf line = {0};
    strbuf_addz(&line, "RuntimeTTNN | DEBUG | Executing operation: ");
    strbuf_add(&line, first);
    strbuf_add(&line, rest);
    struct slice bytes = arena_copy(&run->arena, strbuf_slice(&line));
    strbuf_release(&line);
    struct log_piece piece = {0};
    log_parse(fold->joiner, &piece, bytes, 0, bytes.len, 0);
    uint32_t id = fold_learn(fold, &piece);
    if (id != NONE && run->ops.items[id].truncated) id = NONE;
    if (id != NONE && !run->ops.items[id].text && piece.new_ops.len) {
        /* the text is not in the log in one piece */
        run->ops.items[id].text = strtab_id(&run->strings, piece.new_ops.items[0].text);
    }
    log_piece_release(&piece);
    return id;
}

/* The start of another logger's line inside the op's text: a date and time. */
static size_t foreign_start(struct slice text) {
    static const char shape[] = "dddd-dd-dd dd:dd:dd.";
    enum { LEN = sizeof shape - 1 };
    for (size_t i = 1; i + LEN <= text.len; i++) {
        if (text.ptr[i + 4] != '-' || text.ptr[i + 7] != '-') continue;
        size_t k = 0;
        while (k < LEN && (shape[k] == 'd' ? text.ptr[i + k] >= '0' && text.ptr[i + k] <= '9' : text.ptr[i + k] == shape[k]))
            k++;
        if (k == LEN) return i;
    }
    return SLICE_NONE;
}

static void replace_op(struct fold *fold, const struct rank_state *rank, uint32_t number, uint32_t id) {
    struct run *run = fold->run;
    struct step *step = &run->steps.items[number];
    const struct op *op = &run->ops.items[id];
    step->op = id;
    run->warnings[WARN_TRUNCATED_OP]--;
    run_warn(run, WARN_JOINED_OP, step->line);
    if (step->execution == NONE) return;
    struct execution *execution = &run->executions.items[step->execution];
    execution->place_key = sequence_key(rank->torn_keys[0], hash_mix(op->key, op->place_key));
    execution->text_key = sequence_key(rank->torn_keys[1], op->hash.low);
}

static void try_join(struct fold *fold, struct rank_state *rank, struct slice rest) {
    uint32_t torn = rank->torn_op;
    rank->torn_op = NONE;
    /* only the rank's last op can continue, and only if nothing else follows it */
    if (torn != rank->pending || module_is_open(fold, rank) || !rank->torn_op_text.len) return;
    struct slice first = strbuf_slice(&rank->torn_op_text);
    size_t cut = foreign_start(first);
    uint32_t id = join(fold, slice_take(first, cut), rest);
    if (id == NONE && cut != SLICE_NONE) id = join(fold, first, rest);
    if (id != NONE) replace_op(fold, rank, torn, id);
}

static bool any_torn(const struct fold *fold) {
    for (size_t i = 0; i < fold->state_count; i++)
        if (fold->state[i].torn_op != NONE) return true;
    return false;
}

/* For untagged lines and mpirun's tag, the first line decides. Under other tags, which are removed from the text, lines of
 * several ranks alternate: each continues its own rank's op. */
void torn_ops_try_join(struct fold *fold, struct rank_state *rank, struct slice text) {
    enum { MOST_LINES = 64 };
    const char *end = text.ptr + text.len;
    struct slice tag = {0}, rest;
    fold->torn_ops = any_torn(fold);
    if (fold->first_writer == NONE) {
        rest = logline_strip_prefix(slice_between(text.ptr, find_eol(text.ptr, end)), &tag);
        if (rank->torn_op != NONE) try_join(fold, rank, rest);
        return;
    }
    for (unsigned i = 0; i < MOST_LINES && text.len && fold->torn_ops; i++) {
        struct slice line = slice_between(text.ptr, find_eol(text.ptr, end));
        struct rank_state *of = fold_text_rank(fold, line, &rest);
        if (!of && !i) {
            of = rank;
            rest = logline_strip_prefix(line, &tag);
        }
        if (of && of->torn_op != NONE) try_join(fold, of, rest);
        text = slice_skip(text, line.len < text.len ? line.len + 1 : text.len);
    }
}
