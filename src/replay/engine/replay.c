/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/engine/replay.h"

#include "base/num.h"
#include "replay/engine/op_table.h"

/* Limits for hostile modules: functions that call each other, and programs that never end. The largest real program had
 * 14,818 ops. */
enum { MOST_DEPTH = 64, MOST_OPS = 500000 };

void replay_init(struct replay *r, const struct predict_device *device, const struct replay_options *options) {
    *r = (struct replay){.device = *device, .options = *options, .next_id = 1};
    memory_init(&r->memory, device);
    if (options->resident && memory_take(&r->memory, POOL_DRAM, options->resident, MEMORY_LOW, MEMORY_RESIDENT) == BUFFER_NO)
        r->stopped = true;
}

void replay_release(struct replay *r) {
    memory_release(&r->memory);
    reshape_maps_release(&r->maps);
    map_release(&r->programs);
    vec_release(&r->states);
    vec_release(&r->runs);
    vec_release(&r->plain);
    vec_release(&r->estimated_ops);
    vec_release(&r->maps_made);
    vec_release(&r->kept);
    vec_release(&r->const_evals);
    vec_release(&r->const_eval_results);
    vec_release(&r->const_eval_inputs);
}

static bool pool_of(enum buffer_type buffer, enum pool *pool, enum memory_end *end) {
    static const struct {
        enum pool pool;
        enum memory_end end;
    } rows[BUFFER_TYPE_COUNT] = {
        [BUFFER_DRAM] = {POOL_DRAM, MEMORY_LOW},
        [BUFFER_L1] = {POOL_L1, MEMORY_HIGH},
        [BUFFER_L1_SMALL] = {POOL_L1_SMALL, MEMORY_HIGH},
        [BUFFER_TRACE] = {POOL_TRACE, MEMORY_LOW},
    };
    if (buffer == BUFFER_NONE || buffer == BUFFER_HOST) return false;
    *pool = rows[buffer].pool;
    *end = rows[buffer].end;
    return true;
}

uint64_t replay_bytes(const struct replay *r, const struct ir_type *type) {
    return tensor_per_bank_bytes(&type->type, &r->device.geometry);
}

void replay_note_unsized(struct replay *r) {
    r->odd.unknown_types++;
    if (r->runs.len) vec_last(&r->runs).unsized = true;
}

void replay_note_left_out(struct replay *r) {
    if (r->runs.len) vec_last(&r->runs).left_out = true;
}

uint32_t replay_take(struct replay *r, const struct ir_type *type, enum memory_class class) {
    enum pool pool;
    enum memory_end end;
    if (type->lost) replay_note_unsized(r);
    if (r->stopped || !tensor_on_device(&type->type) || !pool_of(type->type.buffer, &pool, &end)) return BUFFER_NO;
    uint64_t bytes = replay_bytes(r, type);
    if (!bytes) {
        if (!type->known || !type->type.physical_known) replay_note_unsized(r);
        return BUFFER_NO;
    }
    uint64_t failures = r->memory.failures;
    r->taking = type;
    uint32_t buffer = memory_take(&r->memory, pool, bytes, end, class);
    r->taking = NULL;
    if (r->memory.failures != failures) r->stopped = !r->options.keep_going;
    return buffer;
}

static void note_plain(struct replay *r, struct slice name, bool sharded) {
    for (size_t i = 0; i < r->plain.len; i++) {
        struct plain_op *op = &r->plain.items[i];
        if (op->sharded == sharded && slice_equal(op->name, name)) {
            op->count++;
            return;
        }
    }
    if (r->plain.len < 1000) vec_push(&r->plain, ((struct plain_op){name, 1, sharded}));
}

static void note_estimated(struct replay *r, struct slice name) {
    for (size_t i = 0; i < r->estimated_ops.len; i++)
        if (slice_equal(r->estimated_ops.items[i], name)) return;
    if (r->estimated_ops.len < 1000) vec_push(&r->estimated_ops, name);
}

/* Is anything of it on the device? Otherwise it runs on the host. */
static bool runs_on_device(const struct op_run *x) {
    for (uint32_t i = 0; i < x->op->result_count; i++)
        if (tensor_on_device(&ir_result_type(x->ir, x->op, i)->type)) return true;
    for (uint32_t i = 0; !x->op->result_count && i < x->op->operand_count; i++)
        if (tensor_on_device(&ir_operand_type(x->ir, x->op, i)->type)) return true;
    return false;
}

static uint32_t value_of(const struct op_run *x, uint32_t operand) {
    if (operand >= x->op->operand_count) return BUFFER_NO;
    uint32_t value = ir_operand_at(x->ir, x->op, operand)->value;
    return value == IR_NONE ? BUFFER_NO : x->values[value];
}

static bool is_reshape(const struct op_run *x) { return slice_equal(x->op->name, SLICE("ttnn.reshape")); }

/* Temporaries and results, then what the program leaves on the device. */
static void run_on_device(struct op_run *x, const struct op_row *row) {
    struct replay *r = x->replay;
    if (!runs_on_device(x)) {
        op_run_results(x);
        return;
    }
    bool left_out;
    const struct temporary_rule *rule = temporary_rule_find(x, &left_out);
    if (!row) note_plain(r, x->op->name, false);
    if (left_out) note_plain(r, x->op->name, true);
    if (rule) {
        x->estimating = rule->estimated;
        if (rule->estimated) note_estimated(r, x->op->name);
        rule->make(x);
        x->estimating = false;
    }
    op_run_results(x);
    if (rule && is_reshape(x)) return; /* its program is that of the map */
    if (row && row->effect == EFFECT_DATA) return;
    uint64_t binary = row && row->binary ? row->binary : BINARY_USUAL;
    op_run_program(x, op_run_identity(x), conv_table_bytes(x), binary);
}

static void run_free(struct op_run *x) {
    uint32_t value = x->op->operand_count ? ir_operand_at(x->ir, x->op, 0)->value : IR_NONE;
    if (value == IR_NONE || x->values[value] == BUFFER_NO) return;
    if (x->replay->memory.buffers.items[x->values[value]].retained) return; /* the value remains usable */
    memory_drop(&x->replay->memory, x->values[value]);
    x->values[value] = BUFFER_NO;
}

static void run_effect(struct op_run *x, struct replay_frame *frame, uint32_t state) {
    const struct op_row *row = op_row_find(x->op->name);
    switch (row ? row->effect : EFFECT_PLAIN) {
        case EFFECT_NOTHING:
            break;
        case EFFECT_IN_PLACE:
            if (x->op->result_count) op_run_result_is(x, value_of(x, 0));
            if (runs_on_device(x)) op_run_program(x, op_run_identity(x), 0, BINARY_USUAL);
            break;
        case EFFECT_FREE:
            run_free(x);
            break;
        case EFFECT_CACHED:
            replay_load_cached(x, frame, state);
            break;
        case EFFECT_CALL:
            replay_call(x, frame, state);
            break;
        case EFFECT_TRACE:
            replay_trace(x, frame, state);
            break;
        case EFFECT_VIEW:
            if (value_of(x, 0) != BUFFER_NO && op_is_view(x)) {
                op_run_result_is(x, value_of(x, 0));
                break;
            }
            run_on_device(x, row);
            break;
        case EFFECT_DATA:
        case EFFECT_PLAIN:
            run_on_device(x, row);
            break;
    }
}

static bool is_record(const struct ir_op *op) {
    return !slice_equal(op->name, SLICE("ttnn.deallocate")) && !slice_equal(op->name, SLICE("ttnn.get_device"));
}

static void tell_uses(const struct op_run *x, uint32_t state) {
    const struct op_watch *watch = &x->replay->op_watch;
    for (uint32_t i = 0; i < x->op->operand_count; i++) {
        uint32_t buffer = value_of(x, i);
        if (buffer != BUFFER_NO) watch->uses(watch->context, state, buffer);
    }
}

static void replay_op(struct replay *r, struct replay_frame *frame, uint32_t index) {
    const struct ir *ir = r->ir;
    const struct ir_op *op = &ir->ops.items[index];
    struct op_run x = {.replay = r, .ir = ir, .op = op, .values = frame->values};
    uint32_t state = (uint32_t)r->states.len;
    if (r->ops_run++ >= (r->options.most_ops ? r->options.most_ops : MOST_OPS)) {
        r->stopped = true;
        vec_last(&r->runs).cut = true;
        return;
    }
    vec_push(&r->states,
             ((struct op_state){.program = (uint32_t)r->runs.len - 1,
                                .op = index,
                                .function = frame->function ? (uint32_t)(frame->function - ir->functions.items) : IR_NONE,
                                .record = IR_NONE,
                                .caller = frame->caller,
                                .argument = IR_NONE,
                                .dram_before = memory_allocated(&r->memory, POOL_DRAM)}));
    r->memory.place = state;
    if (r->op_watch.begins && is_record(op)) r->op_watch.begins(r->op_watch.context, state);
    if (r->op_watch.uses && is_record(op)) tell_uses(&x, state);
    run_effect(&x, frame, state);
    r->memory.place = state;
    for (unsigned i = 0; i < x.held_count && !r->stopped; i++) memory_drop(&r->memory, x.held[i]);
    struct op_state *s = &r->states.items[state];
    s->dram_after = memory_allocated(&r->memory, POOL_DRAM);
    s->l1_after = memory_allocated(&r->memory, POOL_L1);
    s->largest_after = memory_largest(&r->memory, POOL_DRAM);
    s->temporaries = x.temporaries;
    if (r->op_watch.ends && is_record(op)) r->op_watch.ends(r->op_watch.context, state);
}

/* The op that uses each value last; for modules that were printed before the pass that frees values. */
static uint32_t *last_uses(const struct ir *ir, const struct ir_function *f) {
    uint32_t *last = mem_alloc((f->value_count + 1) * sizeof *last);
    for (uint32_t i = 0; i < f->value_count; i++) last[i] = IR_NONE;
    for (uint32_t i = 0; i < f->op_count; i++) {
        const struct ir_op *op = &ir->ops.items[f->first_op + i];
        for (uint32_t k = 0; k < op->result_count; k++) last[op->first_result + k] = i;
        for (uint32_t k = 0; k < op->operand_count; k++) {
            uint32_t value = ir_operand_at(ir, op, k)->value;
            if (value != IR_NONE) last[value] = i;
        }
    }
    for (uint32_t i = 0; i < f->return_count; i++) {
        uint32_t value = ir->operands.items[f->first_return + i].value;
        if (value != IR_NONE) last[value] = IR_NONE;
    }
    return last;
}

static void free_after_last_use(struct replay *r, struct replay_frame *frame, const struct ir_op *op, const uint32_t *last,
                                uint32_t i) {
    const struct ir *ir = r->ir;
    uint32_t count = op->operand_count + op->result_count;
    for (uint32_t k = 0; k < count; k++) {
        bool operand = k < op->operand_count;
        uint32_t value = operand ? ir_operand_at(ir, op, k)->value : op->first_result + k - op->operand_count;
        if (value == IR_NONE || last[value] != i || frame->values[value] == BUFFER_NO) continue;
        memory_drop(&r->memory, frame->values[value]);
        frame->values[value] = BUFFER_NO;
    }
}

/* Everything that a function returns keeps its handle, in `returned`; the rest goes. */
static void end_function(struct replay *r, struct replay_frame *frame, uint32_t *returned) {
    const struct ir_function *f = frame->function;
    for (uint32_t i = 0; i < f->return_count; i++) {
        uint32_t value = r->ir->operands.items[f->first_return + i].value;
        returned[i] = value == IR_NONE ? BUFFER_NO : frame->values[value];
        memory_hold(&r->memory, returned[i]);
    }
    for (uint32_t i = 0; i < f->value_count; i++) memory_drop(&r->memory, frame->values[i]);
}

/* Does it call a const-eval function that takes only arguments? */
static bool takes_arguments_alone(const struct ir *ir, const struct ir_function *f, const struct ir_op *op) {
    const struct op_row *row = op_row_find(op->name);
    if (!row || row->effect != EFFECT_CACHED) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (ir_operand_at(ir, op, i)->value >= f->argument_count) return false;
    return true;
}

/* Runs those const-eval functions of a program that come first with these options; `record` counts in text order. */
static void run_const_evals(struct replay *r, struct replay_frame *frame) {
    const struct ir_function *f = frame->function;
    uint32_t record = 0;
    for (uint32_t i = 0; i < f->op_count && !r->stopped; i++) {
        const struct ir_op *op = &r->ir->ops.items[f->first_op + i];
        uint32_t state = (uint32_t)r->states.len;
        if (takes_arguments_alone(r->ir, f, op)) {
            replay_op(r, frame, f->first_op + i);
            if (state < r->states.len) r->states.items[state].record = record;
        }
        record += is_record(op);
    }
}

void replay_function(struct replay *r, struct replay_frame *frame, uint32_t *returned) {
    const struct ir_function *f = frame->function;
    for (uint32_t i = 0; i < f->return_count; i++) returned[i] = BUFFER_NO;
    if (r->depth >= MOST_DEPTH) {
        r->odd.call_cycles++;
        replay_note_left_out(r);
        return;
    }
    r->depth++;
    uint32_t *last = f->frees ? NULL : last_uses(r->ir, f);
    uint32_t record = 0;
    if (last && frame->caller == IR_NONE) vec_last(&r->runs).frees_by_last_use = true;
    bool ran = r->options.const_eval_first && frame->ids;
    if (ran) run_const_evals(r, frame);
    for (uint32_t i = 0; i < f->op_count && !r->stopped; i++) {
        const struct ir_op *op = &r->ir->ops.items[f->first_op + i];
        uint32_t state = (uint32_t)r->states.len;
        if (ran && takes_arguments_alone(r->ir, f, op)) {
            record++;
            continue;
        }
        replay_op(r, frame, f->first_op + i);
        if (state < r->states.len && is_record(op)) r->states.items[state].record = record++;
        if (last && !r->stopped) free_after_last_use(r, frame, op, last, i);
    }
    free(last);
    if (!r->stopped) end_function(r, frame, returned);
    r->depth--;
}

static uint32_t count_records(const struct ir *ir, const struct ir_function *f) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->op_count; i++) n += is_record(&ir->ops.items[f->first_op + i]);
    return n;
}

/* Peaks and margins are those of one program. */
static void begin_program(struct replay *r, const struct ir *ir, const struct ir_function *f) {
    struct replay_program run = {.ir = ir, .records = count_records(ir, f), .first_state = (uint32_t)r->states.len};
    r->ir = ir;
    r->ops_run = 0;
    vec_push(&r->runs, run);
    vec_push(&r->states, ((struct op_state){.program = (uint32_t)r->runs.len - 1,
                                            .op = IR_NONE,
                                            .function = (uint32_t)(f - ir->functions.items),
                                            .record = IR_NONE,
                                            .caller = IR_NONE,
                                            .argument = IR_NONE}));
    r->memory.place = r->states.len - 1;
    for (int pool = 0; pool < POOL_COUNT; pool++) {
        r->memory.margin[pool] = INT64_MAX;
        r->memory.peaks[pool] =
            (struct memory_peak){memory_allocated(&r->memory, (enum pool)pool), memory_largest(&r->memory, (enum pool)pool),
                                 r->memory.place, r->memory.sums[pool]};
    }
}

/* The program failed before it began: a buffer that must exist before it did not fit. */
static void note_failed_margin(const struct memory_failure *f, int64_t *margin) {
    int64_t room = (int64_t)f->largest - (int64_t)(f->want > INT64_MAX ? INT64_MAX : f->want);
    if (room < margin[f->pool]) margin[f->pool] = room;
}

static void end_program(struct replay *r, uint64_t failures) {
    struct replay_program *run = &vec_last(&r->runs);
    run->end_state = (uint32_t)r->states.len;
    bool too_long = run->cut;
    run->cut = run->cut || run->ir->cut;
    run->left_out = run->left_out || run->ir->odd.cut_ops || run->ir->odd.undefined_values;
    run->failed = r->memory.failures > failures || (r->stopped && !too_long);
    if (run->failed) run->failure = r->memory.failure;
    memcpy(run->peaks, r->memory.peaks, sizeof run->peaks);
    memcpy(run->margin, r->memory.margin, sizeof run->margin);
    if (run->failed) note_failed_margin(&run->failure, run->margin);
    run->end_sums = r->memory.sums[POOL_DRAM];
    run->dram_at_end = memory_allocated(&r->memory, POOL_DRAM);
}

bool replay_program(struct replay *r, const struct ir *ir, enum replay_between between) {
    const struct ir_function *f = ir_main(ir);
    uint64_t failures = r->memory.failures;
    if (!f) return true;
    if (r->runs.len) replay_let_go(r, between);
    begin_program(r, ir, f);
    if (r->stopped && !r->memory.failures) return false;
    struct replay_frame frame = {.function = f,
                                 .values = mem_alloc((f->value_count + 1) * sizeof *frame.values),
                                 .ids = mem_zalloc(f->argument_count + 1, sizeof *frame.ids),
                                 .caller = IR_NONE,
                                 .class = MEMORY_ACTIVATION};
    uint32_t *returned = mem_alloc((f->return_count + 1) * sizeof *returned);
    for (uint32_t i = 0; i < f->value_count; i++) frame.values[i] = BUFFER_NO;
    if (!r->stopped) replay_arguments(r, f, &frame);
    vec_last(&r->runs).dram_at_start = memory_allocated(&r->memory, POOL_DRAM);
    if (!r->stopped) replay_function(r, &frame, returned);
    for (uint32_t i = 0; i < f->return_count && !r->stopped; i++) {
        const struct ir_type *type = ir_type_at(ir, ir->operands.items[f->first_return + i].type);
        if (returned[i] != BUFFER_NO)
            vec_push(&r->kept,
                     ((struct kept_tensor){.type = type->identity, .id = r->next_id++, .buffer = returned[i], .held = *type}));
    }
    free(frame.values);
    free(frame.ids);
    free(returned);
    end_program(r, failures);
    return !vec_last(&r->runs).failed;
}

void replay_lone_op(struct replay *r, const struct ir *ir, uint32_t index) {
    const struct ir_op *op = &ir->ops.items[index];
    uint32_t count = op->operand_count + op->result_count;
    struct replay_frame frame = {
        .values = mem_alloc((count + 1) * sizeof *frame.values), .caller = IR_NONE, .class = MEMORY_ACTIVATION};
    r->ir = ir;
    r->ops_run = 0;
    vec_clear(&r->states);
    vec_clear(&r->runs);
    vec_push(&r->runs, (struct replay_program){.ir = ir});
    for (uint32_t i = 0; i < count; i++) {
        bool there = i < op->operand_count && tensor_on_device(&ir_operand_type(ir, op, i)->type);
        frame.values[i] = there ? replay_take(r, ir_operand_type(ir, op, i), MEMORY_ACTIVATION) : BUFFER_NO;
    }
    replay_op(r, &frame, index);
    for (uint32_t i = 0; i < count; i++) memory_drop(&r->memory, frame.values[i]);
    free(frame.values);
}
