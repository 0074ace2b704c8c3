/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/study/cb_log.h"

#include "base/num.h"
#include "base/strbuf.h"
#include "base/table/map.h"
#include "parse/failure/alike.h"
#include "parse/foreign/graph_or_end.h"
#include "parse/logline.h"
#include "scan/count.h"

enum { MAX_RECORDS = 4096, MAX_EVENTS = 8000000 };

const char *const cb_event_names[CB_EVENT_OPS] = {"cb_reserve_back", "cb_push_back", "cb_wait_front", "cb_pop_front"};

/* --- reading pieces of a line --- */

/* Moves past the next `word`; false if there is none. */
static bool skip_to(struct slice *s, const char *word) {
    size_t at = slice_find(*s, slice_from(word));
    if (at == SLICE_NONE) return false;
    *s = slice_skip(*s, at + strlen(word));
    return true;
}

static bool take_number(struct slice *s, uint64_t *out) {
    while (s->len && s->ptr[0] == ' ') *s = slice_skip(*s, 1);
    if (s->len > 2 && s->ptr[0] == '0' && (s->ptr[1] | 32) == 'x') {
        uint64_t n = 0;
        size_t i = 2;
        for (; i < s->len && i < 18; i++) {
            char c = s->ptr[i], lower = (char)(c | 32);
            if (c >= '0' && c <= '9') n = n * 16 + (uint64_t)(c - '0');
            else if (lower >= 'a' && lower <= 'f') n = n * 16 + (uint64_t)(lower - 'a' + 10);
            else break;
        }
        *s = slice_skip(*s, i);
        *out = n;
        return i > 2;
    }
    size_t used = num_read_u64(*s, out);
    *s = slice_skip(*s, used);
    return used > 0;
}

static bool number_after(struct slice *s, const char *word, uint64_t *out) { return skip_to(s, word) && take_number(s, out); }

static struct slice text_until(struct slice *s, const char *word) {
    size_t at = slice_find(*s, slice_from(word));
    struct slice taken = at == SLICE_NONE ? *s : slice_take(*s, at);
    *s = at == SLICE_NONE ? slice_skip(*s, s->len) : slice_skip(*s, at + strlen(word));
    return slice_trim(slice_take(taken, 400));
}

/* --- one function per form; each gets the text after its opening words --- */

typedef bool form_fn(struct cb_log *log, struct slice s);

static bool read_configured(struct cb_log *log, struct slice s) {
    struct cb_partition *p = &log->partition;
    if (!number_after(&s, "worker_l1_size:", &p->worker_l1_bytes) || !number_after(&s, "l1_unreserved_base:", &p->base))
        return false;
    number_after(&s, "l1_small_size:", &p->l1_small_bytes);
    p->seen = true;
    p->line = log->lines;
    return true;
}

static bool read_derived(struct cb_log *log, struct slice s) {
    struct cb_partition *p = &log->partition;
    if (!number_after(&s, "l1_bank_size:", &p->bank_bytes)) return false;
    number_after(&s, "allocatable_l1_size:", &p->allocatable_bytes);
    p->seen = true;
    return true;
}

static struct hash128 clash_key(const struct cb_clash *c) {
    struct hash128 cores = hash_bytes(c->cores), text = hash_bytes(c->text);
    const uint64_t all[] = {(uint64_t)c->kind, c->dataflow, c->program, c->region_end, c->limit,
                            cores.low,         cores.high,  text.low,   text.high};
    return hash_bytes(slice_of((const char *)all, sizeof all));
}

/* `known`: places of those that were added, by clash_key; as many as MAX_RECORDS are kept. */
static void add_clash(struct cb_log *log, struct map *known, struct cb_clash c) {
    c.overlap = c.region_end > c.limit ? c.region_end - c.limit : 0;
    c.times = 1;
    if (c.kind == CB_CLASH_TOO_LOW) c.overlap = c.limit > c.region_end ? c.limit - c.region_end : 0;
    if (c.kind == CB_CLASH_RULE) c.overlap = 0;
    bool added;
    uint32_t *place = map_at(known, clash_key(&c), &added);
    if (!added) {
        if (*place < log->clashes.len) log->clashes.items[*place].times++;
        return;
    }
    *place = (uint32_t)log->clashes.len;
    if (log->clashes.len >= MAX_RECORDS) return;
    c.cores = arena_copy(&log->arena, c.cores);
    c.text = arena_copy(&log->arena, c.text);
    vec_push(&log->clashes, c);
}

/* The message of a broken rule: to the end of its line, without the place where it was thrown. */
static struct slice rule_text(struct slice text, size_t at) {
    struct slice message = slice_skip(text, at);
    size_t end = slice_find_byte(slice_take(message, 400), '\n');
    message = slice_take(message, end == SLICE_NONE ? (message.len < 400 ? message.len : 400) : end);
    size_t thrown = slice_find(message, SLICE(" (assert.hpp"));
    return slice_trim(thrown == SLICE_NONE ? message : slice_take(message, thrown));
}

/* Reads clashes and overflows in all their wordings, as failure.h finds them. */
static void read_failures(struct cb_log *log, struct slice text) {
    static const struct {
        enum failure_kind from;
        enum cb_clash_kind kind;
        bool dataflow;
        enum failure_number end, limit;
    } rows[] = {
        {FAILURE_CB_CLASH, CB_CLASH_BUFFER, false, FAILURE_REGION_END, FAILURE_L1_ADDRESS},
        {FAILURE_DFB_CLASH, CB_CLASH_BUFFER, true, FAILURE_REGION_END, FAILURE_L1_ADDRESS},
        {FAILURE_CB_BEYOND_L1, CB_CLASH_L1_END, false, FAILURE_REGION_END, FAILURE_LIMIT},
        {FAILURE_DFB_BEYOND_L1, CB_CLASH_L1_END, true, FAILURE_REGION_END, FAILURE_LIMIT},
        {FAILURE_KERNEL_CONFIG, CB_CLASH_PROGRAM_SIZE, false, FAILURE_REQUESTED, FAILURE_LIMIT},
        {FAILURE_OOM, CB_CLASH_NO_ROOM, false, FAILURE_PER_BANK, FAILURE_LARGEST},
        {FAILURE_OOM_ADDRESS, CB_CLASH_TOO_LOW, false, FAILURE_L1_ADDRESS, FAILURE_LIMIT},
        {FAILURE_CB_RULE, CB_CLASH_RULE, false, FAILURE_NUMBERS, FAILURE_NUMBERS},
    };
    const struct failure *f;
    struct map known = {0};
    uint64_t line = 1;
    size_t counted = 0;
    struct failure_alike *alike = mem_zalloc(1, sizeof *alike);
    for (size_t from = 0; (f = failure_alike_search(alike, text, 0, from, text.len)); from = f->at + f->length) {
        line += count_byte(slice_of(text.ptr + counted, f->at - counted), '\n');
        counted = f->at;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (rows[i].from != f->kind) continue;
            if (f->kind == FAILURE_OOM && f->pool != FAILURE_L1 && f->pool != FAILURE_L1_SMALL) continue;
            /* older messages do not say how much is free */
            bool needs_limit = f->kind != FAILURE_OOM, is_rule = f->kind == FAILURE_CB_RULE;
            if (!is_rule && (!failure_knows(f, rows[i].end) || (needs_limit && !failure_knows(f, rows[i].limit)))) continue;
            struct cb_clash c = {.kind = rows[i].kind, .dataflow = rows[i].dataflow, .text = SLICE(""), .rule = f->rule};
            if (is_rule) {
                c.text = rule_text(text, f->at);
            } else {
                c.region_end = f->number[rows[i].end];
                c.limit = failure_knows(f, rows[i].limit) ? f->number[rows[i].limit] : c.region_end;
            }
            if (failure_knows(f, FAILURE_PROGRAM)) c.program = f->number[FAILURE_PROGRAM];
            c.cores = slice_from(f->core_range);
            c.line = line;
            add_clash(log, &known, c);
        }
        if (!f->length) break;
    }
    free(alike);
    map_release(&known);
}

static bool read_kernel_size(struct cb_log *log, struct slice s) {
    struct slice risc = text_until(&s, ", name="), name = text_until(&s, ", size=");
    uint64_t bytes;
    if (!take_number(&s, &bytes)) return false;
    for (size_t i = 0; i < log->kernels.len; i++) {
        struct cb_kernel_size *k = &log->kernels.items[i];
        if (k->bytes == bytes && slice_equal(k->name, name) && slice_equal(k->risc, risc)) return k->times++, true;
    }
    if (log->kernels.len < MAX_RECORDS)
        vec_push(&log->kernels,
                 ((struct cb_kernel_size){arena_copy(&log->arena, risc), arena_copy(&log->arena, name), bytes, 1}));
    return true;
}

static struct cb_pool_record *pool_of(struct cb_log *log, struct slice type) {
    for (size_t i = 0; i < log->pools.len; i++)
        if (slice_equal(log->pools.items[i].type, type)) return &log->pools.items[i];
    if (log->pools.len >= 64) return NULL;
    vec_push(&log->pools, ((struct cb_pool_record){.type = arena_copy(&log->arena, type)}));
    return &vec_last(&log->pools);
}

/* tt-metal prints the type of a buffer by a list of names without SYSTEM_MEMORY (memory_stats_shm.cpp, in every version up to
 * 2026-08): each type after it gets the name of the next one. Circular buffers are never recorded. */
static struct slice shm_type(struct slice printed) {
    static const char *const meant[][2] = {{"L1_SMALL", "SYSTEM_MEMORY"}, {"TRACE", "L1_SMALL"}, {"CB", "TRACE"}};
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (slice_equal(printed, slice_from(meant[i][0]))) return slice_from(meant[i][1]);
    return printed;
}

static bool read_shm(struct cb_log *log, struct slice s, bool frees) {
    uint64_t bytes;
    if (!skip_to(&s, "type=")) return false;
    struct slice type = shm_type(text_until(&s, ","));
    if (!number_after(&s, "size=", &bytes)) return false;
    struct cb_pool_record *p = pool_of(log, type);
    if (!p) return true;
    if (frees) {
        p->deallocations++;
        p->live -= (int64_t)(bytes < INT64_MAX ? bytes : 0);
    } else {
        p->allocations++;
        p->allocated_bytes += bytes;
        p->live += (int64_t)(bytes < INT64_MAX ? bytes : 0);
    }
    p->live_bytes = p->live > 0 ? (uint64_t)p->live : 0;
    if (p->live_bytes > p->peak_bytes) p->peak_bytes = p->live_bytes;
    return true;
}
static bool read_shm_alloc(struct cb_log *log, struct slice s) { return read_shm(log, s, false); }
static bool read_shm_free(struct cb_log *log, struct slice s) { return read_shm(log, s, true); }

static struct cb_op_record *op_of(struct cb_log *log, struct slice name) {
    for (size_t i = log->ops.len; i-- > 0;)
        if (slice_equal(log->ops.items[i].name, name)) return &log->ops.items[i];
    if (log->ops.len >= MAX_RECORDS) return NULL;
    vec_push(&log->ops, ((struct cb_op_record){.name = arena_copy(&log->arena, name)}));
    return &vec_last(&log->ops);
}

static bool read_begin_op(struct cb_log *log, struct slice s) {
    struct cb_op_record *op = op_of(log, text_until(&s, " ("));
    if (op) op->begun++;
    return true;
}

static bool read_end_op(struct cb_log *log, struct slice s) {
    struct cb_op_record *op = op_of(log, text_until(&s, " (duration:"));
    uint64_t ns = 0;
    take_number(&s, &ns);
    if (op) {
        op->ended++;
        op->ns += ns;
    }
    return true;
}

static bool read_gap(struct cb_log *log, struct slice s) {
    (void)s;
    log->gaps++;
    return true;
}

static const struct {
    const char *opening;
    form_fn *read;
} forms[] = {
    {"Configured partition params:", read_configured},
    {"Derived partition params:", read_derived},
    {"RISC=", read_kernel_size},
    {"SHM record_allocation:", read_shm_alloc},
    {"SHM record_deallocation:", read_shm_free},
    {"Begin op:", read_begin_op},
    {"End op:", read_end_op},
    {"Circular buffer indices are not contiguous", read_gap},
};

/* The clock that a kernel prints has 32 bits and wraps every few seconds. A time is taken as the one nearest to the latest
 * time of its core, and the end of a call as the first such moment after its beginning. */
static void carry_over(struct cb_log *log, struct cb_event *e) {
    const uint64_t round = (uint64_t)1 << 32, start = 2 * round; /* leaves room for times before the first line */
    while (log->clocks.len <= e->core) vec_push(&log->clocks, 0);
    uint64_t *latest = &log->clocks.items[e->core];
    uint64_t spent = e->end - e->begin;
    bool wide = e->begin >= round || e->end >= round;
    if (!wide) spent &= round - 1;
    uint64_t begin = e->begin < UINT64_MAX - start ? e->begin + start : e->begin;
    if (!wide && *latest) {
        begin = (*latest & ~(round - 1)) | e->begin;
        if (begin > *latest && begin - *latest > round / 2) begin -= round;
        else if (begin<*latest && * latest - begin> round / 2) begin += round;
    }
    e->begin = begin;
    e->end = begin + spent < begin ? UINT64_MAX : begin + spent;
    if (e->end > *latest) *latest = e->end;
}

/* `0:(x=1,y=2):BR: ttmem-cb cb_wait_front 0 4 1000 1200`: the text before the mark names the core. */
static bool read_event(struct cb_log *log, struct slice core, struct slice s) {
    struct cb_event e = {0};
    uint64_t cb, tiles;
    struct slice name = text_until(&s, " ");
    for (e.op = 0; e.op < CB_EVENT_OPS; e.op++)
        if (slice_equal(name, slice_from(cb_event_names[e.op]))) break;
    if (e.op == CB_EVENT_OPS || !take_number(&s, &cb) || !take_number(&s, &tiles) || !take_number(&s, &e.begin) ||
        !take_number(&s, &e.end))
        return false;
    if (cb > 63 || tiles > UINT32_MAX || (e.end < e.begin && e.begin > UINT32_MAX)) return false;
    if (log->events.len >= MAX_EVENTS) {
        log->events_dropped++;
        return true;
    }
    core = slice_trim(core);
    /* drop the processor (BR, NC, TR0, ...) after the last colon but one: a buffer belongs to the whole core */
    if (core.len && core.ptr[core.len - 1] == ':') core.len--;
    for (size_t i = core.len; i-- > 0;)
        if (core.ptr[i] == ':') {
            core.len = i;
            break;
        }
    e.core = strtab_id(&log->cores, slice_take(core, 64));
    carry_over(log, &e);
    e.cb = (uint16_t)cb;
    e.tiles = (uint32_t)tiles;
    vec_push(&log->events, e);
    return true;
}

/* The message after `time | level | category |`, or the whole line. */
static struct slice message_of(struct slice line) {
    for (unsigned bars = 0; bars < 3; bars++) {
        size_t at = slice_find_byte(slice_take(line, 80), '|');
        if (at == SLICE_NONE) break;
        line = slice_skip(line, at + 1);
    }
    line = slice_trim(line);
    if (slice_starts(line, SLICE("TT_THROW: ")) || slice_starts(line, SLICE("TT_FATAL: "))) line = slice_skip(line, 10);
    return line;
}

static void read_line(struct cb_log *log, struct slice line) {
    struct slice message = message_of(line);
    if (!message.len) return;
    bool ok = true;
    size_t mark = message.len > 9 ? slice_find(slice_take(line, 256), SLICE("ttmem-cb ")) : SLICE_NONE;
    if (mark != SLICE_NONE) {
        ok = read_event(log, slice_take(line, mark), slice_skip(line, mark + 9));
    } else {
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
            struct slice opening = slice_from(forms[i].opening);
            if (message.ptr[0] != opening.ptr[0] || !slice_starts(message, opening)) continue;
            ok = forms[i].read(log, slice_skip(message, opening.len));
            break;
        }
    }
    if (!ok) log->malformed++;
}

/* --- graph captures --- */

enum { MAX_NESTED = 32, MAX_CAPTURED = 1000000 };

struct captured_graph {
    struct cb_log *log;
    struct slice running[MAX_NESTED]; /* ops that have started and not ended */
    uint64_t ids[MAX_NESTED];         /* which of the ops of that name */
    unsigned depth;
    uint64_t started, released;
};

static bool take_node(void *context, const struct graph_node *node, const struct mem_event *event) {
    struct captured_graph *c = context;
    struct cb_log *log = c->log;
    if (node->kind == NODE_FUNCTION_START) {
        if (c->depth == MAX_NESTED) c->depth--;
        c->ids[c->depth] = ++c->started;
        c->running[c->depth++] = arena_copy(&log->arena, slice_take(node->name, 200));
    } else if (node->kind == NODE_FUNCTION_END) {
        c->depth -= c->depth > 0;
    } else if (node->kind == NODE_RELEASE_PROGRAM) {
        c->released++;
    } else if (node->kind == NODE_CIRCULAR_BUFFER && event && log->captured.len < MAX_CAPTURED) {
        vec_push(&log->captured, ((struct cb_capture_cb){.op = c->depth ? c->running[c->depth - 1] : SLICE(""),
                                                         .bytes = event->size,
                                                         .address = event->address,
                                                         .globally_allocated = event->borrowed,
                                                         .device = event->has_device ? event->device : 0,
                                                         .program = (c->depth ? c->ids[c->depth - 1] : 0) + (c->released << 32),
                                                         .cores = arena_copy(&log->arena, slice_take(node->core_text, 200))}));
    }
    return true;
}

static void read_capture(struct cb_log *log, struct slice text) {
    struct captured_graph capture = {.log = log};
    struct graph_reader reader;
    graph_reader_begin(&reader, &(struct graph_calls){.node = take_node, .context = &capture});
    graph_reader_take(&reader, text);
    graph_reader_finish(&reader);
    log->malformed = reader.problems.unreadable + reader.problems.wrong_values;
    graph_reader_release(&reader);
}

void cb_log_read(struct cb_log *log, struct slice text) {
    *log = (struct cb_log){0};
    strtab_id(&log->cores, SLICE(""));
    struct slice head = text;
    while (head.len && (head.ptr[0] == ' ' || head.ptr[0] == '\n' || head.ptr[0] == '\r' || head.ptr[0] == '\t'))
        head = slice_skip(head, 1);
    bool json = head.len && (head.ptr[0] == '{' ||
                             (head.ptr[0] == '[' && slice_find(slice_take(head, 4096), SLICE("\"node_type\"")) != SLICE_NONE));
    if (json) {
        read_capture(log, head);
        return;
    }
    if (failure_maybe(text)) read_failures(log, text);
    struct strbuf room = {0};
    while (text.len) {
        size_t end = slice_find_byte(text, '\n');
        struct slice line = slice_take(text, end == SLICE_NONE ? text.len : end);
        text = slice_skip(text, end == SLICE_NONE ? text.len : end + 1);
        log->lines++;
        if (line.len && line.ptr[line.len - 1] == '\r') line.len--;
        if (line.len > 65536) line.len = 65536;
        if (memchr(line.ptr, '\x1b', line.len)) line = logline_clean(line, strbuf_room(&room, line.len + 1));
        read_line(log, line);
    }
    strbuf_release(&room);
}

void cb_log_release(struct cb_log *log) {
    vec_release(&log->clashes);
    vec_release(&log->kernels);
    vec_release(&log->pools);
    vec_release(&log->ops);
    vec_release(&log->events);
    vec_release(&log->captured);
    vec_release(&log->clocks);
    strtab_release(&log->cores);
    arena_release(&log->arena);
}

bool cb_log_is_empty(const struct cb_log *log) {
    return !log->partition.seen && !log->clashes.len && !log->kernels.len && !log->pools.len && !log->ops.len &&
           !log->events.len && !log->captured.len;
}
