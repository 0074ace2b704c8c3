/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/study/cb_runtime.h"

#include "base/mem.h"
#include "usage/program.h"

/* If the order within one moment matters, calls that empty come first. */
static int by_core_and_time(const void *a, const void *b) {
    const struct cb_event *x = a, *y = b;
    if (x->core != y->core) return x->core < y->core ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    if (x->cb != y->cb) return x->cb < y->cb ? -1 : 1;
    return (int)y->op - (int)x->op;
}

static struct cb_runtime_buffer *buffer_of(struct cb_runtime *out, uint16_t cb) {
    for (size_t i = 0; i < out->buffers.len; i++)
        if (out->buffers.items[i].cb == cb) return &out->buffers.items[i];
    vec_push(&out->buffers, ((struct cb_runtime_buffer){.cb = cb}));
    return &vec_last(&out->buffers);
}

static int by_index(const void *a, const void *b) {
    return (int)((const struct cb_runtime_buffer *)a)->cb - (int)((const struct cb_runtime_buffer *)b)->cb;
}

static void fold_core(struct cb_runtime *out, const struct cb_event *events, size_t n, bool keep_levels) {
    int64_t level[64] = {0};
    for (size_t i = 0; i < n; i++) {
        const struct cb_event *e = &events[i];
        struct cb_runtime_buffer *b = buffer_of(out, e->cb);
        uint64_t wait = e->end - e->begin;
        b->counts[e->op]++;
        b->tiles[e->op] += e->tiles;
        if (e->op == CB_EVENT_RESERVE) b->reserve_wait += wait;
        if (e->op == CB_EVENT_WAIT) b->front_wait += wait;
        if ((e->op == CB_EVENT_RESERVE || e->op == CB_EVENT_WAIT) && wait > b->longest_wait) b->longest_wait = wait;
        if (e->op != CB_EVENT_PUSH && e->op != CB_EVENT_POP) continue;
        level[e->cb] += e->op == CB_EVENT_PUSH ? (int64_t)e->tiles : -(int64_t)e->tiles;
        if (level[e->cb] < 0) {
            b->unbalanced = true;
            level[e->cb] = 0;
        }
        if (level[e->cb] > b->peak_tiles) b->peak_tiles = (uint32_t)(level[e->cb] < UINT32_MAX ? level[e->cb] : UINT32_MAX);
        if (keep_levels) vec_push(&b->levels, ((struct cb_level_point){e->end - events[0].end, (uint32_t)level[e->cb]}));
    }
    for (size_t i = 0; i < out->buffers.len; i++)
        if (level[out->buffers.items[i].cb]) out->buffers.items[i].unbalanced = true;
}

void cb_runtime_make(struct cb_runtime *out, struct cb_log *log) {
    *out = (struct cb_runtime){.busiest = SLICE("")};
    if (!log->events.len) return;
    qsort(log->events.items, log->events.len, sizeof *log->events.items, by_core_and_time);
    size_t best = 0, best_len = 0;
    for (size_t i = 0, end; i < log->events.len; i = end) {
        for (end = i; end < log->events.len && log->events.items[end].core == log->events.items[i].core; end++) {
        }
        out->n_cores++;
        if (end - i > best_len) best = i, best_len = end - i;
    }
    for (size_t i = 0, end; i < log->events.len; i = end) {
        for (end = i; end < log->events.len && log->events.items[end].core == log->events.items[i].core; end++) {
        }
        fold_core(out, &log->events.items[i], end - i, i == best);
    }
    out->busiest = strtab_get(&log->cores, log->events.items[best].core);
    out->span = log->events.items[best + best_len - 1].end - log->events.items[best].end;
    qsort(out->buffers.items, out->buffers.len, sizeof *out->buffers.items, by_index);
}

void cb_runtime_release(struct cb_runtime *runtime) {
    for (size_t i = 0; i < runtime->buffers.len; i++) vec_release(&runtime->buffers.items[i].levels);
    vec_release(&runtime->buffers);
}

static struct cb_capture_op *op_of(cb_capture_ops *ops, struct slice name) {
    for (size_t i = ops->len; i-- > 0;)
        if (slice_equal(ops->items[i].op, name)) return &ops->items[i];
    vec_push(ops, ((struct cb_capture_op){.op = name}));
    return &vec_last(ops);
}

/* The buffers of one program on one device: those on the same core add up. */
static struct cb_capture_op program_of(const struct cb_capture_cb *first, const struct cb_capture_cb *end, bool *counted) {
    struct cb_capture_op out = {.op = first->op};
    struct program_memory memory = {0};
    struct core_ranges ranges = {0};
    for (const struct cb_capture_cb *cb = first; cb < end && cb->program == first->program; cb++) {
        if (cb->device != first->device) continue;
        counted[cb - first] = true;
        out.buffers++;
        out.globally_allocated += cb->globally_allocated;
        if (cb->globally_allocated) continue;
        if (core_ranges_parse(&ranges, cb->cores) != CORE_TEXT_OK) ranges.len = 0;
        program_add(&memory,
                    &(struct mem_event){
                        .kind = MEM_CIRCULAR_BUFFER, .size = cb->bytes, .ranges = ranges.items, .ranges_len = ranges.len});
    }
    out.bytes = memory.most.circular > 0 ? (uint64_t)memory.most.circular : 0;
    core_ranges_release(&ranges);
    program_free(&memory);
    return out;
}

void cb_capture_by_op(cb_capture_ops *out, const struct cb_log *log) {
    if (!log->captured.len) return;
    const struct cb_capture_cb *all = log->captured.items, *end = all + log->captured.len;
    bool *counted = mem_zalloc(log->captured.len + 1, sizeof *counted);
    for (size_t i = 0; i < log->captured.len; i++) {
        if (counted[i]) continue;
        struct cb_capture_op one = program_of(&all[i], end, counted + i), *op = op_of(out, one.op);
        op->programs++;
        if (op->programs > 1 && one.bytes <= op->bytes) continue;
        one.programs = op->programs;
        *op = one;
    }
    free(counted);
}
