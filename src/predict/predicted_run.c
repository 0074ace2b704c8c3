/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/predicted_run.h"

#include "base/num.h"
#include "model/buffers.h"
#include "model/run.h"
#include "parse/log.h"
#include "predict/fit/run_modules.h"
#include "predict/ir/forms.h"
#include "predict/ir/pieces.h"
#include "predict/prediction.h"

/* Aliases can contain aliases; op lines longer than this are kept as they are. */
enum { MOST_LEVELS = 4, LONGEST_OP = 1 << 16 };

enum { NOT_A_RESULT = 0xffffffe };

/* An op that ran others: its step, and the last one inside. */
struct outer_op {
    uint32_t step, last;
};

struct writing {
    struct buffers *buffers;
    const struct run *run;
    struct replay replay;
    struct strbuf text;
    uint64_t peaks[POOL_COUNT]; /* of DRAM and L1; 0 once a state shows it */
    uint32_t op_state;          /* the running op, or NONE */
    bool ended;                 /* an op has, and no state shows what it left */
    VEC(uint32_t) steps;        /* of each state, or NONE */
    VEC(struct outer_op) outer; /* in the order in which they end */
};

static bool begins_as_module(struct slice bytes) {
    struct slice head = slice_trim(bytes);
    bool module =
        slice_starts(head, SLICE("#")) || slice_starts(head, SLICE("module")) || slice_starts(head, SLICE("builtin.module"));
    return module && slice_find(bytes, SLICE("MLIR Module ")) == SLICE_NONE;
}

bool predicted_run_is_module(struct slice bytes) {
    return begins_as_module(bytes) && slice_find(bytes, SLICE("func.func")) != SLICE_NONE;
}

bool predicted_run_looks_like(struct slice bytes) {
    if (form_is_binary(bytes)) return true;
    if (!begins_as_module(bytes)) return false;
    return slice_find(bytes, SLICE("\"ttnn.")) != SLICE_NONE || slice_find(bytes, SLICE("#ttnn.ttnn_")) != SLICE_NONE;
}

static bool is_alias_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Writes the op as the runtime prints it, with every alias written out. */
static void write_out(struct strbuf *out, const struct ir *ir, struct slice text, unsigned level) {
    while (text.len) {
        size_t at = slice_find_byte(text, '#');
        strbuf_add(out, slice_take(text, at));
        if (at == SLICE_NONE) return;
        text = slice_skip(text, at);
        size_t len = 1;
        while (len < text.len && is_alias_byte(text.ptr[len])) len++;
        struct slice alias = slice_take(text, len), value = ir_alias_find(&ir->types, alias);
        bool location = slice_starts(value, SLICE("loc("));
        if (!value.len || level == MOST_LEVELS || out->len > LONGEST_OP) strbuf_add(out, alias);
        else write_out(out, ir, location ? slice_of(value.ptr + 4, value.len - 5) : value, level + 1);
        text = slice_skip(text, len);
    }
}

static uint64_t ssa_number(const struct ir_op *op) {
    uint64_t n = 0;
    if (op && op->ssa.len > 1) num_read_u64(slice_skip(op->ssa, 1), &n);
    return n;
}

/* Has a pool reached its peak for the first time? */
static bool is_at_peak(struct writing *w) {
    bool at_peak = false;
    for (int pool = 0; pool < POOL_COUNT; pool++) {
        if (!w->peaks[pool] || memory_allocated(&w->replay.memory, (enum pool)pool) != w->peaks[pool]) continue;
        w->peaks[pool] = 0;
        at_peak = true;
    }
    return at_peak;
}

static void on_op(void *context, uint32_t number) {
    struct writing *w = context;
    const struct op_state *s = &w->replay.states.items[number];
    const struct ir *ir = w->replay.runs.items[s->program].ir;
    const struct ir_op *op = &ir->ops.items[s->op];
    strbuf_clear(&w->text);
    write_out(&w->text, ir, op->text, 0);
    buffers_op(w->buffers, 0, &(struct buffer_op){.name = op->name, .text = strbuf_slice(&w->text), .line = op->line});
    is_at_peak(w); /* the state before the op shows it */
    w->op_state = number;
    w->ended = false;
    while (w->steps.len <= number) vec_push(&w->steps, NONE);
    w->steps.items[number] = (uint32_t)w->run->steps.len - 1;
}

static void on_end(void *context, uint32_t number) {
    struct writing *w = context;
    uint32_t step = number < w->steps.len ? w->steps.items[number] : NONE, last = (uint32_t)w->run->steps.len - 1;
    w->ended = true;
    if (step != NONE && last > step) vec_push(&w->outer, ((struct outer_op){step, last}));
}

/* The state after an op is the one before the next op, unless memory changes between the two: then it has a step of its own, as
 * a log has one before each deallocate. */
static void show_end(struct writing *w, struct slice name) {
    if (!w->ended) return;
    w->ended = false;
    is_at_peak(w);
    buffers_between(w->buffers, 0, name);
}

static void on_use(void *context, uint32_t state, uint32_t number) {
    struct writing *w = context;
    const struct buffer *b = &w->replay.memory.buffers.items[number];
    (void)state;
    if (b->live) buffers_use(w->buffers, 0, (enum pool)b->pool, b->address);
}

static enum tensor_class class_of(enum memory_class class) {
    static const enum tensor_class classes[MEMORY_CLASSES] = {
        [MEMORY_WEIGHT] = TENSOR_WEIGHT,       [MEMORY_CONST_EVAL] = TENSOR_CONST_EVAL,
        [MEMORY_KV_CACHE] = TENSOR_KV_CACHE,   [MEMORY_INPUT] = TENSOR_INPUT,
        [MEMORY_CONSTANT] = TENSOR_WEIGHT,     [MEMORY_ACTIVATION] = TENSOR_ACTIVATION,
        [MEMORY_TEMPORARY] = TENSOR_TEMPORARY, [MEMORY_RESHAPE_MAP] = TENSOR_RESHAPE_MAP,
        [MEMORY_TABLE] = TENSOR_TABLE,         [MEMORY_BINARY] = TENSOR_BINARY,
        [MEMORY_RESIDENT] = TENSOR_ACTIVATION,
    };
    return classes[class];
}

/* The module's name for it, else "%arg3"; valid until the next call. */
static struct slice argument_name(struct writing *w, const struct op_state *s) {
    const struct ir *ir = w->replay.runs.items[s->program].ir;
    const struct ir_function *f = s->function == IR_NONE ? ir_main(ir) : &ir->functions.items[s->function];
    if (f && s->argument < f->argument_count && ir->arguments.items[f->first_argument + s->argument].name.len)
        return ir->arguments.items[f->first_argument + s->argument].name;
    strbuf_clear(&w->text);
    strbuf_addf(&w->text, "%%arg%u", s->argument);
    return strbuf_slice(&w->text);
}

static const bool is_handed_in[MEMORY_CLASSES] = {
    [MEMORY_WEIGHT] = true, [MEMORY_INPUT] = true, [MEMORY_KV_CACHE] = true, [MEMORY_CONSTANT] = true};

static enum buffer_layout layout_of(const struct tensor_type *type) {
    static const enum buffer_layout layouts[] = {[LAYOUT_NONE] = BUFFER_INTERLEAVED,
                                                 [LAYOUT_INTERLEAVED] = BUFFER_INTERLEAVED,
                                                 [LAYOUT_HEIGHT_SHARDED] = BUFFER_HEIGHT_SHARDED,
                                                 [LAYOUT_WIDTH_SHARDED] = BUFFER_WIDTH_SHARDED,
                                                 [LAYOUT_BLOCK_SHARDED] = BUFFER_BLOCK_SHARDED,
                                                 [LAYOUT_ND_SHARDED] = BUFFER_ND_SHARDED};
    return layouts[type->memory_layout];
}

static void on_take(void *context, uint32_t number) {
    struct writing *w = context;
    const struct replay *r = &w->replay;
    const struct buffer *b = &r->memory.buffers.items[number];
    const struct ir_type *type = r->taking;
    const struct op_state *s = prediction_place(r, r->memory.place);
    char shape[128];
    bool result = b->class == MEMORY_ACTIVATION;
    show_end(w, SLICE("end"));
    struct buffer_tensor tensor = {.id = s && result ? ssa_number(place_op(r, s)) : NOT_A_RESULT};
    if (type) {
        tensor.shape = slice_of(shape, ir_shape_text(type, shape, sizeof shape));
        tensor.dtype = type->type.storage;
        tensor.tiled = type->type.tiled;
        tensor.layout = layout_of(&type->type);
        bool whole = tensor_per_bank_bytes(&type->type, &r->device.geometry) == b->bytes;
        if (whole) tensor.total_bytes = tensor_padded_bytes(&type->type, &r->device.geometry);
    }
    bool argument = s && s->op == IR_NONE && s->argument != IR_NONE && is_handed_in[b->class];
    struct device_buffer buffer = {.pool = (enum pool)b->pool,
                                   .name = argument ? argument_name(w, s) : slice_of("", 0),
                                   .address = b->address,
                                   .bank_bytes = b->bytes,
                                   .tensor = type ? &tensor : NULL,
                                   .class = class_of((enum memory_class)b->class)};
    buffers_take(w->buffers, 0, &buffer);
}

/* A peak inside an op is not a state before or after any op: it is recorded separately, so that the run's peak is that of the
 * prediction. */
static void on_free(void *context, uint32_t number) {
    struct writing *w = context;
    const struct replay *r = &w->replay;
    const struct buffer *b = &r->memory.buffers.items[number];
    show_end(w, SLICE("DeallocateOp"));
    if (is_at_peak(w)) buffers_inside(w->buffers, 0);
    buffers_free(w->buffers, 0, (enum pool)b->pool, b->address);
}

/* A buffer that proved to be a const-eval result, or the result of an op. */
static void on_reclass(void *context, uint32_t number) {
    struct writing *w = context;
    const struct buffer *b = &w->replay.memory.buffers.items[number];
    buffers_reclass(w->buffers, 0, (enum pool)b->pool, b->address, class_of((enum memory_class)b->class));
}

static void write_failure(struct writing *w, const struct replay_program *run) {
    static const enum failure_pool pools[POOL_COUNT] = {FAILURE_DRAM, FAILURE_L1, FAILURE_L1_SMALL, FAILURE_TRACE};
    const struct memory_failure *f = &run->failure;
    const struct op_state *s = prediction_place(&w->replay, f->place);
    const struct ir_op *op = s ? place_op(&w->replay, s) : NULL;
    unsigned banks = w->replay.device.pools[f->pool].banks;
    const struct tensor_type *asked = prediction_asked(&w->replay, f); /* banks round up what each of them holds */
    struct failure failure = {.kind = FAILURE_OOM, .pool = pools[f->pool]};
    const struct {
        enum failure_number number;
        uint64_t value;
    } values[] = {{FAILURE_REQUESTED, asked ? tensor_padded_bytes(asked, &w->replay.device.geometry) : f->want * banks},
                  {FAILURE_BANKS, banks},
                  {FAILURE_PER_BANK, f->want},
                  {FAILURE_BANK, w->replay.device.pools[f->pool].bytes},
                  {FAILURE_ALLOCATED, f->allocated},
                  {FAILURE_FREE, f->free},
                  {FAILURE_LARGEST, f->largest}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        failure.number[values[i].number] = values[i].value;
        failure.known |= 1u << values[i].number;
    }
    buffers_failure(w->buffers, 0, &failure, op ? op->line : 0);
}

/* What is replayed. */
struct replayed {
    const struct ir *const *programs;
    size_t count;
    struct predict_device device;
    struct replay_options options;
    enum replay_between between;
    const struct slice *texts; /* of the programs; NULL if reading the modules again would not give these options */
};

/* *estimated: the estimated part of DRAM at its peak. */
static void find_peaks(const struct replayed *what, uint64_t peaks[POOL_COUNT], uint64_t *estimated) {
    static const enum pool pools[] = {POOL_DRAM, POOL_L1};
    struct replay replay;
    replay_init(&replay, &what->device, &what->options);
    for (size_t i = 0; i < what->count; i++)
        if (!replay_program(&replay, what->programs[i], what->between) && !what->options.keep_going) break;
    for (size_t i = 0; i < replay.runs.len; i++)
        for (size_t k = 0; k < sizeof pools / sizeof *pools; k++) {
            const struct memory_peak *peak = &replay.runs.items[i].peaks[pools[k]];
            if (peak->allocated <= peaks[pools[k]]) continue;
            peaks[pools[k]] = peak->allocated;
            if (pools[k] == POOL_DRAM) *estimated = peak->sums.estimated;
        }
    replay_release(&replay);
}

static bool write_program(struct writing *w, struct run *run, const struct replayed *what, size_t i) {
    const struct ir *ir = what->programs[i];
    if (what->count > 1) buffers_pass_begins(w->buffers, 0, ir->symbol.len ? ir->symbol : ir_main(ir)->name);
    bool fits = replay_program(&w->replay, ir, what->between);
    const struct replay_program *ran = &vec_last(&w->replay.runs);
    if (ran->failed && w->replay.memory.failures && !run->failures.entries.len) write_failure(w, ran);
    if (!replay_program_is_whole(ran) && !ran->failed) run_warn(run, WARN_UNFINISHED_PROGRAM, 0);
    if (what->count > 1) buffers_pass_ends(w->buffers, 0, fits);
    return fits;
}

/* The modules go with the run: pages show them, weights get their names from them, and changes are tried on them. */
static void add_modules(const struct writing *w, struct run *run, const struct replayed *what) {
    struct strbuf all = {0};
    uint64_t offset = 0;
    for (size_t i = 0; i < what->count; i++) strbuf_add(&all, what->texts[i]);
    run->text = arena_copy(&run->arena, strbuf_slice(&all));
    strbuf_release(&all);
    for (size_t i = 0; i < what->count; i++) {
        buffers_module(w->buffers, SLICE("ttnn"), slice_of(run->text.ptr + offset, what->texts[i].len), offset);
        offset += what->texts[i].len;
    }
}

static void write_run(struct run *run, const struct replayed *what, uint64_t bytes) {
    const struct predict_device *device = &what->device;
    struct writing w = {.buffers = buffers_begin(run, RUN_PREDICTED, bytes), .run = run, .op_state = NONE};
    find_peaks(what, w.peaks, &run->estimated_bytes);
    buffers_rank(w.buffers, slice_of("", 0));
    run->geometry.dram_align = device->geometry.dram_align; /* types of op lines have unaligned rows */
    run->geometry.l1_align = device->geometry.l1_align;
    for (int pool = 0; pool < POOL_COUNT; pool++) {
        const struct predict_pool *p = &device->pools[pool];
        if (p->bytes) buffers_pool(w.buffers, 0, (enum pool)pool, p->banks, true, p->base, p->bytes);
    }
    if (what->texts) add_modules(&w, run, what);
    run->chip = device->chip;
    if (device->source == DEVICE_ASSUMED) buffers_device_assumed(w.buffers);
    replay_init(&w.replay, device, &what->options);
    w.replay.memory.watch = (struct memory_watch){&w, on_take, on_free, on_reclass};
    w.replay.op_watch = (struct op_watch){.context = &w, .begins = on_op, .uses = on_use, .ends = on_end};
    for (size_t i = 0; i < what->count; i++)
        if (!write_program(&w, run, what, i) && !what->options.keep_going) break;
    buffers_end(w.buffers);
    for (size_t i = 0; i < w.outer.len; i++)
        run->steps.items[w.outer.items[i].step].after = run->steps.items[w.outer.items[i].last].after;
    fit_run_modules_offer();
    replay_release(&w.replay);
    vec_release(&w.steps);
    vec_release(&w.outer);
    strbuf_release(&w.text);
}

static uint64_t count_lines(struct slice text) {
    uint64_t lines = 0;
    for (const char *p = text.ptr, *end = text.ptr + text.len; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        lines++;
    return lines;
}

static int read_pieces(struct run *run, const struct module_pieces *pieces, uint64_t bytes, const char *path, struct err *err) {
    size_t count = pieces->list.len;
    struct ir *modules = mem_zalloc(count, sizeof *modules);
    const struct ir **programs = mem_alloc(count * sizeof *programs);
    struct slice *texts = mem_alloc(count * sizeof *texts);
    int rc = module_pieces_check(pieces, path, err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        programs[i] = &modules[i];
        texts[i] = pieces->list.items[i].text;
        modules[i].lines_before = pieces->list.items[i].lines_before;
        ir_read(&modules[i], texts[i]);
        const struct ir_function *f = ir_main(&modules[i]);
        if (!f || !f->op_count)
            rc = err_set(err, ERR_LACKS, "%s has no TTNN function that runs on the device: is the file whole?", path);
    }
    if (rc == 0) {
        struct replayed what = {.programs = programs, .count = count, .texts = texts};
        device_make(&what.device, modules[0].system_desc, &(struct device_wish){0});
        write_run(run, &what, bytes);
    }
    for (size_t i = 0; i < count; i++) ir_release(&modules[i]);
    free(texts);
    free(programs);
    free(modules);
    return rc;
}

int predicted_run_read(struct run *run, struct slice bytes, const char *path, struct err *err) {
    struct slice text = form_is_binary(bytes) ? form_binary_text(bytes) : bytes;
    struct module_pieces pieces = {0};
    module_pieces_find(&pieces, text);
    int rc = read_pieces(run, &pieces, bytes.len, path, err);
    if (rc == 0) run->lines = count_lines(text);
    module_pieces_release(&pieces);
    return rc;
}

/* Were no options given beyond what the modules say? */
static bool is_as_compiled(const struct predict_options *o) {
    const struct device_wish *d = &o->device;
    const struct replay_options *r = &o->replay;
    bool device = d->chip || d->dram_banks || d->dram_bank_bytes || d->trace_region || d->has_l1_small;
    return !device && !scale_is_set(&o->scale) && !r->no_program_cache && !r->keep_going && !r->resident &&
           o->between == BETWEEN_DROP;
}

void predicted_run_of(struct run *run, const struct prediction *p) {
    struct slice *texts = mem_alloc((p->forms.programs.len + 1) * sizeof *texts);
    const struct ir **programs = mem_alloc((p->forms.programs.len + 1) * sizeof *programs);
    struct replayed what = {.programs = programs,
                            .count = p->forms.programs.len,
                            .device = p->replay.device,
                            .options = p->options.replay,
                            .between = p->options.between,
                            .texts = is_as_compiled(&p->options) ? texts : NULL};
    uint64_t bytes = 0, lines = 0;
    struct hash128 content = {0};
    for (size_t i = 0; i < what.count; i++) {
        struct slice text = p->forms.programs.items[i].text;
        struct hash128 hash = hash_bytes(text);
        programs[i] = &p->modules[p->module_of[i]];
        texts[i] = text;
        bytes += text.len;
        lines += count_lines(text);
        content = (struct hash128){hash_mix(content.low, hash.low), hash_mix(content.high, hash.high)};
    }
    write_run(run, &what, bytes);
    run->content = content;
    run->lines = lines;
    free(programs);
    free(texts);
}
