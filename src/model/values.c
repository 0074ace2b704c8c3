/* SPDX-License-Identifier: Apache-2.0 */
/* Which values hold which tensors. Per rank and program execution; results, deallocates, views, cached const-eval results,
 * function arguments. An estimate where the log is silent: the memory blocks remain authoritative. */
#include "model/fold.h"

enum { MAX_VALUE = 1 << 24 };

/* A thousandth of a MB: a larger change always shows in figures with three decimals. */
enum { VISIBLE_BYTES = 1049 };

static struct tensor *tensor_at(struct fold *fold, uint32_t id) { return &fold->run->tensors.items[id]; }

static uint32_t add_tensor(struct fold *fold, struct rank_state *rank, uint32_t type, enum tensor_class class, uint32_t born,
                           uint32_t producer) {
    struct frame *frame = rank->depth ? &rank->frames.items[0] : NULL;
    struct tensor tensor = {.type = type,
                            .born = born,
                            .gone = NONE,
                            .producer = producer,
                            .last_use = NONE,
                            .execution = frame ? frame->execution : NONE,
                            .rank = (uint16_t)rank->id,
                            .references = 1,
                            .class = (uint8_t) class};
    return run_write_tensor(&fold->writer, &tensor);
}

/* Makes room for `count` results. A value whose op was not seen reveals its results one by one: the existing ones move
 * along. */
static void grow_place(struct frame *frame, struct place *place, uint32_t count) {
    uint32_t first = (uint32_t)frame->slots.len;
    for (uint32_t i = 0; i < count; i++) {
        struct slot slot = {.tensor = NONE};
        if (i < place->count) {
            slot = frame->slots.items[place->first + i];
            frame->slots.items[place->first + i] = (struct slot){.tensor = NONE};
        }
        vec_push(&frame->slots, slot);
    }
    *place = (struct place){first, count};
}

/* The slot of a value, created if new; NULL for names that are not numbers. */
static struct slot *slot_of(struct frame *frame, uint32_t value, unsigned index, unsigned count) {
    if (!value || value & VALUE_NAMED) return NULL;
    uint32_t number = (value & ~(uint32_t)VALUE_ARG) - 1;
    if (number >= MAX_VALUE) return NULL;
    bool is_argument = value & VALUE_ARG;
    while ((is_argument ? frame->arguments.len : frame->values.len) <= number) {
        if (is_argument) vec_push(&frame->arguments, ((struct place){0, 0}));
        else vec_push(&frame->values, ((struct place){0, 0}));
    }
    struct place *place = is_argument ? &frame->arguments.items[number] : &frame->values.items[number];
    if (index >= place->count) grow_place(frame, place, index < count ? count : index + 1);
    return &frame->slots.items[place->first + index];
}

/* Gives up one reference; the last one frees the buffer. `gone` is the first step at which it no longer exists. */
static void release(struct fold *fold, struct slot *slot, uint32_t gone) {
    if (slot->tensor == NONE) return;
    struct tensor *tensor = tensor_at(fold, slot->tensor);
    slot->tensor = NONE;
    if (tensor->references) tensor->references--;
    if (!tensor->references && !tensor->retained && tensor->gone == NONE) tensor->gone = gone;
}

/* An argument of a top-level program exists before it starts and is found at its first use. The host keeps it: the next run
 * of the same program, recognised by the ops before, gets the same buffer again. */
static void seed_argument(struct fold *fold, struct rank_state *rank, struct frame *frame, struct slot *slot,
                          const struct op_ref *ref) {
    struct run *run = fold->run;
    const struct execution *execution = &run->executions.items[frame->execution];
    uint32_t number = (ref->value & ~(uint32_t)VALUE_ARG) - 1;
    slot->arguments = argset_one(&run->argsets, number);
    if (!tensor_on_device(&run->types.items[ref->type])) return;
    uint64_t place = hash_mix(hash_mix(execution->text_key, execution->name), rank->id);
    bool added;
    uint32_t *known =
        map_at(&fold->arguments, (struct hash128){hash_mix(place, number), (uint64_t)number << 32 | ref->type}, &added);
    if (added || tensor_at(fold, *known)->gone != NONE) {
        *known = add_tensor(fold, rank, ref->type, TENSOR_ARGUMENT, execution->first_step, NONE);
        tensor_at(fold, *known)->argument = number;
        tensor_at(fold, *known)->arguments = slot->arguments;
    }
    /* it stays with the execution that used it first: another program may begin with the same ops */
    slot->tensor = *known;
    tensor_at(fold, *known)->references = 1;
}

/* Programs of a trace take the trace op's inputs, some after their own slots: the type shows which. */
static uint32_t trace_argument_set(const struct run *run, struct frame *outer, const struct op *op, const struct op_ref *ref) {
    uint32_t number = (ref->value & ~(uint32_t)VALUE_ARG) - 1;
    for (uint32_t slots = 0; slots <= 2 && slots <= number; slots++) {
        uint32_t i = 1 + number - slots; /* operand 0 is the device */
        if (i >= op->operand_count || run->refs.items[op->first_ref + i].type != ref->type) continue;
        const struct op_ref *operand = &run->refs.items[op->first_ref + i];
        struct slot *from = slot_of(outer, operand->value, operand->index, 1);
        return from ? from->arguments : 0;
    }
    return 0;
}

static void meet_argument(struct fold *fold, struct rank_state *rank, struct frame *frame, struct slot *slot,
                          const struct op_ref *ref) {
    const struct run *run = fold->run;
    const struct execution *execution = &run->executions.items[frame->execution];
    slot->used = true;
    if (execution->parent == NONE) {
        seed_argument(fold, rank, frame, slot, ref);
    } else if (execution->caller != NONE) {
        const struct op *op = &run->ops.items[run->steps.items[execution->caller].op];
        if (op->kind == OP_TRACE && frame > rank->frames.items) slot->arguments = trace_argument_set(run, frame - 1, op, ref);
    }
}

static struct slot *operand_slot(struct fold *fold, struct rank_state *rank, struct frame *frame, const struct op_ref *ref) {
    struct slot *slot = slot_of(frame, ref->value, ref->index, 1);
    if (slot && !slot->used && ref->value & VALUE_ARG) meet_argument(fold, rank, frame, slot, ref);
    return slot;
}

/* Change of a pool between the blocks before and after a step; false if either is missing. */
static bool measured_change(const struct run *run, uint32_t before, uint32_t after, enum pool pool, int64_t *change) {
    if (before == NONE || after == NONE) return false;
    const struct block *a = &run->blocks.items[before], *b = &run->blocks.items[after];
    if (!(a->have & b->have & 1u << pool)) return false;
    *change = (int64_t)b->allocated[pool] - a->allocated[pool];
    return true;
}

static enum pool pool_of(enum buffer_type buffer) {
    static const enum pool pools[BUFFER_TYPE_COUNT] = {
        [BUFFER_L1] = POOL_L1, [BUFFER_L1_SMALL] = POOL_L1_SMALL, [BUFFER_TRACE] = POOL_TRACE};
    return pools[buffer];
}

static uint64_t per_bank(const struct run *run, uint32_t type) {
    return tensor_per_bank_bytes(&run->types.items[type], &run->geometry);
}

/* Without a measurement: a reshape that keeps the last dimension and whole tiles happens in place. */
static bool looks_like_view(const struct tensor_type *in, const struct tensor_type *out) {
    if (in->buffer != out->buffer || in->tiled != out->tiled || in->last_dims[0] != out->last_dims[0]) return false;
    if (!in->tiled || in->last_dims[1] == out->last_dims[1]) return true;
    unsigned height = in->tile_height ? in->tile_height : 32;
    return in->last_dims[1] % height == 0 && out->last_dims[1] % height == 0;
}

static bool is_view(const struct run *run, const struct op *op, uint32_t before, uint32_t after, const struct slot *input) {
    if (!op->may_return_input || !op->operand_count || op->result_count != 1 || !input || input->tensor == NONE) return false;
    const struct op_ref *refs = &run->refs.items[op->first_ref];
    const struct tensor_type *in = &run->types.items[refs[0].type], *out = &run->types.items[refs[op->operand_count].type];
    if (in->buffer != out->buffer) return false;
    int64_t change;
    uint64_t bytes = per_bank(run, refs[op->operand_count].type);
    if (bytes >= VISIBLE_BYTES && measured_change(run, before, after, pool_of(out->buffer), &change)) return change <= 0;
    return slice_equal(run_string(run, op->name), SLICE("ttnn.reshape")) && looks_like_view(in, out);
}

static void apply_deallocate(struct fold *fold, struct frame *frame, struct rank_state *rank, uint32_t step, uint32_t after) {
    struct run *run = fold->run;
    const struct step *s = &run->steps.items[step];
    const struct op *op = &run->ops.items[s->op];
    if (!op->operand_count) return;
    const struct op_ref *ref = &run->refs.items[op->first_ref];
    struct slot *slot = operand_slot(fold, rank, frame, ref);
    if (!slot || slot->tensor == NONE) return;
    struct tensor *tensor = tensor_at(fold, slot->tensor);
    bool kept = s->flags & STEP_RETAINED || tensor->retained;
    if (kept) {
        /* the host API prints the same words: the figures decide if they can */
        int64_t change;
        const struct tensor_type *type = &run->types.items[tensor->type];
        uint64_t bytes = per_bank(run, tensor->type);
        bool dropped = bytes >= VISIBLE_BYTES && measured_change(run, s->block, after, pool_of(type->buffer), &change) &&
                       change < 0 && (uint64_t)(2 - change) * VISIBLE_BYTES > bytes;
        if (!dropped) return;
        tensor->retained = false;
    }
    release(fold, slot, step + 1);
}

/* Key of a cached const-eval result: function, operands, result types, the compiler's hash, the rank. */
static struct hash128 cache_key(const struct run *run, const struct rank_state *rank, const struct op *op) {
    uint64_t h = hash_mix(hash_mix(rank->id, rank->part), op->callee);
    for (unsigned i = 0; i < op->operand_count; i++) h = hash_mix(h, run->refs.items[op->first_ref + i].value);
    for (unsigned i = 0; i < op->result_count; i++)
        h = hash_mix(h, run->refs.items[op->first_ref + op->operand_count + i].type);
    if (op->kind == OP_TRACE) return (struct hash128){hash_mix(h, op->hash.low), op->hash.high};
    return (struct hash128){hash_mix(h, rank->cache_hash.low), rank->cache_hash.high ^ h};
}

/* Results of load_cached live in the runtime's cache, those of a trace in its output slots, until the process ends. */
static void apply_cached(struct fold *fold, struct rank_state *rank, struct frame *frame, uint32_t step, uint32_t born,
                         uint32_t arguments) {
    struct run *run = fold->run;
    struct step *s = &run->steps.items[step];
    const struct op *op = &run->ops.items[s->op];
    bool trace = op->kind == OP_TRACE;
    bool added, ran = !trace && (born != step + 1 || s->flags & STEP_CACHE_MISS);
    /* without the hash (before 2025-12-25) a second miss is probably from another graph: each has a main_const_eval_0 */
    bool hashed = rank->cache_hash.low || rank->cache_hash.high;
    uint32_t *place = map_at(&fold->cached, cache_key(run, rank, op), &added);
    if (added) {
        *place = (uint32_t)fold->cached_tensors.len;
        for (unsigned i = 0; i < op->result_count; i++) vec_push(&fold->cached_tensors, NONE);
    }
    uint32_t first = *place;
    for (unsigned i = 0; i < op->result_count; i++) {
        uint32_t type = run->refs.items[op->first_ref + op->operand_count + i].type;
        uint32_t *cached = &fold->cached_tensors.items[first + i];
        if (ran && *cached != NONE && tensor_at(fold, *cached)->gone == NONE) {
            if (hashed) tensor_at(fold, *cached)->gone = born;
            *cached = NONE;
        }
        if (*cached == NONE && tensor_on_device(&run->types.items[type])) {
            uint32_t since = ran || trace ? born : run->executions.items[rank->frames.items[0].execution].first_step;
            *cached = add_tensor(fold, rank, type, trace ? TENSOR_ACTIVATION : TENSOR_CONST_EVAL, since, step);
            tensor_at(fold, *cached)->retained = true;
            tensor_at(fold, *cached)->argument = i;
            tensor_at(fold, *cached)->arguments = trace ? 0 : arguments;
        }
        struct slot *slot = slot_of(frame, op->result, i, op->result_count);
        if (slot) *slot = (struct slot){*cached, trace ? 0 : arguments, true};
    }
}

static bool carries_arguments(const struct run *run, const struct op *op, const struct execution *execution) {
    /* in const-eval everything comes from its arguments; elsewhere only a change of layout keeps a tensor's identity */
    return execution->const_eval || (op->may_return_input && op->operand_count &&
                                     run->types.items[run->refs.items[op->first_ref].type].kind == TYPE_TENSOR);
}

static void apply_results(struct fold *fold, struct rank_state *rank, struct frame *frame, uint32_t step, uint32_t born,
                          uint32_t after) {
    struct run *run = fold->run;
    struct step *s = &run->steps.items[step];
    const struct op *op = &run->ops.items[s->op];
    const struct execution *execution = &run->executions.items[frame->execution];
    struct slot first = {.tensor = NONE};
    for (unsigned i = 0; i < op->operand_count; i++) {
        struct slot *slot = operand_slot(fold, rank, frame, &run->refs.items[op->first_ref + i]);
        if (!slot) continue;
        s->arguments = argset_union(&run->argsets, s->arguments, slot->arguments);
        /* an op that runs a program ends when the program does */
        if (slot->tensor != NONE) tensor_at(fold, slot->tensor)->last_use = born - 1;
        if (slot->tensor != NONE && i < 8 && op->cache_operands >> i & 1) tensor_at(fold, slot->tensor)->kv_cache = true;
        if (i == 0) first = *slot;
    }
    uint32_t carried = carries_arguments(run, op, execution) ? s->arguments : 0;
    if (op->kind == OP_LOAD_CACHED || op->kind == OP_TRACE) {
        apply_cached(fold, rank, frame, step, born, s->arguments);
        return;
    }
    if (op->frees_first_operand && op->operand_count) {
        const struct op_ref *ref = &run->refs.items[op->first_ref];
        struct slot *slot = slot_of(frame, ref->value, ref->index, 1);
        if (slot && run->types.items[ref->type].buffer == BUFFER_L1) release(fold, slot, step + 1);
    }
    bool view = is_view(run, op, s->block, after, &first);
    for (unsigned i = 0; i < op->result_count; i++) {
        struct slot *slot = slot_of(frame, op->result, i, op->result_count);
        if (!slot) continue;
        *slot = (struct slot){NONE, carried, true};
        uint32_t type = run->refs.items[op->first_ref + op->operand_count + i].type;
        if (!tensor_on_device(&run->types.items[type])) continue;
        if (view) {
            slot->tensor = first.tensor;
            tensor_at(fold, first.tensor)->references++;
            continue;
        }
        uint32_t id = add_tensor(fold, rank, type, execution->const_eval ? TENSOR_CONST_EVAL : TENSOR_ACTIVATION, born, step);
        slot->tensor = id;
        tensor_at(fold, id)->argument = i;
        tensor_at(fold, id)->arguments = carried;
    }
}

/* The frame that a step belongs to, if it is still running. */
static struct frame *frame_of(struct rank_state *rank, const struct step *step) {
    for (size_t i = rank->depth; i-- > 0;)
        if (rank->frames.items[i].execution == step->execution) return &rank->frames.items[i];
    return NULL;
}

/* `after` is the block after the op, or NONE. */
static void apply(struct fold *fold, struct rank_state *rank, uint32_t step, uint32_t after) {
    struct run *run = fold->run;
    const struct step *s = &run->steps.items[step];
    struct frame *frame = frame_of(rank, s);
    if (!frame) return;
    uint32_t born = step + 1;
    if (frame->last_op == step && frame->nested) born = (uint32_t)run->steps.len; /* after the programs that it ran */
    if (run->ops.items[s->op].kind == OP_DEALLOCATE) apply_deallocate(fold, frame, rank, step, after);
    else apply_results(fold, rank, frame, step, born, after);
}

static void apply_older(struct fold *fold, struct rank_state *rank, uint32_t after) {
    uint32_t step = rank->older;
    rank->older = NONE;
    if (step != NONE) apply(fold, rank, step, after);
}

void values_op_read(struct fold *fold, struct rank_state *rank, uint32_t step) {
    apply_older(fold, rank, NONE);
    rank->older = rank->newer;
    rank->newer = step;
    /* an op that ran a program is complete when the next op comes, and must be applied before the frame forgets it */
    if (rank->older != NONE && fold->run->ops.items[fold->run->steps.items[rank->older].op].kind >= OP_LOAD_CACHED) {
        struct frame *frame = frame_of(rank, &fold->run->steps.items[rank->older]);
        if (frame && frame->last_op == rank->older) apply_older(fold, rank, NONE);
    }
}

void values_block_read(struct fold *fold, struct rank_state *rank) { apply_older(fold, rank, rank->last_block); }

void values_flush(struct fold *fold, struct rank_state *rank) {
    apply_older(fold, rank, NONE);
    uint32_t step = rank->newer;
    rank->newer = NONE;
    if (step != NONE) apply(fold, rank, step, NONE);
}

void values_frame_start(struct fold *fold, struct rank_state *rank, struct frame *frame, const struct frame *caller) {
    struct run *run = fold->run;
    if (!caller || caller->last_op == NONE) return;
    /* the caller's op is not applied until its programs have ended */
    apply_older(fold, rank, NONE);
    rank->newer = NONE;
    const struct step *s = &run->steps.items[caller->last_op];
    const struct op *op = &run->ops.items[s->op];
    for (unsigned i = 0; i < op->operand_count; i++) {
        struct frame *outer = &rank->frames.items[rank->depth - 2];
        struct slot *from = operand_slot(fold, rank, outer, &run->refs.items[op->first_ref + i]);
        uint32_t arguments = from ? from->arguments : 0;
        if (op->kind == OP_TRACE) continue; /* its programs' arguments are matched by type */
        struct slot *to = slot_of(frame, (i + 1) | VALUE_ARG, 0, 1);
        if (to) *to = (struct slot){NONE, arguments, true};
    }
}

/* Notes which value holds each tensor at the program's end: the module lists the values it returns. */
static void note_values(struct fold *fold, const struct frame *frame) {
    for (uint32_t value = 0; value < frame->values.len; value++) {
        const struct place *place = &frame->values.items[value];
        for (uint32_t i = 0; i < place->count; i++) {
            uint32_t id = frame->slots.items[place->first + i].tensor;
            if (id != NONE) tensor_at(fold, id)->held_as = tensor_at(fold, id)->references == 1 ? value + 1 : 0;
        }
    }
}

void values_frame_end(struct fold *fold, struct rank_state *rank, struct frame *frame, bool finished) {
    struct run *run = fold->run;
    const struct execution *execution = &run->executions.items[frame->execution];
    uint32_t now = (uint32_t)run->steps.len;
    bool keeps_results = finished && execution->parent == NONE;
    if (keeps_results) note_values(fold, frame);
    bool makes_slots = finished && slice_starts(run_string(run, execution->name), SLICE("allocate_slots_"));
    for (size_t i = 0; i < frame->slots.len; i++) {
        struct slot *slot = &frame->slots.items[i];
        if (slot->tensor == NONE) continue;
        struct tensor *tensor = tensor_at(fold, slot->tensor);
        if (makes_slots) tensor->retained = true; /* a trace keeps its input slots */
        if (tensor->class != TENSOR_ARGUMENT) {
            if (keeps_results && tensor->class == TENSOR_ACTIVATION && !tensor->retained && tensor->gone == NONE)
                tensor->returned = true;
            else release(fold, slot, now);
        }
        slot->tensor = NONE;
    }
    struct frame *outer = rank->depth > 1 ? &rank->frames.items[rank->depth - 2] : NULL;
    if (outer && outer->last_op != NONE && execution->caller == outer->last_op) rank->newer = outer->last_op;
}
