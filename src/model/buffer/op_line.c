/* SPDX-License-Identifier: Apache-2.0 */
#include "model/buffer/op_line.h"

#include "model/buffer/types.h"

static void add_values(struct strbuf *out, const struct buffer_tensor *tensors, size_t count) {
    for (size_t i = 0; i < count; i++) strbuf_addf(out, "%s%%%llu", i ? ", " : "", (unsigned long long)tensors[i].id);
}

static void add_types(struct strbuf *out, const struct buffer_tensor *tensors, size_t count) {
    strbuf_addc(out, '(');
    for (size_t i = 0; i < count; i++) {
        if (i) strbuf_addz(out, ", ");
        buffer_type_text(out, &tensors[i]);
    }
    strbuf_addc(out, ')');
}

void buffer_op_line(struct strbuf *out, const struct buffer_op *op) {
    if (op->result_count) {
        strbuf_addf(out, "%%%llu", (unsigned long long)op->results[0].id);
        if (op->result_count > 1) strbuf_addf(out, ":%zu", op->result_count);
        strbuf_addz(out, " = ");
    }
    strbuf_addf(out, "\"%.*s\"(", SLICE_FMT(op->name));
    add_values(out, op->operands, op->operand_count);
    strbuf_addz(out, ") : ");
    add_types(out, op->operands, op->operand_count);
    strbuf_addz(out, " -> ");
    add_types(out, op->results, op->result_count);
    if (op->location.len && slice_find_byte(op->location, '"') == SLICE_NONE)
        strbuf_addf(out, " loc(\"%.*s\")", SLICE_FMT(op->location));
    else strbuf_addz(out, " loc(unknown)");
}
