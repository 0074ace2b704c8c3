/* SPDX-License-Identifier: Apache-2.0 */
#include "model/watch.h"

#include <stdlib.h>

#include "model/op_types.h"
#include "model/pieces.h"
#include "parse/failure/failure.h"

enum { MAX_DEPTH = 16 };

struct watch {
    struct piece_feed pieces;
    VEC(bool) counts; /* op id -> is it a record? */
    char running[MAX_DEPTH][WATCH_NAME];
    size_t depth;       /* may exceed MAX_DEPTH */
    bool in_ttnn;       /* inside a dump of a TTNN module */
    uint64_t op_blocks; /* blocks, except those before frees */
    struct watch_status status;
};

static void copy_name(char *out, struct slice name) {
    name = slice_take(name, WATCH_NAME - 1);
    memcpy(out, name.ptr, name.len);
    out[name.len] = '\0';
}

static void show_program(struct watch *watch) {
    size_t top = watch->depth < MAX_DEPTH ? watch->depth : MAX_DEPTH;
    if (top) memcpy(watch->status.program, watch->running[top - 1], WATCH_NAME);
    else watch->status.program[0] = '\0';
}

static void on_start(struct watch *watch, struct slice name) {
    if (!watch->depth) watch->status.programs_started++;
    if (watch->depth < MAX_DEPTH) copy_name(watch->running[watch->depth], name);
    watch->depth++;
    show_program(watch);
}

/* Programs in between ended without a log line. */
static void on_finish(struct watch *watch, struct slice name) {
    char wanted[WATCH_NAME];
    copy_name(wanted, name);
    size_t depth = watch->depth < MAX_DEPTH ? watch->depth : MAX_DEPTH;
    while (depth && strcmp(watch->running[depth - 1], wanted) != 0) depth--;
    if (!depth) return;
    watch->depth = depth - 1;
    if (!watch->depth) watch->status.programs_finished++;
    show_program(watch);
}

static void on_block(struct watch *watch, const struct log_block *block) {
    struct watch_status *s = &watch->status;
    /* a block may come in two pieces, but its first pool comes once */
    if (block->have & 1u << POOL_DRAM) {
        s->blocks++;
        watch->op_blocks += op_type_is_op(block->op_type);
    }
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        if (!(block->have & 1u << pool)) continue;
        s->now[pool] = block->pools[pool];
        s->seen[pool] = true;
        if (block->pools[pool].allocated > s->peak[pool]) s->peak[pool] = block->pools[pool].allocated;
    }
}

static void on_op(struct watch *watch, uint32_t id) {
    watch->status.op_lines++;
    if (id >= watch->counts.len || watch->counts.items[id]) watch->status.ops++;
}

static void on_module(struct watch *watch, struct slice heading) {
    struct log_line read;
    logline_read(heading, &read);
    if (watch->status.modules && !slice_starts(read.text, SLICE("ttnn"))) watch->status.next_compilation = true;
    watch->in_ttnn = slice_starts(read.text, SLICE("ttnn"));
}

static bool holds_failure(const struct log_piece *piece, const struct log_event *event) {
    size_t from;
    struct slice text = failure_reach(piece->bytes, (size_t)(event->offset - piece->offset), event->length, &from);
    struct failure failure;
    const size_t end = from + event->length;
    for (; failure_next_before(text, from, end, &failure); from = failure.at + failure.length)
        if (failure_is_memory(&failure)) return true;
    return false;
}

static void on_event(struct watch *watch, const struct log_piece *piece, const struct log_event *event) {
    struct slice text = log_event_text(piece, event);
    if (event->failure && !watch->status.failed && !watch->in_ttnn) watch->status.failed = holds_failure(piece, event);
    switch ((enum line_kind)event->kind) {
        case LINE_OP:
            on_op(watch, event->value);
            break;
        case LINE_POOL:
        case LINE_BLOCK_OP:
        case LINE_BLOCK_BEFORE_SUBMIT:
        case LINE_BLOCK_AFTER_SUBMIT:
            on_block(watch, &piece->blocks.items[event->value]);
            break;
        case LINE_START:
            on_start(watch, text);
            break;
        case LINE_FINISH:
            on_finish(watch, text);
            break;
        case LINE_MODULE_BEGIN:
            on_module(watch, text);
            break;
        case LINE_MODULE_END:
            if (watch->in_ttnn) watch->status.modules++;
            watch->in_ttnn = false;
            break;
        default:
            break;
    }
}

static void take_piece(void *context, const struct log_piece *piece) {
    struct watch *watch = context;
    for (size_t i = 0; i < piece->new_ops.len; i++) {
        const struct log_op *op = &piece->new_ops.items[i];
        enum op_kind kind = op_kind_of(op->name, op->attributes);
        while (watch->counts.len <= op->id) vec_push(&watch->counts, true);
        watch->counts.items[op->id] = kind != OP_DEALLOCATE && kind != OP_GET_DEVICE;
    }
    for (size_t i = 0; i < piece->events.len; i++) on_event(watch, piece, &piece->events.items[i]);
    if (!watch->status.op_lines) watch->status.ops = watch->op_blocks;
}

struct watch *watch_new(void) {
    struct watch *watch = mem_zalloc(1, sizeof *watch);
    watch->pieces.at_once = true;
    watch->pieces.taker = (struct piece_taker){.context = watch, .take = take_piece, .keep_ops = true};
    return watch;
}

void watch_free(struct watch *watch) {
    piece_feed_release(&watch->pieces);
    vec_release(&watch->counts);
    free(watch);
}

char *watch_room(struct watch *watch, size_t size) { return piece_feed_room(&watch->pieces, size); }

void watch_took(struct watch *watch, size_t size) {
    watch->status.bytes += size;
    piece_feed_took(&watch->pieces, size);
}

const struct watch_status *watch_status(const struct watch *watch) { return &watch->status; }
