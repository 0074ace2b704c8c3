/* SPDX-License-Identifier: Apache-2.0 */
/* What a program gets, and what is left when it ends. */
#include "replay/engine/replay.h"

#include "replay/engine/op_table.h"

static enum memory_class class_of(const struct ir_argument *argument) {
    static const enum memory_class classes[] = {
        [ROLE_UNKNOWN] = MEMORY_INPUT,
        [ROLE_INPUT] = MEMORY_INPUT,
        [ROLE_PARAMETER] = MEMORY_WEIGHT,
        [ROLE_CONSTANT] = MEMORY_CONSTANT,
    };
    return argument->kv_cache ? MEMORY_KV_CACHE : classes[argument->role];
}

/* Caches are updated in place: an argument that is the first operand of such an op is one, whatever its attributes say. */
static bool is_updated(const struct ir *ir, const struct ir_function *f, uint32_t value) {
    for (uint32_t i = 0; i < f->op_count; i++) {
        const struct ir_op *op = &ir->ops.items[f->first_op + i];
        if (!slice_ends(op->name, SLICE("_cache")) || !op->operand_count) continue;
        if (ir_operand_at(ir, op, 0)->value == value) return true;
    }
    return false;
}

/* These are tilized on the device; block floats are packed on the host. */
static bool is_tilized_on_device(const struct ir_type *type) {
    static const char *const elements[] = {"f32", "bf16", "si32", "u32", "i32", "ui32"};
    for (size_t i = 0; type->type.tiled && i < sizeof elements / sizeof *elements; i++)
        if (slice_equal(type->type.storage, slice_from(elements[i]))) return true;
    return false;
}

/* A change of layout on the device runs a program like any other: it takes memory while it runs, and with a program cache
 * also afterwards. */
static void run_conversion(struct replay *r, const struct ir_type *from, const struct ir_type *to) {
    uint64_t identity[] = {hash_bytes64(SLICE("to_layout")), from->identity, to->identity};
    bool added = true, kept = !r->options.no_program_cache;
    if (kept) map_at(&r->programs, hash_bytes(slice_of((const char *)identity, sizeof identity)), &added);
    if (!added) return;
    r->program_count++;
    uint64_t failures = r->memory.failures;
    r->memory.estimating = true;
    uint32_t buffer = memory_take(&r->memory, POOL_DRAM, BINARY_USUAL, MEMORY_HIGH, MEMORY_BINARY);
    r->memory.estimating = false;
    if (r->memory.failures != failures) r->stopped = !r->options.keep_going;
    else if (!kept) memory_drop(&r->memory, buffer);
}

static uint32_t bring_in(struct replay *r, const struct ir_type *type, enum memory_class class) {
    if (!is_tilized_on_device(type) || ir_is_sharded(type) || !type->known) return replay_take(r, type, class);
    struct ir_type rows = ir_type_row_major(type);
    uint32_t first = replay_take(r, &rows, MEMORY_TEMPORARY);
    uint32_t buffer = replay_take(r, type, class);
    if (buffer != BUFFER_NO) run_conversion(r, &rows, type);
    if (!r->stopped) memory_drop(&r->memory, first);
    return buffer;
}

/* The same tensor as an argument of an earlier program, by name and type. */
static struct kept_tensor *find_argument(struct replay *r, const struct ir_argument *argument, uint64_t type) {
    for (size_t i = 0; argument->name.len && i < r->kept.len; i++) {
        struct kept_tensor *kept = &r->kept.items[i];
        if (!kept->used && kept->name.len && kept->type == type && slice_equal(kept->name, argument->name)) return kept;
    }
    return NULL;
}

/* An earlier result that this argument may be: the newest of its shape and element type. */
static struct kept_tensor *find_result(struct replay *r, const struct ir_argument *argument, const struct ir_type *held) {
    if (argument->role == ROLE_PARAMETER || argument->role == ROLE_CONSTANT) return NULL;
    for (size_t i = r->kept.len; i-- > 0;) {
        struct kept_tensor *kept = &r->kept.items[i];
        if (!kept->used && !kept->name.len && ir_same_shape(&kept->held, held) &&
            slice_equal(kept->held.type.dtype, held->type.dtype))
            return kept;
    }
    return NULL;
}

/* Converts a result of an earlier program to the wanted layout: the new buffer comes first, then the old one goes. */
static uint32_t convert(struct replay *r, struct kept_tensor *kept, const struct ir_type *held, enum memory_class class) {
    if (kept->type == held->identity) return kept->buffer;
    uint32_t buffer = replay_take(r, held, class);
    if (buffer != BUFFER_NO) run_conversion(r, &kept->held, held);
    if (!r->stopped) memory_drop(&r->memory, kept->buffer);
    return buffer;
}

static void take_argument(struct replay *r, const struct ir_function *f, struct replay_frame *frame, uint32_t i) {
    const struct ir *ir = r->ir;
    const struct ir_argument *argument = &ir->arguments.items[f->first_argument + i];
    const struct ir_type *held = ir_type_at(ir, argument->held);
    enum memory_class class = is_updated(ir, f, i) ? MEMORY_KV_CACHE : class_of(argument);
    struct kept_tensor *kept = find_argument(r, argument, held->identity);
    if (kept) {
        kept->used = true;
        memory_hold(&r->memory, kept->buffer);
        frame->values[i] = kept->buffer;
        frame->ids[i] = kept->id;
        return;
    }
    uint32_t buffer;
    kept = tensor_on_device(&held->type) ? find_result(r, argument, held) : NULL;
    if (kept) {
        kept->used = true;
        buffer = convert(r, kept, held, class);
        *kept = (struct kept_tensor){.name = argument->name, .used = true, .buffer = BUFFER_NO};
    } else {
        buffer = bring_in(r, held, class);
    }
    memory_retain(&r->memory, buffer, class);
    frame->values[i] = buffer;
    frame->ids[i] = r->next_id++;
    vec_push(&r->kept, ((struct kept_tensor){.name = argument->name,
                                             .type = held->identity,
                                             .id = frame->ids[i],
                                             .buffer = buffer,
                                             .held = *held,
                                             .used = true}));
}

/* The order in which arguments are brought in; the caller frees it. */
static uint32_t *argument_order(const struct replay *r, const struct ir_function *f) {
    uint32_t *order = mem_alloc((f->argument_count + 1) * sizeof *order);
    for (uint32_t i = 0; i < f->argument_count; i++) {
        uint64_t bytes = replay_bytes(r, ir_type_at(r->ir, r->ir->arguments.items[f->first_argument + i].held));
        uint32_t k = i;
        for (; k > 0 && r->options.largest_first; k--) {
            uint32_t other = r->ir->arguments.items[f->first_argument + order[k - 1]].held;
            if (replay_bytes(r, ir_type_at(r->ir, other)) >= bytes) break;
            order[k] = order[k - 1];
        }
        order[k] = i;
    }
    return order;
}

void replay_arguments(struct replay *r, const struct ir_function *f, struct replay_frame *frame) {
    struct op_state *s = &vec_last(&r->states);
    s->dram_before = memory_allocated(&r->memory, POOL_DRAM);
    for (size_t i = 0; i < r->kept.len; i++) r->kept.items[i].used = false;
    uint32_t *order = argument_order(r, f);
    for (uint32_t i = 0; i < f->argument_count && !r->stopped; i++) {
        s->argument = order[i];
        take_argument(r, f, frame, order[i]);
    }
    free(order);
    if (!r->stopped) s->argument = IR_NONE;
    s->dram_after = memory_allocated(&r->memory, POOL_DRAM);
    s->l1_after = memory_allocated(&r->memory, POOL_L1);
    s->largest_after = memory_largest(&r->memory, POOL_DRAM);
}

/* Results of const-eval functions live as long as the tensors that they were made from. */
static void drop_const_evals(struct replay *r) {
    for (size_t i = 0; i < r->const_evals.len; i++) {
        struct const_eval *entry = &r->const_evals.items[i];
        if (entry->gone || !entry->input_count) continue;
        entry->gone = true;
        for (uint32_t k = 0; k < entry->result_count; k++)
            memory_free(&r->memory, r->const_eval_results.items[entry->first_result + k]);
    }
}

void replay_let_go(struct replay *r, enum replay_between between) {
    if (between == BETWEEN_KEEP || r->stopped) return;
    drop_const_evals(r);
    for (size_t i = 0; i < r->kept.len; i++) memory_free(&r->memory, r->kept.items[i].buffer);
    vec_clear(&r->kept);
}
