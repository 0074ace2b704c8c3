/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/fit/module_trace.h"

#include "device/allocator_or_end.h"

#include <stdio.h>

/* More than any program takes. */
static const uint64_t ENDLESS = (uint64_t)1 << 46, LARGEST = (uint64_t)1 << 60;

/* A buffer of the replay when it is taken. */
struct seen_buffer {
    uint32_t buffer; /* in the trace; NONE: in another pool */
    uint32_t state;  /* in which it was taken */
    uint32_t used;   /* state that used it last, or IR_NONE */
    uint32_t nth;    /* index among the buffers that its state took */
    uint32_t argument;
    uint8_t class;
    bool elsewhere; /* used by more than const-eval functions */
    bool returned;
    const struct tensor_type *type;
};

struct module_telling {
    struct module_trace *made;
    VEC(struct seen_buffer) seen; /* by buffer of the replay */
    VEC(uint32_t) ends;           /* state -> first event after it */
    uint32_t nth_of, nth;         /* last state that took a buffer, and how many it took */
};

static uint32_t place_now(const struct module_trace *m) { return (uint32_t)m->replay.memory.place; }

static void on_take(void *context, uint32_t number) {
    struct module_telling *t = context;
    struct module_trace *m = t->made;
    const struct buffer *b = &m->replay.memory.buffers.items[number];
    uint32_t state = place_now(m);
    if (state != t->nth_of) t->nth = 0;
    t->nth_of = state;
    struct seen_buffer seen = {.buffer = NONE, .state = state, .used = IR_NONE, .nth = t->nth++, .class = b->class};
    seen.argument = state < m->replay.states.len ? m->replay.states.items[state].argument : IR_NONE;
    if (m->replay.taking) {
        struct tensor_type *copy = arena_alloc(&m->trace.arena, sizeof *copy);
        char shape[160];
        *copy = m->replay.taking->type;
        copy->shape = arena_copy(&m->trace.arena, slice_of(shape, ir_shape_text(m->replay.taking, shape, sizeof shape)));
        seen.type = copy;
    }
    if (b->pool == (uint8_t)m->trace.pool) {
        if (!m->trace.groups.len)
            fit_trace_group(&m->trace, &(struct fit_group){.place = NONE}); /* a placeholder until all is known */
        seen.buffer = fit_trace_take(&m->trace, 0, b->bytes, UINT64_MAX, state);
        m->trace.buffers.items[seen.buffer].high = b->class == MEMORY_BINARY && m->trace.pool == POOL_DRAM;
    }
    while (t->seen.len <= number) vec_push(&t->seen, ((struct seen_buffer){.buffer = NONE, .used = IR_NONE}));
    t->seen.items[number] = seen;
}

static void on_free(void *context, uint32_t number) {
    struct module_telling *t = context;
    if (number < t->seen.len && t->seen.items[number].buffer != NONE)
        fit_trace_free(&t->made->trace, t->seen.items[number].buffer, place_now(t->made));
}

static void on_reclass(void *context, uint32_t number) {
    struct module_telling *t = context;
    if (number < t->seen.len) t->seen.items[number].class = t->made->replay.memory.buffers.items[number].class;
}

static const struct ir_function *function_of(const struct replay *r, const struct op_state *s) {
    return s->function == IR_NONE ? NULL : &r->runs.items[s->program].ir->functions.items[s->function];
}

static void on_use(void *context, uint32_t state, uint32_t number) {
    struct module_telling *t = context;
    const struct replay *r = &t->made->replay;
    const struct op_state *s = &r->states.items[state];
    const struct ir_op *op = place_op(r, s);
    if (number >= t->seen.len) return;
    struct seen_buffer *seen = &t->seen.items[number];
    const struct ir_function *f = function_of(r, s);
    bool const_eval = slice_equal(op->name, SLICE("ttcore.load_cached")) || (f && f->kind == IR_CONST_EVAL);
    seen->elsewhere |= !const_eval;
    /* what a called function uses stays in use until the call ends */
    uint32_t frame = seen->state < r->states.len ? r->states.items[seen->state].caller : IR_NONE;
    while (s->caller != frame && s->caller != IR_NONE) {
        state = s->caller;
        s = &r->states.items[state];
    }
    seen->used = state;
}

static void on_begin(void *context, uint32_t state) {
    struct module_trace *m = ((struct module_telling *)context)->made;
    while (m->numbers.len <= state) vec_push(&m->numbers, NONE);
    m->numbers.items[state] = m->begun++;
}

static void on_end(void *context, uint32_t state) {
    struct module_telling *t = context;
    while (t->ends.len <= state) vec_push(&t->ends, NONE);
    t->ends.items[state] = (uint32_t)t->made->trace.events.len;
}

/* --- groups, when everything is known --- */

static enum live_class live_class_of(uint8_t class) {
    static const enum live_class classes[MEMORY_CLASSES] = {
        [MEMORY_WEIGHT] = LIVE_WEIGHT,       [MEMORY_CONST_EVAL] = LIVE_CONST_EVAL,   [MEMORY_KV_CACHE] = LIVE_KV_CACHE,
        [MEMORY_INPUT] = LIVE_INPUT,         [MEMORY_CONSTANT] = LIVE_WEIGHT,         [MEMORY_ACTIVATION] = LIVE_ACTIVATION,
        [MEMORY_TEMPORARY] = LIVE_TEMPORARY, [MEMORY_RESHAPE_MAP] = LIVE_RESHAPE_MAP, [MEMORY_TABLE] = LIVE_TABLE,
        [MEMORY_BINARY] = LIVE_BINARY,       [MEMORY_RESIDENT] = LIVE_CLASS_COUNT,
    };
    return classes[class];
}

static enum fit_holder holder_of(const struct seen_buffer *seen) {
    static const enum fit_holder holders[MEMORY_CLASSES] = {
        [MEMORY_WEIGHT] = HOLDER_RUNTIME, [MEMORY_CONST_EVAL] = HOLDER_RUNTIME,  [MEMORY_KV_CACHE] = HOLDER_RUNTIME,
        [MEMORY_INPUT] = HOLDER_CALLER,   [MEMORY_CONSTANT] = HOLDER_RUNTIME,    [MEMORY_ACTIVATION] = HOLDER_PROGRAM,
        [MEMORY_TEMPORARY] = HOLDER_OP,   [MEMORY_RESHAPE_MAP] = HOLDER_RUNTIME, [MEMORY_TABLE] = HOLDER_RUNTIME,
        [MEMORY_BINARY] = HOLDER_RUNTIME, [MEMORY_RESIDENT] = HOLDER_RUNTIME,
    };
    return seen->returned ? HOLDER_RETURNED : holders[seen->class];
}

static struct slice argument_name(struct fit_trace *trace, const struct replay *r, const struct op_state *s, uint32_t number) {
    const struct ir *ir = r->runs.items[s->program].ir;
    const struct ir_function *f = function_of(r, s);
    char text[32];
    if (f && number < f->argument_count) {
        struct slice name = ir->arguments.items[f->first_argument + number].name;
        if (name.len) return name;
    }
    return arena_copy(&trace->arena, slice_of(text, (size_t)snprintf(text, sizeof text, "%%arg%u", number)));
}

static struct slice name_of(struct fit_trace *trace, const struct replay *r, const struct seen_buffer *seen) {
    const struct op_state *s = prediction_place(r, seen->state);
    const struct ir_op *op = s ? place_op(r, s) : NULL;
    if (!s) return slice_of("", 0);
    if (!op) return seen->argument == IR_NONE ? slice_of("", 0) : argument_name(trace, r, s, seen->argument);
    struct slice ssa = op->ssa;
    if (seen->class != MEMORY_RESHAPE_MAP && seen->class != MEMORY_TABLE) return ssa;
    char text[64];
    int n = snprintf(text, sizeof text, "%s of %.*s", seen->class == MEMORY_RESHAPE_MAP ? "map" : "tables",
                     (int)(ssa.len > 24 ? 24 : ssa.len), ssa.ptr);
    return arena_copy(&trace->arena, slice_of(text, (size_t)n));
}

/* The first program of the same module: a program that runs again is the same code. */
static uint64_t first_of_module(const struct replay *r, uint64_t program) {
    uint64_t first = 0;
    while (r->runs.items[first].ir != r->runs.items[program].ir) first++;
    return first;
}

/* Where in the text it is made: independent of the options. */
static uint64_t key_of(const struct replay *r, const struct seen_buffer *seen) {
    const struct op_state *s = prediction_place(r, seen->state);
    const struct ir_op *op = s ? place_op(r, s) : NULL;
    if (!s) return 1;
    uint64_t where = op ? (uint64_t)op->line << 32 | seen->nth : ((uint64_t)1 << 63 | seen->argument);
    if (!op && seen->class == MEMORY_TEMPORARY) where ^= (uint64_t)1 << 62;
    return hash_mix(hash_mix(where, first_of_module(r, s->program) + 1),
                    seen->class == MEMORY_RESHAPE_MAP || seen->class == MEMORY_BINARY || seen->class == MEMORY_TABLE
                        ? (uint64_t)seen->class + 1
                        : 0);
}

static void make_groups(struct module_telling *t) {
    struct fit_trace *trace = &t->made->trace;
    const struct replay *r = &t->made->replay;
    struct map known = {0};
    vec_clear(&trace->groups);
    for (size_t i = 0; i < t->seen.len; i++) {
        const struct seen_buffer *seen = &t->seen.items[i];
        if (seen->buffer == NONE) continue;
        struct fit_buffer *b = &trace->buffers.items[seen->buffer];
        uint64_t key = key_of(r, seen);
        bool added;
        uint32_t *group = map_at(&known, (struct hash128){key, hash_mix(key, seen->class)}, &added);
        if (added)
            *group = fit_trace_group(trace, &(struct fit_group){.name = name_of(trace, r, seen),
                                                                .key = key,
                                                                .class = (uint8_t)live_class_of(seen->class),
                                                                .holder = (uint8_t)holder_of(seen),
                                                                .estimated = r->memory.buffers.items[i].estimated,
                                                                .const_eval = !seen->elsewhere,
                                                                .place = seen->state,
                                                                .type = seen->type});
        struct fit_group *g = &trace->groups.items[*group];
        b->group = *group;
        g->buffers++;
        g->const_eval &= !seen->elsewhere;
        if (b->bytes > g->bytes) g->bytes = b->bytes;
        uint32_t used = seen->used == IR_NONE && seen->class == MEMORY_ACTIVATION ? seen->state : seen->used;
        uint32_t end = used < t->ends.len ? t->ends.items[used] : NONE;
        if (end != NONE && end > b->take && (b->free == NONE || end < b->free)) b->unused = end;
    }
    map_release(&known);
}

static void module_op_of(const struct fit_trace *trace, uint32_t place, struct fit_op *op) {
    const struct replay *r = &((const struct module_trace *)(const void *)trace)->replay;
    const struct op_state *s = place == NONE ? NULL : prediction_place(r, place);
    *op = (struct fit_op){.index = NONE};
    if (!s) return;
    const struct ir *ir = r->runs.items[s->program].ir;
    const struct ir_op *of = place_op(r, s);
    op->program = ir->symbol.len ? ir->symbol : ir_main(ir)->name;
    if (!of) return;
    const struct module_trace *m = (const struct module_trace *)(const void *)trace;
    op->index = place < m->numbers.len ? m->numbers.items[place] : NONE;
    op->name = of->name;
    op->ssa = of->ssa;
    op->line = of->line;
}

/* Values that a program returned are kept without a name. */
static void note_returned(struct module_telling *t) {
    const struct replay *r = &t->made->replay;
    for (size_t i = 0; i < r->kept.len; i++) {
        const struct kept_tensor *kept = &r->kept.items[i];
        if (!kept->name.len && kept->buffer < t->seen.len && t->seen.items[kept->buffer].argument == IR_NONE)
            t->seen.items[kept->buffer].returned = true;
    }
}

/* Runs on a bank that holds anything; the rest of the device is unchanged. */
static void run_programs(struct module_telling *t, const struct prediction *p, const struct predict_options *options,
                         const struct predict_device *device, struct reshape_maps *maps) {
    struct module_trace *m = t->made;
    struct replay_options as_asked = options->replay;
    as_asked.resident = 0;
    replay_init(&m->replay, device, &as_asked);
    m->replay.lent = maps;
    struct allocator *pool = &m->replay.memory.pools[m->trace.pool];
    allocator_release(pool);
    (void)allocator_ok(allocator_init(pool, device->pools[m->trace.pool].base, ENDLESS, device->geometry.dram_align));
    m->replay.memory.watch = (struct memory_watch){t, on_take, on_free, on_reclass};
    m->replay.op_watch = (struct op_watch){.context = t, .begins = on_begin, .uses = on_use, .ends = on_end};
    if (options->replay.resident)
        memory_take(&m->replay.memory, POOL_DRAM, options->replay.resident, MEMORY_LOW, MEMORY_RESIDENT);
    for (size_t i = 0; i < p->forms.programs.len; i++) {
        replay_program(&m->replay, &p->modules[p->module_of[i]], options->between);
        note_returned(t);
    }
}

/* A buffer larger than even that bank ended the replay: the request counts all the same. */
static void add_giant(struct module_trace *m) {
    const struct memory_failure *f = &m->replay.memory.failure;
    if (!m->replay.memory.failures || f->pool != m->trace.pool) return;
    struct fit_group request = {.name = SLICE("what is larger than any bank"),
                                .class = LIVE_ACTIVATION,
                                .holder = HOLDER_OP,
                                .request = true,
                                .place = (uint32_t)f->place};
    uint32_t group = fit_trace_group(&m->trace, &request);
    fit_trace_take(&m->trace, group, f->want < LARGEST ? f->want : LARGEST, UINT64_MAX, (uint32_t)f->place);
    m->trace.ended = true;
}

static void note_cut(struct module_trace *m) {
    const struct memory_failure *f = &m->replay.memory.failure;
    m->trace.cut = module_trace_is_cut(m);
    if (m->replay.memory.failures && f->pool != m->trace.pool)
        m->trace.stop = (struct fit_stop){f->pool, f->want, f->allocated, f->free, f->largest, (uint32_t)f->place};
}

void module_trace_make(struct module_trace *made, struct prediction *p, const struct predict_options *options, enum pool pool) {
    struct module_telling t = {.made = made, .nth_of = IR_NONE};
    struct predict_device device;
    *made = (struct module_trace){.trace = {.pool = pool, .compiled = true, .op_of = module_op_of}};
    const struct prediction *of = p;
    if (memcmp(&options->scale, &p->options.scale, sizeof options->scale) != 0) {
        made->is_again = true;
        prediction_read_again(p, options, &made->again);
        of = &made->again;
    }
    device_make(&device, of->count ? of->modules[of->module_of[0]].system_desc : slice_of("", 0), &options->device);
    const struct predict_pool *bank = &device.pools[pool];
    made->trace.base = bank->base;
    made->trace.bank = made->trace.capacity = bank->bytes;
    made->trace.has_capacity = bank->bytes > 0;
    made->trace.banks = bank->banks;
    made->trace.chip = device.chip;
    made->trace.alignment = device.geometry.dram_align;
    made->trace.device_assumed = device.source == DEVICE_ASSUMED;
    run_programs(&t, of, options, &device, &p->replay.maps);
    make_groups(&t);
    add_giant(made);
    note_cut(made);
    vec_release(&t.seen);
    vec_release(&t.ends);
}

bool module_trace_is_cut(const struct module_trace *made) {
    const struct replay *r = &made->replay;
    bool elsewhere = r->memory.failures && r->memory.failure.pool != made->trace.pool;
    return prediction_replay_is_cut(r) || (r->stopped && (!r->memory.failures || elsewhere));
}

void module_trace_release(struct module_trace *made) {
    fit_trace_release(&made->trace);
    vec_release(&made->numbers);
    replay_release(&made->replay);
    if (made->is_again) prediction_release_part(&made->again);
}
