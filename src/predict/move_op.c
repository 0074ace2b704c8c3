/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/move_op.h"

#include <string.h>

/* The results of a plain op depend only on its operands. Calls, traces and caches belong to the runtime. */
static bool is_plain(const struct ir_op *op) {
    return op->result_count && slice_starts(op->name, SLICE("ttnn.")) && !slice_ends(op->name, SLICE("_cache")) &&
           slice_find(op->name, SLICE("_trace")) == SLICE_NONE && !slice_equal(op->name, SLICE("ttnn.get_device"));
}

static bool takes(const struct ir *ir, const struct ir_op *op, uint32_t value) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (ir_operand_at(ir, op, i)->value == value) return true;
    return false;
}

/* Does the op depend on the other one, using something that it makes or changes in place? */
static bool needs(const struct ir *ir, const struct ir_op *op, const struct ir_op *other) {
    bool in_place = !other->result_count || slice_ends(other->name, SLICE("_cache"));
    for (uint32_t i = 0; i < op->operand_count; i++) {
        uint32_t value = ir_operand_at(ir, op, i)->value;
        if (value == IR_NONE) return true;
        if (value >= other->first_result && value < other->first_result + other->result_count) return true;
        if (in_place && takes(ir, other, value)) return true;
    }
    return false;
}

uint32_t move_op_earliest(const struct ir *ir, const struct ir_function *f, uint32_t at) {
    const struct ir_op *ops = &ir->ops.items[f->first_op];
    if (!is_plain(&ops[at])) return at;
    uint32_t to = at;
    while (to && !needs(ir, &ops[at], &ops[to - 1])) to--;
    return to;
}

uint32_t move_op_find(const struct ir *ir, uint64_t line) {
    const struct ir_function *f = ir_main(ir);
    uint32_t at = 0;
    while (at < f->op_count && ir->ops.items[f->first_op + at].line != line) at++;
    return at;
}

void move_op_of_line(struct ir *ir, uint64_t line) {
    const struct ir_function *f = ir_main(ir);
    uint32_t at = f ? move_op_find(ir, line) : 0;
    if (!f || at >= f->op_count) return;
    struct ir_op *ops = &ir->ops.items[f->first_op], moved = ops[at];
    uint32_t to = move_op_earliest(ir, f, at);
    memmove(&ops[to + 1], &ops[to], (at - to) * sizeof *ops);
    ops[to] = moved;
}
