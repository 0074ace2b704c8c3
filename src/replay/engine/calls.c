/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that functions call: const-eval, calls, traces. */
#include "base/mem.h"
#include "replay/engine/replay.h"
#include "replay/ir/attribute.h"

/* A frame for a function that an op runs; the caller sets its arguments. */
static struct replay_frame frame_for(const struct ir_function *f, uint32_t state) {
    struct replay_frame frame = {.function = f,
                                 .values = mem_alloc((f->value_count + 1) * sizeof *frame.values),
                                 .caller = state,
                                 .class = MEMORY_ACTIVATION};
    for (uint32_t i = 0; i < f->value_count; i++) frame.values[i] = BUFFER_NO;
    return frame;
}

/* Runs it. Returns the buffers that it returns, each with a handle; the caller frees them. */
static uint32_t *run_frame(struct replay *r, struct replay_frame *frame) {
    uint32_t *returned = mem_alloc((frame->function->return_count + 1) * sizeof *returned);
    replay_function(r, frame, returned);
    free(frame->values);
    return returned;
}

/* Runs a function for an op; its arguments are handles of the op's operands. */
static uint32_t *run_callee(struct op_run *x, const struct ir_function *f, uint32_t state) {
    struct replay_frame frame = frame_for(f, state);
    for (uint32_t i = 0; i < f->argument_count && i < x->op->operand_count; i++) {
        uint32_t value = ir_operand_at(x->ir, x->op, i)->value;
        if (value == IR_NONE) continue;
        frame.values[i] = x->values[value];
        memory_hold(&x->replay->memory, frame.values[i]);
    }
    return run_frame(x->replay, &frame);
}

static const struct ir_function *find_callee(struct op_run *x, struct slice name) {
    const struct ir_function *f = ir_function_find(x->ir, name);
    if (f) return f;
    x->replay->odd.missing_callees++;
    replay_note_left_out(x->replay);
    return NULL;
}

/* The op's results are the last of what the function returned; the handles of the others are released. */
static void take_results(struct op_run *x, const struct ir_function *f, const uint32_t *returned) {
    uint32_t results = x->op->result_count, count = f->return_count, skip = count > results ? count - results : 0;
    x->results_made = true;
    for (uint32_t i = 0; i < count; i++) {
        if (i < skip || i - skip >= results) memory_drop(&x->replay->memory, returned[i]);
        else x->values[x->op->first_result + i - skip] = returned[i];
    }
}

void replay_call(struct op_run *x, struct replay_frame *frame, uint32_t state) {
    (void)frame;
    const struct ir_function *f = find_callee(x, x->op->callee);
    bool on_host = !f || f->kind == IR_CPU;
    if (on_host) {
        op_run_results(x); /* host tensors take nothing; for others the module gives the layout */
        return;
    }
    uint32_t *returned = run_callee(x, f, state);
    if (!x->replay->stopped) take_results(x, f, returned);
    free(returned);
}

/* A result is cached by what is computed and from which tensors. */
static uint64_t const_eval_key(const struct op_run *x, const struct replay_frame *frame, const struct ir_function *f) {
    const struct ir *ir = x->ir;
    uint64_t key = hash_bytes64(SLICE("const_eval"));
    for (uint32_t i = 0; i < f->op_count; i++) {
        const struct ir_op *op = &ir->ops.items[f->first_op + i];
        key = hash_mix(key, hash_mix(hash_bytes64(op->name), hash_bytes64(op->properties)));
        for (uint32_t k = 0; k < op->result_count; k++) key = hash_mix(key, ir_result_type(ir, op, k)->identity);
    }
    for (uint32_t i = 0; i < x->op->operand_count; i++) {
        uint32_t value = ir_operand_at(ir, x->op, i)->value;
        bool argument = frame->ids && value < frame->function->argument_count;
        key = hash_mix(key, argument ? frame->ids[value] : hash_mix(value, x->replay->runs.len));
    }
    return key;
}

static void add_const_eval(struct op_run *x, const struct replay_frame *frame, uint64_t key, const uint32_t *returned) {
    struct replay *r = x->replay;
    struct const_eval entry = {.key = key,
                               .first_result = (uint32_t)r->const_eval_results.len,
                               .result_count = x->op->result_count,
                               .first_input = (uint32_t)r->const_eval_inputs.len};
    for (uint32_t i = 0; i < x->op->result_count; i++) {
        memory_retain(&r->memory, returned[i], MEMORY_CONST_EVAL);
        vec_push(&r->const_eval_results, returned[i]);
    }
    for (uint32_t i = 0; i < x->op->operand_count; i++) {
        uint32_t value = ir_operand_at(x->ir, x->op, i)->value;
        if (frame->ids && value < frame->function->argument_count) vec_push(&r->const_eval_inputs, frame->ids[value]);
    }
    entry.input_count = (uint32_t)r->const_eval_inputs.len - entry.first_input;
    vec_push(&r->const_evals, entry);
}

void replay_load_cached(struct op_run *x, struct replay_frame *frame, uint32_t state) {
    struct replay *r = x->replay;
    const struct ir_function *f = find_callee(x, x->op->callee);
    if (!f || f->kind == IR_CPU) {
        op_run_results(x);
        return;
    }
    uint64_t key = const_eval_key(x, frame, f);
    x->results_made = true;
    for (size_t i = 0; i < r->const_evals.len; i++) {
        const struct const_eval *entry = &r->const_evals.items[i];
        if (entry->gone || entry->key != key || entry->result_count != x->op->result_count) continue;
        for (uint32_t k = 0; k < entry->result_count; k++) {
            uint32_t buffer = r->const_eval_results.items[entry->first_result + k];
            memory_hold(&r->memory, buffer);
            x->values[x->op->first_result + k] = buffer;
        }
        return;
    }
    uint32_t *returned = run_callee(x, f, state);
    r->memory.place = state;
    if (!r->stopped) {
        uint32_t results[64];
        uint32_t count = x->op->result_count < 64 ? x->op->result_count : 64;
        take_results(x, f, returned);
        for (uint32_t i = 0; i < count; i++) results[i] = x->values[x->op->first_result + i];
        if (count == x->op->result_count) add_const_eval(x, frame, key, results);
    }
    free(returned);
}

static const struct ir_function *named_callee(struct op_run *x, const char *attribute) {
    struct slice name = attribute_text(x->op->properties, attribute);
    if (name.len && name.ptr[0] == '@') name = slice_skip(name, 1);
    return name.len ? find_callee(x, name) : NULL;
}

/* What a trace reads and writes in place, made before it is captured. */
struct trace_slots {
    const struct ir_function *function; /* NULL: the capturing function makes them itself */
    uint32_t *buffers;
};

static void make_slots(struct op_run *x, uint32_t state, struct trace_slots *slots) {
    *slots = (struct trace_slots){.function = named_callee(x, "allocate_slots_callee")};
    if (!slots->function || slots->function->kind == IR_CPU) {
        slots->function = NULL;
        return;
    }
    struct replay_frame frame = frame_for(slots->function, state);
    slots->buffers = run_frame(x->replay, &frame);
    for (uint32_t i = 0; i < slots->function->return_count && !x->replay->stopped; i++)
        memory_retain(&x->replay->memory, slots->buffers[i], MEMORY_ACTIVATION);
}

static uint64_t identity_of(const struct ir *ir, uint32_t type) { return ir_type_at(ir, type)->identity; }

/* The arguments of the capturing function are the op's inputs and the slots, each in order: the type shows which comes next.
 * The device is an operand, not an argument. */
static void give_arguments(struct op_run *x, struct replay_frame *frame, const struct trace_slots *slots) {
    const struct ir *ir = x->ir;
    uint32_t operand = 0, slot = 0, slot_count = slots->function ? slots->function->return_count : 0;
    for (uint32_t i = 0; i < frame->function->argument_count; i++) {
        uint64_t wanted = identity_of(ir, ir->arguments.items[frame->function->first_argument + i].type);
        while (operand < x->op->operand_count && ir_operand_type(ir, x->op, operand)->type.kind != TYPE_TENSOR) operand++;
        bool is_operand = operand < x->op->operand_count && ir_operand_type(ir, x->op, operand)->identity == wanted;
        bool is_slot =
            slot < slot_count && identity_of(ir, ir->operands.items[slots->function->first_return + slot].type) == wanted;
        if (is_operand) {
            uint32_t value = ir_operand_at(ir, x->op, operand++)->value;
            frame->values[i] = value == IR_NONE ? BUFFER_NO : x->values[value];
        } else if (is_slot) {
            frame->values[i] = slots->buffers[slot++];
        }
        memory_hold(&x->replay->memory, frame->values[i]);
    }
}

/* Slots for inputs and outputs come first, if the module has a function for them. The capturing function runs once: it warms
 * up, and captures. Its results are slots as well; all stay. */
void replay_trace(struct op_run *x, struct replay_frame *frame, uint32_t state) {
    (void)frame;
    const struct ir_function *f = named_callee(x, "capture_callee");
    if (!f && x->op->callee.len) f = find_callee(x, x->op->callee);
    if (!f || f->kind == IR_CPU) {
        op_run_results(x);
        return;
    }
    struct replay *r = x->replay;
    struct trace_slots slots;
    r->traces++;
    make_slots(x, state, &slots);
    if (!r->stopped) {
        struct replay_frame inner = frame_for(f, state);
        give_arguments(x, &inner, &slots);
        uint32_t *returned = run_frame(r, &inner);
        if (!r->stopped) {
            for (uint32_t i = 0; i < f->return_count; i++) memory_retain(&r->memory, returned[i], MEMORY_ACTIVATION);
            take_results(x, f, returned);
        }
        free(returned);
    }
    free(slots.buffers);
}
