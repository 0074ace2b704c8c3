/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/log.h"

#include <assert.h>
#include <stdlib.h>

#include "base/num.h"
#include "parse/failure/failure.h"
#include "parse/location.h"
#include "parse/location_key.h"
#include "parse/log_heads.h"
#include "parse/plain_lines.h"
#include "parse/product.h"
#include "parse/type.h"
#include "scan/lines.h"

enum { ALL_POOLS = (1 << POOL_COUNT) - 1, NO_BLOCK = -1, MAX_RANKS = 4096, TEXT_RUN_LIMIT = 1u << 30 };

uint32_t value_code(struct slice base) {
    uint64_t n;
    bool arg = slice_starts(base, SLICE("%arg"));
    struct slice digits = slice_skip(base, arg ? 4 : 1);
    if (digits.len && num_read_u64(digits, &n) == digits.len && n < VALUE_NAMED - 1)
        return ((uint32_t)n + 1) | (arg ? VALUE_ARG : 0);
    return base.len ? VALUE_NAMED | (uint32_t)(hash_bytes64(base) & (VALUE_NAMED - 1)) : 0;
}

void log_worker_init(struct log_worker *worker, unsigned number, bool keep_ops) {
    *worker = (struct log_worker){.number = number, .keep_ops = keep_ops};
    vec_push(&worker->ranks, ((struct log_tag){slice_of("", 0), 0}));
}

void log_worker_release(struct log_worker *worker) {
    map_release(&worker->ops);
    map_release(&worker->types);
    map_release(&worker->tags);
    vec_release(&worker->ranks);
    arena_release(&worker->arena);
    op_release(&worker->scratch);
    strbuf_release(&worker->text);
}

/* The text before the messages of the last runtime lines, for messages of unknown wording: see log_heads.h. */
enum { PREFIXES = 4, LONGEST_PREFIX = 120 };

struct prefix {
    struct slice bytes;
    uint16_t rank;
};

/* The lines of a block after its first pool, as last printed in sequence. DRAM changes with nearly every op, the other pools
 * do not: equal bytes are taken over without parsing the lines. */
struct block_tail {
    struct slice bytes; /* including the line ends */
    uint16_t rank;
    struct pool_view pools[POOL_COUNT];
};

struct log_parser {
    struct log_worker *worker;
    struct log_piece *piece;
    uint32_t line;
    bool in_text;            /* the last event is a run of text that the next text line extends */
    VEC(int32_t) open_block; /* by rank */
    struct log_heads heads;
    struct prefix prefixes[PREFIXES];
    unsigned next_prefix, last_prefix;
    struct slice last_view[POOL_COUNT]; /* text of the last view of each pool: most do not change from op to op */
    struct pool_view last_values[POOL_COUNT];
    const char *next; /* start of the line after the current one */
    const char *stop; /* lines that start here belong to the next piece */
    struct block_tail tail;
    bool tail_taken;
    struct slice first;  /* the first part of the line if another one follows: launchers put their tag before it; else empty */
    uint16_t first_rank; /* rank of its tag, if that is certain */
    bool overwritten;    /* the part ends with a lone "\r": a terminal overwrites it with what follows */
};

static uint16_t rank_id(struct log_parser *p, const struct log_line *line) {
    if (!line->writer.tag.len) return 0;
    char room[PREFIX_TAG_ROOM];
    struct slice tag = line_prefix_writer(&line->writer, room);
    struct log_worker *w = p->worker;
    struct hash128 key = hash_bytes(tag);
    key.low += line->writer.tag_is_rank; /* "1" of a rank and "1" of something else differ */
    const uint32_t *known = map_find(&w->tags, key);
    if (known) return (uint16_t)*known;
    if (w->ranks.len >= MAX_RANKS) return 0;
    bool added;
    *map_at(&w->tags, key, &added) = (uint32_t)w->ranks.len;
    struct log_tag kept = {arena_copy(&w->arena, tag), line->writer.tag_part};
    vec_push(&w->ranks, kept);
    vec_push(&p->piece->new_ranks, kept);
    return (uint16_t)(w->ranks.len - 1);
}

static struct log_event *add_event(struct log_parser *p, enum line_kind kind, uint16_t rank, struct slice text) {
    struct log_event *event = vec_add(&p->piece->events);
    *event = (struct log_event){.kind = (uint8_t)kind,
                                .rank = rank,
                                .line = p->line,
                                .length = text.len > UINT32_MAX ? UINT32_MAX : (uint32_t)text.len,
                                .offset = p->piece->offset + (uint64_t)(text.ptr - p->piece->bytes.ptr)};
    p->in_text = false;
    return event;
}

static int32_t *open_block(struct log_parser *p, uint16_t rank) {
    while (p->open_block.len <= rank) vec_push(&p->open_block, NO_BLOCK);
    return &p->open_block.items[rank];
}

static uint32_t type_id(struct log_parser *p, struct slice text) {
    bool added;
    uint32_t *id = map_at(&p->worker->types, hash_bytes(text), &added);
    if (added) {
        *id = (uint32_t)(p->worker->types.len - 1);
        struct log_type *type = vec_add(&p->piece->new_types);
        type->id = *id;
        type_parse(text, &type->type);
    }
    return *id;
}

/* Open MPI tags every chunk that it passes on, so a long op line can have a tag in the middle. */
static struct slice without_tags(struct log_parser *p, struct slice text) {
    if (!find_bytes(text.ptr, text.len, "]<std", 5) && !memchr(text.ptr, '\x1b', text.len) && !memchr(text.ptr, '\0', text.len))
        return text;
    char *room = arena_alloc(&p->piece->arena, text.len);
    text = logline_clean(text, room);
    if (text.ptr != room) text = slice_of(memcpy(room, text.ptr, text.len), text.len);
    const char *from = room, *end = room + text.len;
    char *out = room;
    while (from < end) {
        struct slice rest = slice_between(from, end), rank;
        struct slice past = *from == '[' ? logline_strip_prefix(rest, &rank) : rest;
        if (past.ptr != from && find_bytes(from, (size_t)(past.ptr - from), "]<std", 5)) from = past.ptr;
        else *out++ = *from++;
    }
    return slice_between(room, out);
}

static void fill_op(struct log_parser *p, struct log_op *op, const struct op_text *parsed) {
    struct arena *arena = &p->piece->arena;
    op->name = parsed->name;
    op->callee = parsed->callee;
    op->result = parsed->result;
    op->location = parsed->location;
    op->properties = parsed->properties;
    op->attributes = parsed->attributes;
    op->truncated = parsed->truncated;
    op->operand_count = (uint16_t)(parsed->operands.len < UINT16_MAX ? parsed->operands.len : UINT16_MAX);
    op->operands = arena_alloc(arena, sizeof *op->operands * op->operand_count);
    for (unsigned i = 0; i < op->operand_count; i++) {
        unsigned index;
        struct slice base = op_value_base(parsed->operands.items[i].value, &index);
        op->operands[i] = (struct log_operand){value_code(base), (uint16_t)index, type_id(p, parsed->operands.items[i].type)};
    }
    op->result_value = parsed->result.len ? value_code(parsed->result) : 0;
    op->result_count = (uint16_t)(parsed->result_types.len < UINT16_MAX ? parsed->result_types.len : UINT16_MAX);
    op->result_types = arena_alloc(arena, sizeof *op->result_types * op->result_count);
    for (unsigned i = 0; i < op->result_count; i++) op->result_types[i] = type_id(p, parsed->result_types.items[i]);
    strbuf_clear(&p->worker->text);
    location_display(&p->worker->text, parsed->location);
    op->display = arena_copy(arena, strbuf_slice(&p->worker->text));
    op->key = op_key(parsed->name, parsed->result);
    op->place_key = location_key(parsed->location, NULL);
}

/* The quoted name is at the front, after the result. */
static enum log_op_count op_count(struct slice text) {
    struct slice head = slice_take(text, 64);
    struct slice name = slice_skip(head, slice_find_byte(head, '"'));
    return slice_starts(name, SLICE("\"ttnn.deallocate\"("))   ? LOG_COUNT_DEALLOCATE
           : slice_starts(name, SLICE("\"ttnn.get_device\"(")) ? LOG_COUNT_GET_DEVICE
                                                               : LOG_COUNT_OP;
}

static uint32_t op_id(struct log_parser *p, struct slice text, uint64_t offset) {
    if (!p->worker->keep_ops) return op_count(text);
    bool added;
    uint32_t *id = map_at(&p->worker->ops, hash_bytes(text), &added);
    if (!added) return *id;
    uint32_t mine = *id = (uint32_t)(p->worker->ops.len - 1);
    struct log_op *op = vec_add(&p->piece->new_ops);
    *op = (struct log_op){.id = mine, .offset = offset, .text = without_tags(p, text)};
    op_parse(op->text, &p->worker->scratch);
    fill_op(p, op, &p->worker->scratch);
    return mine;
}

/* An op begins with its result or with its name, quoted or with its dialect. Anything else was printed by the user's
 * program. */
static bool looks_like_op(struct slice text) {
    if (!text.len || text.ptr[0] == '%' || text.ptr[0] == '"') return text.len > 0;
    size_t end = 0;
    while (end < text.len && text.ptr[end] != '(' && text.ptr[end] != ' ') end++;
    return slice_find_byte(slice_take(text, end), '.') != SLICE_NONE;
}

static struct log_block *add_block(struct log_parser *p, const struct log_line *line, uint16_t rank, struct slice op_type) {
    struct log_event *event = add_event(p, line->kind, rank, line->text);
    event->value = (uint32_t)p->piece->blocks.len;
    *open_block(p, rank) = (int32_t)p->piece->blocks.len;
    struct log_block *block = vec_add(&p->piece->blocks);
    block->have = block->partial = block->pool_count = 0; /* fields of a pool are set when the block gets it */
    block->headless = block->open = false;
    memset(block->again, 0, sizeof block->again);
    block->op_type = op_type;
    block->after_dram = NULL;
    return block;
}

static void on_block(struct log_parser *p, const struct log_line *line, uint16_t rank) {
    size_t end = 0;
    struct slice op_type = slice_take(line->text, line->kind == LINE_BLOCK_OP && p->worker->keep_ops ? SIZE_MAX : 0);
    while (end < op_type.len && op_type.ptr[end] > ' ') end++;
    add_block(p, line, rank, kept_names_get(&p->worker->op_types, &p->worker->arena, slice_take(op_type, end)));
}

/* A view that ends where its only brace closes, without control bytes and of the usual length: two torn lines hardly make one.
 * Counting takes it as whole without reading its numbers, and so for the first of a piece, whose values are needed: what is
 * counted does not depend on where pieces begin. */
static bool is_closed_view(struct slice text) {
    return text.len >= MEMVIEW_SHORTEST && text.len <= MEMVIEW_LONGEST && text.ptr[text.len - 1] == '}' &&
           find_brace_or_control(text.ptr, text.ptr + text.len) == text.ptr + text.len - 1;
}

static enum memview_state read_view(struct log_parser *p, struct slice text, enum pool pool) {
    bool counted = !p->worker->keep_ops && is_closed_view(text);
    if (p->last_view[pool].len && (counted || slice_equal(text, p->last_view[pool]))) return MEMVIEW_WHOLE;
    enum memview_state state = memview_parse(text, &p->last_values[pool]);
    p->last_view[pool] = state == MEMVIEW_WHOLE ? text : slice_of("", 0);
    return counted ? MEMVIEW_WHOLE : state;
}

static bool tail_is_at(const struct log_parser *p, const char *at, uint16_t rank) {
    struct slice tail = p->tail.bytes;
    return tail.len && p->tail.rank == rank && at <= p->stop && (size_t)(p->stop - at) >= tail.len &&
           memcmp(at, tail.ptr, tail.len) == 0;
}

/* Takes the rest of the block if it is the same as last time, byte for byte. */
static void take_tail(struct log_parser *p, struct log_block *block, uint16_t rank) {
    p->tail_taken = false;
    if (p->next[-1] != '\n' || !tail_is_at(p, p->next, rank)) return;
    for (unsigned pool = POOL_L1; pool < POOL_COUNT; pool++) {
        block->pools[pool] = p->tail.pools[pool];
        block->pool_line[pool] = p->line + pool;
        block->order[pool] = (uint8_t)pool;
    }
    block->have = ALL_POOLS;
    block->pool_count = POOL_COUNT;
    p->tail_taken = true;
    p->next += p->tail.bytes.len;
    p->line += POOL_COUNT - 1;
}

static void remember_tail(struct log_parser *p, const struct log_block *block, uint16_t rank) {
    for (unsigned pool = POOL_L1; pool < POOL_COUNT; pool++)
        if (block->partial || block->pool_line[pool] != block->pool_line[POOL_DRAM] + pool) return;
    if (!block->after_dram || p->next[-1] != '\n') return;
    p->tail.bytes = slice_between(block->after_dram, p->next);
    p->tail.rank = rank;
    memcpy(p->tail.pools, block->pools, sizeof p->tail.pools);
}

/* The rest of a line of a known kind, or NULL; moves *at to the next line. */
static const char *take_known(struct log_parser *p, const char **at, enum line_kind kind, uint16_t rank) {
    const struct log_head *head = log_heads_find(&p->heads, *at, p->stop);
    if (!head || head->kind != kind || head->rank != rank) return NULL;
    const char *rest = *at + head->bytes.len, *eol = find_eol(rest, p->stop);
    if (eol == p->stop || *eol != '\n') return NULL;
    *at = eol + 1;
    return rest;
}

/* A complete block at *at, with the same pools after DRAM as the last one; moves *at after it. */
static bool take_block(struct log_parser *p, const char **at, uint16_t rank) {
    const char *view;
    if (!take_known(p, at, LINE_BLOCK_OP, rank) || !(view = take_known(p, at, LINE_POOL, rank))) return false;
    if (p->heads.rows[p->heads.last].pool != POOL_DRAM || !is_closed_view(slice_between(view, *at - 1))) return false;
    if (!tail_is_at(p, *at, rank)) return false;
    *at += p->tail.bytes.len;
    return true;
}

/* An op with a complete block directly after it, like the op before, adds one to each and changes nothing else; so do those
 * that follow it. Logs are long sequences of such pairs, and a worker that only counts passes none of them on. The result is
 * the same as reading their lines one by one. */
static void count_again(struct log_parser *p, uint16_t rank) {
    struct log_piece *piece = p->piece;
    size_t count = piece->events.len;
    if (count < 2 || p->next[-1] != '\n' || !p->last_view[POOL_DRAM].len) return;
    const struct log_event *op = &piece->events.items[count - 1], *before = op - 1;
    if (before->kind != LINE_BLOCK_OP || before->rank != rank || piece->blocks.items[before->value].have != ALL_POOLS) return;
    uint32_t *again = piece->blocks.items[before->value].again, as = op->value;
    const char *at = p->next, *text;
    for (uint32_t own = 0; take_block(p, &at, rank); own = 1) { /* the line of the first op is counted where it was read */
        again[as]++;
        p->next = at;
        p->line += own + 1 + POOL_COUNT;
        piece->events.len = count - 1;
        if (!(text = take_known(p, &at, LINE_OP, rank)) || (*text != '%' && *text != '"')) return;
        as = op_count(slice_between(text, at));
    }
}

static void on_op(struct log_parser *p, const struct log_line *line, uint16_t rank) {
    struct slice text = line->text;
    if (!looks_like_op(text)) {
        add_event(p, LINE_RUNTIME_OTHER, rank, text);
        return;
    }
    *open_block(p, rank) = NO_BLOCK;
    while (text.len && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t')) text.len--;
    struct log_event *event = add_event(p, LINE_OP, rank, text);
    uint64_t offset = event->offset;
    uint32_t id = op_id(p, text, offset);
    vec_last(&p->piece->events).value = id;
    if (!p->worker->keep_ops) count_again(p, rank);
}

static bool is_block_event(const struct log_event *event) {
    return event->kind == LINE_POOL || event->kind == LINE_BLOCK_OP || event->kind == LINE_BLOCK_BEFORE_SUBMIT ||
           event->kind == LINE_BLOCK_AFTER_SUBMIT;
}

/* The next line of the writer of the line at `at`, without its tag; empty if none follows soon. */
static struct slice next_of_writer(const struct log_parser *p, const char *at) {
    enum { REACH = LOG_LOOK_AHEAD - 1024 }; /* the rest is for the line itself */
    const char *first = p->piece->bytes.ptr, *start = at, *end = p->piece->bytes.ptr + p->piece->bytes.len;
    while (start > first && start[-1] != '\n' && start[-1] != '\r') start--;
    const char *next = lines_next(at, end);
    if ((size_t)(end - next) > REACH) end = next + REACH;
    char room[2][PREFIX_TAG_ROOM];
    struct line_prefix own = line_prefix_read(slice_between(start, at), PREFIX_RUNTIME);
    struct slice tag = line_prefix_writer(&own, room[0]);
    while (tag.len && next < end) {
        const char *line = next, *eol = find_eol(line, end);
        next = lines_next(line, end);
        struct line_prefix prefix = line_prefix_read(slice_between(line, eol), own.parts);
        if (slice_equal(line_prefix_writer(&prefix, room[1]), tag)) return slice_between(line + prefix.len, eol);
    }
    return slice_of("", 0);
}

/* If its buffer is full, srun passes on an unfinished line, with a label and a line end of its own. */
static enum memview_state read_torn_view(struct log_parser *p, struct slice text, enum pool pool, enum memview_state state) {
    enum { LONGEST = 512 };
    if (text.len > LONGEST || slice_find_byte(text, '}') != SLICE_NONE) return state;
    struct slice rest = next_of_writer(p, text.ptr);
    size_t end = slice_find_byte(slice_take(rest, LONGEST), '}');
    if (end == SLICE_NONE) return state;
    char joined[2 * LONGEST];
    memcpy(joined, text.ptr, text.len);
    memcpy(joined + text.len, rest.ptr, end + 1);
    struct pool_view view;
    if (memview_parse(slice_of(joined, text.len + end + 1), &view) != MEMVIEW_WHOLE) return state;
    p->last_values[pool] = view;
    return MEMVIEW_WHOLE;
}

static void on_pool(struct log_parser *p, const struct log_line *line, uint16_t rank) {
    enum pool pool = line->pool;
    enum memview_state state = read_view(p, line->text, pool);
    if (state != MEMVIEW_WHOLE) state = read_torn_view(p, line->text, pool, state);
    int32_t *open = open_block(p, rank);
    struct log_block *block = *open == NO_BLOCK ? NULL : &p->piece->blocks.items[*open];
    if (state == MEMVIEW_NONE) {
        if (!p->piece->malformed++) p->piece->first_malformed_line = p->line;
        p->in_text = false; /* the line does not continue a text */
        return;
    }
    /* the model takes events in log order, so a block can be interrupted anywhere */
    const struct log_event *last = block ? &vec_last(&p->piece->events) : NULL;
    bool goes_on = last && is_block_event(last) && last->value == (uint32_t)*open;
    if (!goes_on || block->have >> pool & 1) {
        block = add_block(p, line, rank, slice_of("", 0));
        block->headless = true;
    }
    block->have |= (uint8_t)(1u << pool);
    block->order[block->pool_count++] = (uint8_t)pool;
    if (state == MEMVIEW_PARTIAL) block->partial |= (uint8_t)(1u << pool);
    block->pools[pool] = p->last_values[pool];
    block->pool_line[pool] = p->line;
    if (pool == POOL_DRAM && block->have == 1u << POOL_DRAM) {
        block->after_dram = p->next;
        take_tail(p, block, rank);
    }
    if (block->have != ALL_POOLS) return;
    if (!p->tail_taken) remember_tail(p, block, rank);
    *open_block(p, rank) = NO_BLOCK;
}

/* Consecutive lines of text are one event: the model reads them only inside a module dump. So are the states of a progress
 * bar, which are LINE_FOREIGN: not part of a module dump. */
static void on_text(struct log_parser *p, enum line_kind kind, struct slice line, uint16_t rank, bool torn) {
    struct log_event *last = p->in_text ? &vec_last(&p->piece->events) : NULL;
    if (last && last->kind == kind && last->rank == rank && last->length < TEXT_RUN_LIMIT) {
        last->length = (uint32_t)(p->piece->offset + (uint64_t)(line.ptr - p->piece->bytes.ptr) + line.len - last->offset);
    } else {
        last = add_event(p, kind, rank, line);
    }
    last->torn = torn;
    p->in_text = !torn;
}

/* Lines from `at` on that only extend the run of text before them; returns the line after them. */
static const char *more_text(struct log_parser *p, const char *at) {
    struct log_event *last = p->in_text && !p->first.len ? &vec_last(&p->piece->events) : NULL;
    if (!last || last->kind != LINE_TEXT || last->rank || at >= p->stop) return at;
    uint64_t from = last->offset - p->piece->offset;
    if ((uint64_t)(p->stop - p->piece->bytes.ptr) - from >= TEXT_RUN_LIMIT) return at;
    const char *next = plain_lines_end(at, p->stop, &p->line);
    if (next > at) last->length = (uint32_t)((uint64_t)(next - 1 - p->piece->bytes.ptr) - from); /* without its line end */
    return next;
}

static bool read_by_prefix(struct log_parser *p, struct slice line, struct log_line *read, uint16_t *rank) {
    for (unsigned n = 0; n < PREFIXES; n++) {
        unsigned i = (p->last_prefix + n) % PREFIXES;
        struct slice prefix = p->prefixes[i].bytes;
        if (!prefix.len || !slice_starts(line, prefix)) continue;
        if (line.len > prefix.len && line.ptr[prefix.len] == '\x1b') return false; /* a coloured message */
        p->last_prefix = i;
        *read = (struct log_line){0};
        logline_message(slice_skip(line, prefix.len), read);
        *rank = p->prefixes[i].rank;
        log_heads_add(&p->heads, line, read, *rank);
        return true;
    }
    return false;
}

/* A prefix without a message lacks its trailing space, which would be left to the next message. */
static void remember_prefix(struct log_parser *p, struct slice line, const struct log_line *read, uint16_t rank) {
    if (!read->message || read->ahead.len || read->message - line.ptr > LONGEST_PREFIX || read->message[-1] != ' ') return;
    p->prefixes[p->next_prefix++ % PREFIXES] = (struct prefix){slice_between(line.ptr, read->message), rank};
    log_heads_add(&p->heads, line, read, rank);
}

static void on_line(struct log_parser *p, struct slice line, const struct log_head *head);

/* Writers that share a stream without a lock can lose a line end: text after the view is a separate line. */
static void on_glued(struct log_parser *p, struct slice text) {
    size_t end = slice_find_byte(text, '}');
    struct slice rest = end == SLICE_NONE ? slice_of(text.ptr, 0) : slice_skip(text, end + 1);
    if (rest.len && find_bytes(rest.ptr, rest.len, " | ", 3)) on_line(p, rest, NULL);
}

static uint16_t rank_of_prefix(struct log_parser *p, struct slice line, uint32_t allowed) {
    return rank_id(p, &(struct log_line){.writer = line_prefix_read(line, allowed)});
}

/* The rank of a line after a progress bar. If a line of the runtime follows, the text at the front is a tag, whatever it
 * looks like. */
static uint16_t rank_of_first(struct log_parser *p, enum line_kind kind) {
    return kind == LINE_TEXT ? p->first_rank : rank_of_prefix(p, p->first, PREFIX_RUNTIME);
}

static void set_first(struct log_parser *p, struct slice part) {
    p->first = part;
    p->first_rank = rank_of_prefix(p, part, PREFIX_CERTAIN);
}

static uint16_t read_line(struct log_parser *p, struct slice line, const struct log_head *head, struct log_line *read) {
    uint16_t rank;
    if (head) {
        read->kind = head->kind;
        read->pool = head->pool;
        read->text = slice_skip(line, head->bytes.len);
        read->ahead = slice_of("", 0);
        return head->rank;
    }
    if (!read_by_prefix(p, line, read, &rank)) {
        logline_read(line, read);
        rank = rank_id(p, read);
        remember_prefix(p, line, read, rank);
    }
    return rank;
}

/* `head` is the beginning of the line, if it is a remembered one. */
static void on_line(struct log_parser *p, struct slice line, const struct log_head *head) {
    struct log_line read;
    uint16_t rank = read_line(p, line, head, &read);
    if (!rank && p->first.len) rank = rank_of_first(p, read.kind);
    if (read.ahead.len) on_text(p, LINE_TEXT, read.ahead, rank, true);
    switch (read.kind) {
        case LINE_TEXT:
            on_text(p, p->overwritten ? LINE_FOREIGN : LINE_TEXT, line, rank, false);
            break;
        case LINE_OP:
            on_op(p, &read, rank);
            break;
        case LINE_POOL:
            on_pool(p, &read, rank);
            on_glued(p, read.text);
            break;
        case LINE_BLOCK_OP:
        case LINE_BLOCK_BEFORE_SUBMIT:
        case LINE_BLOCK_AFTER_SUBMIT:
            on_block(p, &read, rank);
            break;
        case LINE_MODULE_BEGIN: /* the stage of an old heading is a literal: the model reads the heading again */
        case LINE_RUNTIME_OTHER:
        case LINE_FOREIGN:
        case LINE_DEVICE:
            add_event(p, read.kind, rank, line);
            break;
        case LINE_START:
        case LINE_FINISH:
            *open_block(p, rank) = NO_BLOCK; /* fallthrough */
        default:
            add_event(p, read.kind, rank, slice_trim(read.text));
            break;
    }
}

static void clear_piece(struct log_piece *piece) {
    arena_clear(&piece->arena);
    vec_clear(&piece->events);
    vec_clear(&piece->blocks);
    vec_clear(&piece->new_ops);
    vec_clear(&piece->new_types);
    vec_clear(&piece->new_ranks);
    piece->malformed = 0;
}

/* Failure messages are in lines of other loggers, in exception text, in test output. */
static void mark_failures(struct log_piece *piece) {
    for (size_t i = 0; i < piece->events.len; i++) {
        struct log_event *event = &piece->events.items[i];
        if (event->kind == LINE_TEXT || event->kind == LINE_FOREIGN || event->kind == LINE_RUNTIME_OTHER)
            event->failure = failure_maybe_in(piece->bytes, (size_t)(event->offset - piece->offset), event->length);
    }
}

/* From the head of the log, however it is cut into pieces. */
static uint8_t head_products(struct slice bytes, size_t begin, size_t end, uint64_t offset) {
    if (offset + begin >= PRODUCT_HEAD) return 0;
    size_t room = (size_t)(PRODUCT_HEAD - offset - begin), len = end - begin;
    return product_seen(slice_of(bytes.ptr + begin, len < room ? len : room));
}

void log_parse(struct log_worker *worker, struct log_piece *piece, struct slice bytes, size_t begin, size_t end,
               uint64_t offset) {
    assert(begin == end || begin == 0 || bytes.ptr[begin - 1] == '\n'); /* a line is owned by one piece */
    clear_piece(piece);
    piece->bytes = bytes;
    piece->offset = offset;
    piece->worker = worker->number;
    struct log_parser p = {.worker = worker, .piece = piece, .stop = bytes.ptr + end};
    const char *at = bytes.ptr + begin, *last = bytes.ptr + bytes.len;
    while (at < p.stop) {
        bool line_ends;
        const struct log_head *head = log_heads_find(&p.heads, at, last);
        p.next = at + (head ? head->bytes.len : 0);
        struct slice part = lines_take_part(&p.next, last, &line_ends);
        part = slice_between(at, part.ptr + part.len);
        p.overwritten = !line_ends && p.next > part.ptr + part.len;
        on_line(&p, part, head);
        if (line_ends) p.first = slice_of("", 0);
        else if (!p.first.len) set_first(&p, part);
        at = p.next;
        p.line += line_ends;
        if (line_ends) at = more_text(&p, at);
    }
    piece->lines = p.line;
    piece->products = worker->keep_ops ? head_products(bytes, begin, end, offset) : 0;
    piece->cut_line = at > bytes.ptr + begin && at[-1] != '\n';
    mark_failures(piece);
    for (size_t i = 0; i < piece->blocks.len; i++) piece->blocks.items[i].open = piece->blocks.items[i].have != ALL_POOLS;
    vec_release(&p.open_block);
}

void log_piece_release(struct log_piece *piece) {
    arena_release(&piece->arena);
    vec_release(&piece->events);
    vec_release(&piece->blocks);
    vec_release(&piece->new_ops);
    vec_release(&piece->new_types);
    vec_release(&piece->new_ranks);
}
