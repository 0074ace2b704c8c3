/* SPDX-License-Identifier: Apache-2.0 */
#include "model/buffers.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/strbuf.h"
#include "device/allocator_or_end.h"
#include "model/buffer/block_bytes.h"
#include "model/buffer/op_line.h"
#include "model/buffer/types.h"
#include "model/run_write.h"
#include "parse/location.h"
#include "parse/log.h"
#include "parse/op.h"
#include "parse/type.h"

enum { BUFFER_ALIGN = 32 };
static const uint64_t LONGEST_NS = (uint64_t)1 << 60; /* anything longer is invalid */

struct live_buffer {
    uint32_t tensor;
    uint32_t round; /* number of the last buffers_all_begin round that named it */
    uint64_t bytes;
    enum pool pool;
    bool placed; /* in the pool's allocator */
};

struct pool_state {
    bool known;       /* a state or a buffer was given */
    bool given;       /* the state was given as figures */
    bool sized;       /* buffers_pool was called, so `config` is valid */
    bool has_region;  /* `places` gives the largest free block */
    bool open_end;    /* ... within the known part of the pool only */
    bool overlapping; /* buffers contradict their addresses, so the largest free block is unknown */
    uint32_t config;
    uint64_t bank_bytes;
    uint64_t allocated, free, largest; /* as given */
    uint64_t sum;                      /* of the buffers */
    struct allocator places;
};

/* A buffer that waits for buffers_all_end. */
struct named_buffer {
    struct device_buffer buffer;
    struct buffer_tensor tensor;
};

struct rank_buffers {
    struct pool_state pools[POOL_COUNT];
    struct idmap live; /* pool and address -> index into `buffers` + 1 */
    VEC(struct live_buffer) buffers;
    VEC(uint32_t) unused;
    VEC(uint64_t) keys; /* keys of `buffers` in `live` */
    VEC(struct named_buffer) named;
    struct arena named_texts;
    VEC(uint32_t) open; /* steps of ops that have not ended */
    uint64_t clock_ns;
    bool naming; /* between buffers_all_begin and buffers_all_end */
    uint32_t round;
    uint32_t last_step;
    uint32_t pass; /* execution + 1, 0: none runs */
};

struct buffers {
    struct run *run;
    struct run_writer writer;
    struct op_text scratch;
    VEC(struct op_ref) refs;     /* of the op being written */
    struct map types, named_ops; /* keyed by their parts: there are millions of buffers and ops, but few distinct ones */
    VEC(struct rank_buffers) ranks;
    bool timed; /* the input records how long something took */
};

struct buffers *buffers_begin(struct run *run, enum run_origin origin, uint64_t bytes) {
    struct buffers *b = mem_zalloc(1, sizeof *b);
    b->run = run;
    run_write_begin(&b->writer, run, origin);
    run->bytes = bytes;
    /* one bank until buffers_pool is called: sizes are per bank anyway */
    run->geometry = (struct memory_geometry){.dram_banks = 1, .l1_banks = 1, .dram_align = 1, .l1_align = 1};
    return b;
}

uint16_t buffers_rank(struct buffers *b, struct slice name) {
    bool added;
    uint16_t rank = run_write_rank(&b->writer, name, &added);
    if (added) vec_push(&b->ranks, ((struct rank_buffers){.last_step = NONE}));
    return rank;
}

static uint32_t milli_mb(uint64_t bytes) {
    uint64_t milli = bytes > (uint64_t)1 << 50 ? UINT32_MAX - 1 : (uint64_t)num_bytes_to_milli_mb(bytes);
    return milli < UINT32_MAX ? (uint32_t)milli : UINT32_MAX - 1;
}

void buffers_pool(struct buffers *b, uint16_t rank, enum pool pool, unsigned banks, bool has_base, uint64_t base,
                  uint64_t bytes) {
    struct pool_state *state = &b->ranks.items[rank].pools[pool];
    if (bytes > (uint64_t)1 << 50) return;
    state->config = run_write_config(&b->writer, pool, banks, milli_mb(bytes), bytes_rest(bytes, milli_mb(bytes)));
    state->sized = true;
    state->bank_bytes = bytes;
    if (pool == POOL_DRAM && banks) b->run->geometry.dram_banks = banks;
    if (pool == POOL_L1 && banks) b->run->geometry.l1_banks = banks;
    if (!has_base || state->has_region || !bytes || base > INT64_MAX - bytes) return;
    if (!allocator_ok(allocator_init(&state->places, base, bytes, BUFFER_ALIGN))) return;
    state->has_region = true;
    vec_push(&b->run->regions, ((struct region){rank, (uint8_t)pool, base, bytes}));
}

void buffers_open_end(struct buffers *b, uint16_t rank, enum pool pool) {
    struct pool_state *state = &b->ranks.items[rank].pools[pool];
    struct pool_config *config = state->sized ? &b->run->configs.items[state->config] : NULL;
    if (config && config == &vec_last(&b->run->configs)) config->total = 0, config->rest = 0; /* nothing else refers to it */
    else state->config = run_write_config(&b->writer, pool, config ? config->banks : 0, 0, 0);
    state->bank_bytes = 0;
    state->open_end = true;
}

void buffers_device_assumed(struct buffers *b) { b->run->device_assumed = true; }

static uint32_t add_type(struct buffers *b, const struct buffer_tensor *t) {
    return buffer_type_id(&b->writer, &b->types, &b->run->geometry, t);
}

/* --- ops and states --- */

static void add_refs(struct buffers *b, const struct buffer_tensor *tensors, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t value = (uint32_t)(tensors[i].id & 0xfffffff) + 1;
        vec_push(&b->refs, ((struct op_ref){.value = value, .type = add_type(b, &tensors[i])}));
    }
}

static uint32_t type_of_text(struct buffers *b, struct slice text) {
    struct tensor_type type;
    type_parse(text, &type);
    return run_write_type(&b->writer, &type);
}

/* Parses an op whose text is in the input. */
static struct op parsed_op(struct buffers *b) {
    struct run *run = b->run;
    const struct op_text *text = &b->scratch;
    struct strbuf display = {0};
    location_display(&display, text->location);
    struct op made = {.name = strtab_id(&run->strings, text->name),
                      .callee = strtab_id(&run->strings, text->callee),
                      .display = strtab_id(&run->strings, strbuf_slice(&display)),
                      .result = text->result.len ? value_code(text->result) : 0,
                      .truncated = text->truncated};
    for (; made.operand_count < text->operands.len && made.operand_count < UINT16_MAX; made.operand_count++) {
        unsigned index = 0;
        struct slice base = op_value_base(text->operands.items[made.operand_count].value, &index);
        uint32_t type = type_of_text(b, text->operands.items[made.operand_count].type);
        vec_push(&b->refs, ((struct op_ref){.value = base.len ? value_code(base) : 0, .index = (uint16_t)index, .type = type}));
    }
    for (; made.result_count < text->result_types.len && made.result_count < UINT16_MAX; made.result_count++)
        vec_push(&b->refs, ((struct op_ref){.type = type_of_text(b, text->result_types.items[made.result_count])}));
    strbuf_release(&display);
    return made;
}

static struct op op_was_told(struct buffers *b, const struct buffer_op *op) {
    add_refs(b, op->operands, op->operand_count);
    add_refs(b, op->results, op->result_count);
    return (struct op){.name = strtab_id(&b->run->strings, op->name),
                       .display = strtab_id(&b->run->strings, op->location),
                       .result = op->result_count ? (uint32_t)(op->results[0].id & 0xfffffff) + 1 : 0,
                       .operand_count = (uint16_t)op->operand_count,
                       .result_count = (uint16_t)op->result_count};
}

static uint32_t make_op(struct buffers *b, const struct buffer_op *op) {
    struct strbuf text = {0};
    bool parsed = op->text.len && op_parse(op->text, &b->scratch);
    if (parsed) strbuf_add(&text, op->text);
    else buffer_op_line(&text, op);
    struct hash128 hash = hash_bytes(strbuf_slice(&text));
    uint32_t number = run_write_known_op(&b->writer, hash);
    if (number == NONE) {
        vec_clear(&b->refs);
        struct op made = parsed ? parsed_op(b) : op_was_told(b, op);
        made.text = strtab_id(&b->run->strings, strbuf_slice(&text));
        made.hash = hash;
        number = run_write_op(&b->writer, &made, b->refs.items);
    }
    strbuf_release(&text);
    return number;
}

static uint32_t add_op(struct buffers *b, const struct buffer_op *op) {
    if (op->text.len || op->operand_count || op->result_count) return make_op(b, op);
    bool added;
    struct hash128 name = hash_bytes(op->name), location = hash_bytes(op->location);
    struct hash128 key = {hash_mix(name.low, location.low), hash_mix(name.high, location.high)};
    uint32_t *number = map_at(&b->named_ops, key, &added);
    if (added) *number = make_op(b, op);
    return *number;
}

static void fill_pool(struct buffers *b, struct block *block, struct block_rest *rest, enum pool pool,
                      struct pool_state *state) {
    if (!state->sized) {
        state->config = run_write_config(&b->writer, pool, 0, 0, 0);
        state->sized = true;
    }
    uint64_t allocated = state->given ? state->allocated : state->sum;
    uint64_t free = state->given ? state->free : 0, largest = state->given ? state->largest : 0;
    block->have |= (uint8_t)(1u << pool);
    block->config[pool] = (uint16_t)state->config;
    block->allocated[pool] = milli_mb(allocated);
    if (!state->given && state->bank_bytes > allocated) free = state->bank_bytes - allocated;
    if (!state->given && state->has_region && !state->open_end && !state->overlapping)
        largest = allocator_stats(&state->places).largest_free;
    else if (!state->given) block->partial |= (uint8_t)(1u << pool);
    block->free[pool] = milli_mb(free);
    block->largest[pool] = milli_mb(largest);
    rest->allocated[pool] = bytes_rest(allocated, block->allocated[pool]);
    rest->free[pool] = bytes_rest(free, block->free[pool]);
    rest->largest[pool] = bytes_rest(largest, block->largest[pool]);
}

/* Adds the rank's state as the block before the step, if something is known already. */
static void add_block(struct buffers *b, struct step *step) {
    struct pool_state *pools = b->ranks.items[step->rank].pools;
    bool known = false;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) known |= pools[pool].known;
    if (!known) return;
    struct block *block = run_write_block(&b->writer, step, step->line);
    vec_push(&b->run->rests, ((struct block_rest){0}));
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (pools[pool].known) fill_pool(b, block, &vec_last(&b->run->rests), (enum pool)pool, &pools[pool]);
    run_write_block_done(&b->writer, step->block);
}

static struct step *add_step(struct buffers *b, uint16_t rank, enum step_kind kind, uint64_t line) {
    struct step *step = run_write_step(&b->writer, rank, kind, line);
    if (b->ranks.items[rank].pass) step->execution = b->ranks.items[rank].pass - 1;
    add_block(b, step);
    vec_push(&b->run->times, ((struct step_time){.start_ns = b->ranks.items[rank].clock_ns}));
    b->ranks.items[rank].last_step = (uint32_t)b->run->steps.len - 1;
    return step;
}

void buffers_op(struct buffers *b, uint16_t rank, const struct buffer_op *op) {
    uint32_t id = add_op(b, op);
    struct step *step = add_step(b, rank, STEP_OP, op->line);
    step->op = id;
    run_write_record(&b->writer, step);
    if (step->execution != NONE) {
        struct execution *pass = &b->run->executions.items[step->execution];
        pass->own_ops++;
        pass->key = pass->place_key = pass->text_key = hash_mix(pass->text_key, id);
    }
    b->run->op_lines++;
    vec_push(&b->ranks.items[rank].open, (uint32_t)(step - b->run->steps.items));
}

/* --- time --- */

/* Ops without a known end last until the next step. */
static void fill_ends(struct run *run, size_t count) {
    for (size_t i = run->ends.len; i < count; i++) vec_push(&run->ends, (uint32_t)i + 1);
}

/* Notes the end of an op. Ops with nothing inside end at the next step and need no entry. */
static void note_end(struct buffers *b, uint32_t op) {
    struct run *run = b->run;
    uint32_t end = (uint32_t)run->steps.len;
    if (end <= op + 1 && !run->ends.len) return;
    fill_ends(run, end);
    run->ends.items[op] = end;
}

/* An op lasts at least as long as everything inside it. */
void buffers_op_ends(struct buffers *b, uint16_t rank, uint64_t duration_ns) {
    struct rank_buffers *r = &b->ranks.items[rank];
    if (!r->open.len) return;
    uint32_t ended = r->open.items[--r->open.len];
    struct step_time *time = &b->run->times.items[ended];
    note_end(b, ended);
    uint64_t end = time->start_ns + (duration_ns <= LONGEST_NS ? duration_ns : 0);
    if (end > r->clock_ns && end <= LONGEST_NS) r->clock_ns = end;
    time->duration_ns = r->clock_ns - time->start_ns;
    if (duration_ns) b->timed = true;
    if (r->open.len) r->last_step = vec_last(&r->open); /* later events belong to the enclosing op */
}

void buffers_at(struct buffers *b, uint16_t rank, uint64_t ns) {
    struct rank_buffers *r = &b->ranks.items[rank];
    if (ns < r->clock_ns || ns > LONGEST_NS) return;
    if (r->last_step != NONE) b->run->times.items[r->last_step].duration_ns = ns - b->run->times.items[r->last_step].start_ns;
    r->clock_ns = ns;
    b->timed = true;
}

void buffers_add_state(struct buffers *b, uint16_t rank, struct slice name, uint64_t line) {
    struct step *step = add_step(b, rank, STEP_BLOCK, line);
    step->op_type = strtab_id(&b->run->strings, name);
    run_write_record(&b->writer, step);
}

/* Later events still belong to the last op. */
static struct step *add_aside(struct buffers *b, uint16_t rank, enum step_kind kind, struct slice name) {
    uint32_t op = b->ranks.items[rank].last_step;
    struct step *step = add_step(b, rank, kind, 0);
    step->op_type = strtab_id(&b->run->strings, name);
    if (op != NONE) b->ranks.items[rank].last_step = op;
    return step;
}

void buffers_inside(struct buffers *b, uint16_t rank) {
    add_aside(b, rank, STEP_AFTER_SUBMIT, SLICE("inside"))->flags |= STEP_INSIDE;
}

void buffers_between(struct buffers *b, uint16_t rank, struct slice name) {
    if (b->ranks.items[rank].last_step != NONE) add_aside(b, rank, STEP_BLOCK, name);
}

void buffers_pass_begins(struct buffers *b, uint16_t rank, struct slice program) {
    struct execution pass = {.name = strtab_id(&b->run->strings, program), .parent = NONE, .caller = NONE, .rank = rank};
    b->ranks.items[rank].pass = run_write_execution(&b->writer, &pass) + 1;
}

void buffers_pass_ends(struct buffers *b, uint16_t rank, bool finished) {
    struct rank_buffers *r = &b->ranks.items[rank];
    if (r->pass) run_write_execution_end(&b->writer, r->pass - 1, finished, 0);
    r->pass = 0;
}

/* --- buffers --- */

static uint64_t buffer_key(enum pool pool, uint64_t address) { return address * POOL_COUNT + pool; }

static uint32_t next_step(const struct buffers *b) { return (uint32_t)b->run->steps.len; }

enum { NO_RESULT = INT32_MAX };

/* The index of the tensor among the results of the step's op. */
static uint32_t result_number(const struct run *run, uint32_t step, const struct buffer_tensor *tensor) {
    uint32_t op_id = step == NONE || !tensor ? NONE : run->steps.items[step].op;
    if (op_id == NONE) return NO_RESULT;
    const struct op *op = &run->ops.items[op_id];
    if (op->result_count == 1 && op->result == (uint32_t)(tensor->id & 0xfffffff) + 1) return 0; /* as its text names it */
    for (uint32_t i = 0; i < op->result_count; i++)
        if (run->refs.items[op->first_ref + op->operand_count + i].value == (uint32_t)(tensor->id & 0xfffffff) + 1) return i;
    return NO_RESULT;
}

static uint32_t add_tensor(struct buffers *b, uint16_t rank, const struct device_buffer *buffer) {
    struct run *run = b->run;
    uint32_t producer = b->ranks.items[rank].last_step;
    struct buffer_tensor raw = {.dtype = SLICE("bytes"), .pool = buffer->pool, .raw = true};
    char bytes[NUM_ROOM];
    if (buffer->tensor) raw = *buffer->tensor;
    raw.on_device = true;
    raw.pool = buffer->pool;
    raw.bank_bytes = buffer->bank_bytes;
    if (!buffer->tensor) raw.shape = slice_of(bytes, num_write_u64(bytes, buffer->bank_bytes));
    struct tensor tensor = {.type = add_type(b, &raw),
                            .born = next_step(b),
                            .gone = NONE,
                            .producer = producer,
                            .last_use = NONE,
                            .execution = NONE,
                            .argument = result_number(run, producer, buffer->tensor),
                            .name = strtab_id(&run->strings, buffer->name),
                            .rank = rank,
                            .bounded = buffer->bounded,
                            .class = (uint8_t)buffer->class};
    uint32_t id = run_write_tensor_at(&b->writer, &tensor, buffer->address);
    vec_push(&run->moves, 2 * id);
    return id;
}

static void drop(struct buffers *b, uint16_t rank, uint32_t index) {
    struct rank_buffers *r = &b->ranks.items[rank];
    struct live_buffer *live = &r->buffers.items[index];
    struct pool_state *state = &r->pools[live->pool];
    uint64_t key = r->keys.items[index];
    b->run->tensors.items[live->tensor].gone = next_step(b);
    vec_push(&b->run->moves, 2 * live->tensor + 1);
    state->sum -= live->bytes;
    if (live->placed) allocator_free(&state->places, key / POOL_COUNT);
    idmap_remove(&r->live, key);
    live->round = UINT32_MAX; /* unused */
    vec_push(&r->unused, index);
}

/* Rejects sizes beyond any possible chip, so that sums cannot overflow. */
static bool believable(const struct device_buffer *buffer) {
    return buffer->bank_bytes && buffer->bank_bytes < (uint64_t)1 << 44 && buffer->address < (uint64_t)1 << 56;
}

static uint32_t place_for(struct rank_buffers *r, uint64_t key) {
    if (r->unused.len) {
        uint32_t index = r->unused.items[--r->unused.len];
        r->keys.items[index] = key;
        return index;
    }
    vec_push(&r->buffers, (struct live_buffer){0});
    vec_push(&r->keys, key);
    return (uint32_t)r->buffers.len - 1;
}

/* Marks a buffer that is still there; drops one of a different size at its address. */
static bool still_there(struct buffers *b, uint16_t rank, const struct device_buffer *buffer) {
    struct rank_buffers *r = &b->ranks.items[rank];
    uint32_t *known = idmap_find(&r->live, buffer_key(buffer->pool, buffer->address));
    if (!known) return false;
    struct live_buffer *live = &r->buffers.items[*known];
    live->round = r->round;
    if (live->bytes == buffer->bank_bytes) return true;
    drop(b, rank, *known);
    return false;
}

static void add_buffer(struct buffers *b, uint16_t rank, const struct device_buffer *buffer) {
    struct rank_buffers *r = &b->ranks.items[rank];
    struct pool_state *state = &r->pools[buffer->pool];
    uint64_t key = buffer_key(buffer->pool, buffer->address);
    uint32_t tensor = add_tensor(b, rank, buffer), index = place_for(r, key);
    bool placed = state->has_region && allocator_ok(allocator_take_at(&state->places, buffer->address, buffer->bank_bytes));
    r->buffers.items[index] = (struct live_buffer){
        .tensor = tensor, .round = r->round, .bytes = buffer->bank_bytes, .pool = buffer->pool, .placed = placed};
    idmap_set(&r->live, key, index);
    state->known = true;
    state->overlapping |= state->has_region && !placed;
    state->sum += buffer->bank_bytes;
}

void buffers_take(struct buffers *b, uint16_t rank, const struct device_buffer *buffer) {
    struct rank_buffers *r = &b->ranks.items[rank];
    if (!believable(buffer)) return;
    if (r->naming) {
        struct named_buffer named = {.buffer = *buffer};
        if (buffer->tensor) {
            named.tensor = *buffer->tensor;
            named.tensor.shape = arena_copy(&r->named_texts, buffer->tensor->shape);
            named.tensor.dtype = arena_copy(&r->named_texts, buffer->tensor->dtype);
        }
        vec_push(&r->named, named);
    } else if (!still_there(b, rank, buffer)) {
        add_buffer(b, rank, buffer);
    }
}

bool buffers_keep(struct buffers *b, uint16_t rank, enum pool pool, uint64_t address, uint64_t bank_bytes) {
    struct rank_buffers *r = &b->ranks.items[rank];
    const uint32_t *known = idmap_find(&r->live, buffer_key(pool, address));
    if (!known || r->buffers.items[*known].bytes != bank_bytes) return false;
    r->buffers.items[*known].round = r->round;
    return true;
}

uint64_t buffers_bytes_at(const struct buffers *b, uint16_t rank, enum pool pool, uint64_t address) {
    const struct rank_buffers *r = &b->ranks.items[rank];
    const uint32_t *known = idmap_find(&r->live, buffer_key(pool, address));
    return known ? r->buffers.items[*known].bytes : 0;
}

uint64_t buffers_sum(const struct buffers *b, uint16_t rank, enum pool pool) { return b->ranks.items[rank].pools[pool].sum; }

bool buffers_lowest(const struct buffers *b, uint16_t rank, enum pool pool, uint64_t *address) {
    const struct pool_state *state = &b->ranks.items[rank].pools[pool];
    return state->has_region && !state->overlapping && allocator_lowest(&state->places, address);
}

void buffers_free(struct buffers *b, uint16_t rank, enum pool pool, uint64_t address) {
    uint32_t *known = idmap_find(&b->ranks.items[rank].live, buffer_key(pool, address));
    if (known) drop(b, rank, *known);
}

void buffers_use(struct buffers *b, uint16_t rank, enum pool pool, uint64_t address) {
    const struct rank_buffers *r = &b->ranks.items[rank];
    const uint32_t *known = idmap_find(&r->live, buffer_key(pool, address));
    if (known) b->run->tensors.items[r->buffers.items[*known].tensor].last_use = r->last_step;
}

void buffers_reclass(struct buffers *b, uint16_t rank, enum pool pool, uint64_t address, enum tensor_class class) {
    const struct rank_buffers *r = &b->ranks.items[rank];
    const uint32_t *known = idmap_find(&r->live, buffer_key(pool, address));
    if (known) b->run->tensors.items[r->buffers.items[*known].tensor].class = (uint8_t) class;
}

void buffers_module(struct buffers *b, struct slice stage, struct slice text, uint64_t offset) {
    struct module module = {.stage = stage, .set = run_compilations(b->run), .line = 1, .closed = true};
    module.text.lines_stay = module.text.wants_ops = true;
    run_write_module(&b->writer, &module);
    struct module *added = &vec_last(&b->run->modules);
    for (struct slice rest = text; rest.len;) {
        size_t end = slice_find_byte(rest, '\n');
        if (!module_line(&added->text, slice_take(rest, end))) break;
        rest = slice_skip(rest, end == SLICE_NONE ? rest.len : end + 1);
    }
    module_finish(&added->text);
    vec_push(&added->runs, ((struct text_run){.offset = offset, .length = text.len}));
}

void buffers_failure(struct buffers *b, uint16_t rank, const struct failure *failure, uint64_t line) {
    bool is_new;
    struct failure_site site = {.step = b->ranks.items[rank].last_step, .rank = rank};
    run_write_failure(&b->writer, failure, line, site, &is_new);
}

void buffers_all_begin(struct buffers *b, uint16_t rank) {
    struct rank_buffers *r = &b->ranks.items[rank];
    r->round++;
    r->naming = true;
    vec_clear(&r->named);
    arena_clear(&r->named_texts);
    for (unsigned pool = 0; pool <= POOL_L1; pool++) r->pools[pool].known |= r->pools[pool].sized;
}

/* Drops old buffers first, so that their addresses are free for new ones. */
void buffers_all_end(struct buffers *b, uint16_t rank) {
    struct rank_buffers *r = &b->ranks.items[rank];
    r->naming = false;
    size_t kept = 0;
    for (size_t i = 0; i < r->named.len; i++) {
        struct named_buffer named = r->named.items[i];
        if (!still_there(b, rank, &named.buffer)) r->named.items[kept++] = named;
    }
    for (uint32_t i = 0; i < r->buffers.len; i++)
        if (r->buffers.items[i].round != UINT32_MAX && r->buffers.items[i].round != r->round) drop(b, rank, i);
    for (size_t i = 0; i < kept; i++) {
        struct named_buffer *named = &r->named.items[i];
        if (named->buffer.tensor) named->buffer.tensor = &named->tensor;
        if (!still_there(b, rank, &named->buffer)) add_buffer(b, rank, &named->buffer);
    }
}

void buffers_state(struct buffers *b, uint16_t rank, enum pool pool, uint64_t allocated, uint64_t free, uint64_t largest) {
    struct pool_state *state = &b->ranks.items[rank].pools[pool];
    state->known = state->given = true;
    state->allocated = allocated;
    state->free = free;
    state->largest = largest;
}

/* --- the end --- */

void buffers_end(struct buffers *b) {
    struct run *run = b->run;
    for (size_t i = 0; i < b->ranks.len; i++) {
        uint16_t rank = (uint16_t)i;
        struct rank_buffers *r = &b->ranks.items[i];
        if (r->pass) buffers_pass_ends(b, rank, false);
        /* if the input records where ops end, those still open last to the end */
        while (run->ends.len && r->open.len) note_end(b, r->open.items[--r->open.len]);
        /* the state after the last op is not a record */
        if (r->last_step != NONE && run->steps.items[r->last_step].kind == STEP_OP)
            add_step(b, rank, STEP_AFTER_SUBMIT, 0)->op_type = strtab_id(&run->strings, SLICE("end"));
        for (unsigned pool = 0; pool < POOL_COUNT; pool++)
            if (r->pools[pool].has_region) allocator_release(&r->pools[pool].places);
        idmap_release(&r->live);
        vec_release(&r->buffers);
        vec_release(&r->open);
        vec_release(&r->unused);
        vec_release(&r->keys);
        vec_release(&r->named);
        arena_release(&r->named_texts);
    }
    if (run->ends.len) fill_ends(run, run->steps.len);
    if (!b->timed) vec_release(&run->times);
    if (!run->chip) run->chip = chip_guess(run->geometry.dram_banks, run->geometry.l1_banks, 0);
    run_write_end(&b->writer);
    op_release(&b->scratch);
    vec_release(&b->refs);
    map_release(&b->types);
    map_release(&b->named_ops);
    vec_release(&b->ranks);
    free(b);
}
