/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/show/cb_log_text.h"

#include "base/amounts.h"
#include "cb/show/cb_text.h"
#include "render/format/json_parts.h"

enum { SHOWN = 12, SPARK = 40 };

void cb_clash_write(struct strbuf *out, const struct cb_clash *c) {
    const char *what = c->dataflow ? "dataflow buffers" : "circular buffers";
    if (c->kind == CB_CLASH_RULE) {
        strbuf_addz(out, c->rule ? c->rule : "a rule of circular buffers is broken");
        return;
    }
    if (c->kind == CB_CLASH_NO_ROOM) strbuf_addz(out, "no room for an L1 buffer: a bank is asked for ");
    else if (c->kind == CB_CLASH_TOO_LOW) strbuf_addz(out, "an L1 buffer would come to lie at ");
    else if (c->kind == CB_CLASH_PROGRAM_SIZE) strbuf_addz(out, "program of ");
    else if (c->program) strbuf_addf(out, "program %llu: %s end at ", (unsigned long long)c->program, what);
    else strbuf_addf(out, "%s end at ", what);
    add_grouped(out, c->region_end);
    static const char *const limits[] = {[CB_CLASH_BUFFER] = ", the lowest L1 buffer starts at ",
                                         [CB_CLASH_L1_END] = ", L1 ends at ",
                                         [CB_CLASH_PROGRAM_SIZE] = " B, the kernel config buffer has ",
                                         [CB_CLASH_NO_ROOM] = " B, its largest free block has ",
                                         [CB_CLASH_TOO_LOW] = ", the lowest address it may have is "};
    if (c->kind == CB_CLASH_NO_ROOM && !c->overlap) { /* an older message */
        strbuf_addz(out, " B");
        return;
    }
    strbuf_addz(out, limits[c->kind]);
    add_grouped(out, c->limit);
    strbuf_addz(out, ": ");
    add_grouped(out, c->overlap);
    strbuf_addz(out, " B too many");
}

void cb_partition_write(struct strbuf *out, const struct cb_partition *p) {
    strbuf_addz(out, "L1 of a core  ");
    add_grouped(out, p->worker_l1_bytes);
    strbuf_addz(out, " B, circular buffers from ");
    add_grouped(out, p->base);
    if (p->worker_l1_bytes > p->base && p->worker_l1_bytes - p->base >= p->l1_small_bytes) {
        strbuf_addz(out, ", room of ");
        add_grouped(out, p->worker_l1_bytes - p->base - p->l1_small_bytes);
    }
    strbuf_addz(out, " B, L1_SMALL ");
    add_grouped(out, p->l1_small_bytes);
    strbuf_addz(out, " B");
}

static void clashes_text(struct strbuf *out, const struct term *term, const struct cb_log *log) {
    for (size_t i = 0; i < log->clashes.len && i < SHOWN; i++) {
        const struct cb_clash *c = &log->clashes.items[i];
        term_tone(out, term, TONE_BAD);
        strbuf_addz(out, c->kind == CB_CLASH_RULE ? "  rule   " : "  clash  ");
        term_tone(out, term, TONE_PLAIN);
        cb_clash_write(out, c);
        if (c->text.len) {
            strbuf_addz(out, ": ");
            term_text(out, term, c->text, 160);
        }
        if (c->cores.len) strbuf_addz(out, "  ");
        term_text(out, term, c->cores, 60);
        strbuf_addf(out, "  line %llu", (unsigned long long)c->line);
        if (c->times > 1) strbuf_addf(out, ", %llu times", (unsigned long long)c->times);
        strbuf_addc(out, '\n');
    }
    if (log->clashes.len > SHOWN) strbuf_addf(out, "  ... and %zu more\n", log->clashes.len - SHOWN);
}

static void pools_text(struct strbuf *out, const struct term *term, const struct cb_log *log) {
    for (size_t i = 0; i < log->pools.len; i++) {
        const struct cb_pool_record *p = &log->pools.items[i];
        strbuf_addz(out, "  ");
        struct strbuf name = {0};
        term_text(&name, term, p->type, 16);
        text_left(out, strbuf_slice(&name), 10);
        strbuf_release(&name);
        strbuf_addf(out, "%llu allocations, %llu deallocations, peak ", (unsigned long long)p->allocations,
                    (unsigned long long)p->deallocations);
        add_grouped(out, p->peak_bytes);
        strbuf_addz(out, " B, live at the end ");
        add_grouped(out, p->live_bytes);
        strbuf_addz(out, " B\n");
    }
}

/* The level over time as a row of blocks. */
static void spark(struct strbuf *out, const struct term *term, const struct cb_runtime_buffer *b, uint64_t span) {
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    if (!b->levels.len || !b->peak_tiles || !term->utf8) return;
    size_t at = 0;
    uint32_t level = 0;
    for (unsigned i = 0; i < SPARK; i++) {
        uint64_t until = span * (i + 1) / SPARK;
        uint32_t most = level;
        for (; at < b->levels.len && b->levels.items[at].time <= until; at++) {
            level = b->levels.items[at].tiles;
            if (level > most) most = level;
        }
        strbuf_addz(out, blocks[(uint64_t)most * 8 / b->peak_tiles]);
    }
}

static void events_text(struct strbuf *out, const struct term *term, const struct cb_runtime *r) {
    if (!r->buffers.len) return;
    strbuf_addf(out, "\n  circular buffers at run time, %u core%s, level over %llu cycles of core ", r->n_cores,
                r->n_cores == 1 ? "" : "s", (unsigned long long)r->span);
    term_text(out, term, r->busiest, 40);
    strbuf_addc(out, '\n');
    term_tone(out, term, TONE_DIM);
    strbuf_addz(out, "  CB    reserve     push     wait      pop   peak  reserve wait    front wait   longest\n");
    term_tone(out, term, TONE_PLAIN);
    for (size_t i = 0; i < r->buffers.len; i++) {
        const struct cb_runtime_buffer *b = &r->buffers.items[i];
        strbuf_addf(out, "  %-4u", b->cb);
        for (unsigned op = 0; op < CB_EVENT_OPS; op++) strbuf_addf(out, "%9llu", (unsigned long long)b->counts[op]);
        strbuf_addf(out, "%7u%14llu%14llu%10llu  ", b->peak_tiles, (unsigned long long)b->reserve_wait,
                    (unsigned long long)b->front_wait, (unsigned long long)b->longest_wait);
        spark(out, term, b, r->span);
        if (b->unbalanced) strbuf_addz(out, "  pushed and popped tiles differ");
        strbuf_addc(out, '\n');
    }
}

static void kernels_text(struct strbuf *out, const struct term *term, const struct cb_log *log) {
    uint64_t total = 0;
    for (size_t i = 0; i < log->kernels.len; i++) total += log->kernels.items[i].bytes;
    if (!log->kernels.len) return;
    strbuf_addf(out, "\n  %zu kernel binaries, ", log->kernels.len);
    add_grouped(out, total);
    strbuf_addz(out, " B\n");
    for (size_t i = 0; i < log->kernels.len && i < SHOWN; i++) {
        const struct cb_kernel_size *k = &log->kernels.items[i];
        struct strbuf bytes = {0};
        add_grouped(&bytes, k->bytes);
        text_right(out, strbuf_slice(&bytes), 12);
        strbuf_release(&bytes);
        strbuf_addz(out, " B  RISC ");
        term_text(out, term, k->risc, 12);
        strbuf_addz(out, "  ");
        term_text(out, term, k->name, 80);
        strbuf_addc(out, '\n');
    }
}

static void ops_text(struct strbuf *out, const struct term *term, const struct cb_log *log) {
    if (!log->ops.len) return;
    strbuf_addf(out, "\n  %zu op%s\n", log->ops.len, log->ops.len == 1 ? "" : "s");
    for (size_t i = 0; i < log->ops.len && i < SHOWN; i++) {
        const struct cb_op_record *op = &log->ops.items[i];
        strbuf_addf(out, "  %8llu x  ", (unsigned long long)op->begun);
        term_text(out, term, op->name, 60);
        if (op->ns) strbuf_addf(out, "  %llu ns in all", (unsigned long long)op->ns);
        if (op->ended < op->begun) strbuf_addf(out, "  %llu never ended", (unsigned long long)(op->begun - op->ended));
        strbuf_addc(out, '\n');
    }
}

static void captured_text(struct strbuf *out, const struct term *term, const struct cb_log *log) {
    cb_capture_ops ops = {0};
    cb_capture_by_op(&ops, log);
    if (ops.len) strbuf_addf(out, "\n  circular buffers of the capture by op: bytes on the fullest core, times, buffers\n");
    for (size_t i = 0; i < ops.len && i < 40; i++) {
        struct strbuf bytes = {0};
        add_grouped(&bytes, ops.items[i].bytes);
        text_right(out, strbuf_slice(&bytes), 14);
        strbuf_release(&bytes);
        strbuf_addf(out, " B  %llu x %llu buffer%s", (unsigned long long)ops.items[i].programs,
                    (unsigned long long)ops.items[i].buffers, ops.items[i].buffers == 1 ? "" : "s");
        if (ops.items[i].globally_allocated)
            strbuf_addf(out, ", %llu tensor-backed", (unsigned long long)ops.items[i].globally_allocated);
        strbuf_addz(out, "  ");
        term_text(out, term, ops.items[i].op, 60);
        strbuf_addc(out, '\n');
    }
    vec_release(&ops);
}

void cb_log_text(struct strbuf *out, const struct term *term, const struct cb_log *log, const struct cb_runtime *runtime,
                 struct slice name, bool is_sample) {
    if (is_sample) {
        term_tone(out, term, TONE_WARN);
        strbuf_addz(out, "Built-in sample, not a log of yours");
        term_tone(out, term, TONE_PLAIN);
        strbuf_addz(out, ": ttmem cb log LOG reads one\n");
    } else {
        term_tone(out, term, TONE_BOLD);
        term_text(out, term, name, 0);
        term_tone(out, term, TONE_PLAIN);
        if (log->captured.len)
            strbuf_addf(out, "%sgraph capture%s%zu circular buffer%s\n", term_dot(term), term_dot(term), log->captured.len,
                        log->captured.len == 1 ? "" : "s");
        else
            strbuf_addf(out, "%s%llu lines%s%zu clash%s\n", term_dot(term), (unsigned long long)log->lines, term_dot(term),
                        log->clashes.len, log->clashes.len == 1 ? "" : "es");
    }
    if (log->cut) {
        term_tone(out, term, TONE_WARN);
        strbuf_addz(out, "  the compressed data ends early or is damaged: this is what comes before\n");
        term_tone(out, term, TONE_PLAIN);
    }
    if (log->partition.seen) {
        strbuf_addz(out, "  ");
        cb_partition_write(out, &log->partition);
        strbuf_addc(out, '\n');
    }
    clashes_text(out, term, log);
    pools_text(out, term, log);
    events_text(out, term, runtime);
    captured_text(out, term, log);
    kernels_text(out, term, log);
    ops_text(out, term, log);
    if (log->gaps)
        strbuf_addf(out, "\n  %llu program%s with gaps in the circular buffer indices\n", (unsigned long long)log->gaps,
                    log->gaps == 1 ? "" : "s");
    if (log->malformed)
        strbuf_addf(out, "\n  %llu line%s of a known form could not be read\n", (unsigned long long)log->malformed,
                    log->malformed == 1 ? "" : "s");
    if (log->events_dropped)
        strbuf_addf(out, "  %llu events beyond the limit were not kept\n", (unsigned long long)log->events_dropped);
}

/* --- json --- */

static void events_json(struct json *j, const struct cb_runtime *r) {
    json_key(j, "cb_events");
    json_array(j);
    for (size_t i = 0; i < r->buffers.len; i++) {
        const struct cb_runtime_buffer *b = &r->buffers.items[i];
        json_object(j);
        json_member_u64(j, "index", b->cb);
        for (unsigned op = 0; op < CB_EVENT_OPS; op++) json_member_u64(j, cb_event_names[op], b->counts[op]);
        json_member_u64(j, "peak_tiles", b->peak_tiles);
        json_member_u64(j, "reserve_wait_cycles", b->reserve_wait);
        json_member_u64(j, "front_wait_cycles", b->front_wait);
        json_member_u64(j, "longest_wait_cycles", b->longest_wait);
        json_member_bool(j, "balanced", !b->unbalanced);
        json_key(j, "level");
        json_array(j);
        for (size_t k = 0; k < b->levels.len; k++) {
            json_array(j);
            json_u64(j, b->levels.items[k].time);
            json_u64(j, b->levels.items[k].tiles);
            json_array_end(j);
        }
        json_array_end(j);
        json_object_end(j);
    }
    json_array_end(j);
    json_member_u64(j, "core_count", r->n_cores);
}

/* Writes the pool's name; an unknown type is written as it is. */
static void pool_member(struct json *j, struct slice type) {
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (slice_equal(type, slice_from(pool_names[pool]))) type = slice_from(pool_keys[pool]);
    if (slice_equal(type, SLICE("SYSTEM_MEMORY"))) type = SLICE("system_memory");
    json_member_str(j, "pool", type);
}

void cb_log_json(struct json *j, const struct cb_log *log, const struct cb_runtime *runtime) {
    static const char *const kinds[CB_CLASH_KINDS] = {
        [CB_CLASH_BUFFER] = "clash_with_l1_buffer",    [CB_CLASH_L1_END] = "beyond_l1",
        [CB_CLASH_PROGRAM_SIZE] = "program_too_large", [CB_CLASH_NO_ROOM] = "no_room_for_l1_buffer",
        [CB_CLASH_TOO_LOW] = "l1_buffer_too_low",      [CB_CLASH_RULE] = "rule"};
    json_member_u64(j, "lines", log->lines);
    json_key(j, "partition");
    if (log->partition.seen) {
        json_object(j);
        json_member_u64(j, "worker_l1_bytes", log->partition.worker_l1_bytes);
        json_member_u64(j, "base", log->partition.base);
        json_member_u64(j, "l1_small_bytes", log->partition.l1_small_bytes);
        uint64_t taken = log->partition.base + log->partition.l1_small_bytes;
        json_member_u64_if(j, "room_bytes", log->partition.worker_l1_bytes >= taken, log->partition.worker_l1_bytes - taken);
        json_member_u64(j, "capacity_bytes_per_bank", log->partition.bank_bytes);
        json_member_u64(j, "allocatable_bytes", log->partition.allocatable_bytes);
        json_object_end(j);
    } else {
        json_null(j);
    }
    json_key(j, "clashes");
    json_array(j);
    for (size_t i = 0; i < log->clashes.len; i++) {
        const struct cb_clash *c = &log->clashes.items[i];
        json_object(j);
        json_member_text(j, "kind", kinds[c->kind]);
        json_member_u64_if(j, "program_id", c->program > 0, c->program);
        json_member_text_or_null(j, "core_range", c->cores);
        bool of_rule = c->kind == CB_CLASH_RULE;
        json_member_text(j, "rule", of_rule ? c->rule : NULL);
        json_member_text_or_null(j, "text", of_rule ? c->text : slice_of("", 0));
        json_member_u64_if(j, "end_address", !of_rule, c->region_end);
        json_member_u64_if(j, "limit", !of_rule, c->limit);
        json_member_u64_if(j, "overlap_bytes", !of_rule, c->overlap);
        json_member_u64(j, "line", c->line);
        json_member_u64(j, "times", c->times);
        json_object_end(j);
    }
    json_array_end(j);
    json_key(j, "allocations");
    json_array(j);
    for (size_t i = 0; i < log->pools.len; i++) {
        const struct cb_pool_record *p = &log->pools.items[i];
        json_object(j);
        pool_member(j, p->type);
        json_member_u64(j, "allocation_count", p->allocations);
        json_member_u64(j, "deallocation_count", p->deallocations);
        json_member_u64(j, "peak_bytes", p->peak_bytes);
        json_member_u64(j, "live_bytes", p->live_bytes);
        json_object_end(j);
    }
    json_array_end(j);
    events_json(j, runtime);
    json_key(j, "captured");
    json_array(j);
    for (size_t i = 0; i < log->captured.len; i++) {
        const struct cb_capture_cb *cb = &log->captured.items[i];
        json_object(j);
        json_member_text_or_null(j, "op_name", cb->op);
        json_member_u64(j, "total_bytes", cb->bytes);
        json_member_bool(j, "tensor_backed", cb->globally_allocated);
        json_member_u64(j, "device_id", cb->device);
        json_member_text_or_null(j, "core_range", cb->cores);
        json_object_end(j);
    }
    json_array_end(j);
    json_key(j, "kernels");
    json_array(j);
    for (size_t i = 0; i < log->kernels.len; i++) {
        json_object(j);
        json_member_str(j, "risc", log->kernels.items[i].risc);
        json_member_str(j, "name", log->kernels.items[i].name);
        json_member_u64(j, "binary_bytes", log->kernels.items[i].bytes);
        json_object_end(j);
    }
    json_array_end(j);
    json_key(j, "ops");
    json_array(j);
    for (size_t i = 0; i < log->ops.len; i++) {
        json_object(j);
        json_member_str(j, "name", log->ops.items[i].name);
        json_member_u64(j, "begun", log->ops.items[i].begun);
        json_member_u64(j, "ended", log->ops.items[i].ended);
        json_member_u64(j, "duration_ns", log->ops.items[i].ns);
        json_object_end(j);
    }
    json_array_end(j);
    json_member_u64(j, "malformed_lines", log->malformed);
    json_member_u64(j, "dropped_events", log->events_dropped);
    json_member_bool(j, "input_cut", log->cut);
}
