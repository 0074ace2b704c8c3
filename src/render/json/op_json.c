/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json/op_json.h"

#include "base/num.h"
#include "render/format/json_parts.h"

static void shape(struct json *j, const struct tensor_type *type) {
    /* a scalar has a shape, the empty one; a device handle has none */
    if (type->kind == TYPE_TENSOR) json_str(j, type->shape);
    else json_null(j);
}

static void dtype(struct json *j, const struct tensor_type *type) {
    if (type->kind == TYPE_TENSOR && type->dtype.len) json_str(j, type->dtype);
    else json_null(j);
}

static void member_bytes(struct json *j, const char *key, bool known, uint64_t bytes) {
    json_key(j, key);
    if (known) json_u64(j, bytes);
    else json_null(j);
}

/* In the files that the older tool defined, and elsewhere. */
static const struct layout_keys {
    const char *logical_bytes, *padding_percent, *bytes_per_bank;
} older_keys = {"unpadded_bytes", "overhead_pct", "per_bank_bytes"},
  own_keys = {"logical_bytes", "padding_percent", "bytes_per_bank"};

static void layout_by(struct json *j, const struct run *run, const struct tensor_type *type, const struct layout_keys *keys) {
    if (type->kind != TYPE_TENSOR || !type->has_layout) {
        json_null(j);
        return;
    }
    uint64_t padded = tensor_padded_bytes(type, &run->geometry), per_bank = tensor_per_bank_bytes(type, &run->geometry);
    bool known = type->physical_known;
    char text[256];
    json_object(j);
    json_member_str(j, "logical_shape", type->shape);
    json_member_str(j, "dtype", type->dtype);
    member_bytes(j, keys->logical_bytes, type->logical_known, type->logical_bytes);
    json_member_bool(j, "is_tiled", type->tiled);
    json_member_str(j, "memref_shape", type->memref);
    json_key(j, "tile_size");
    if (type->tiled) {
        size_t n = num_write_u64(text, type->tile_height);
        text[n++] = 'x';
        n += num_write_u64(text + n, type->tile_width);
        json_str(j, slice_of(text, n));
    } else {
        json_null(j);
    }
    json_member_str(j, "padded_shape", slice_of(text, tensor_padded_shape(type, text, sizeof text)));
    member_bytes(j, "padded_bytes", known, padded);
    json_member_text(j, "buffer_type", buffer_type_name(type->buffer));
    json_key(j, keys->padding_percent);
    if (known && type->logical_known && type->logical_bytes)
        json_milli(j, num_percent_milli((int64_t)tensor_padding_bytes(type, &run->geometry), (int64_t)type->logical_bytes));
    else json_null(j);
    json_member_str(j, "grid", type->grid);
    json_key(j, "memory_layout");
    if (type->memory_layout == LAYOUT_NONE) json_null(j);
    else json_text(j, memory_layout_name(type->memory_layout));
    json_member_str(j, "storage_dtype", type->storage);
    member_bytes(j, keys->bytes_per_bank, per_bank > 0 || (known && tensor_on_device(type) && !padded), per_bank);
    json_object_end(j);
}

void layout_json(struct json *j, const struct run *run, const struct tensor_type *type) { layout_by(j, run, type, &own_keys); }

static void older_layout(struct json *j, const struct run *run, const struct tensor_type *type) {
    layout_by(j, run, type, &older_keys);
}

static const struct tensor_type *type_at(const struct run *run, const struct op *op, unsigned ref) {
    return &run->types.items[run->refs.items[op->first_ref + ref].type];
}

void json_member_op_attributes(struct json *j, const struct op_text *text) {
    struct strbuf both = {0};
    strbuf_add(&both, text->properties);
    if (text->properties.len && text->attributes.len) strbuf_addz(&both, ", ");
    strbuf_add(&both, text->attributes);
    json_member_text_or_null(j, "attributes", strbuf_slice(&both));
    strbuf_release(&both);
}

void op_json_head(struct json *j, const struct run *run, const struct op *op, struct slice text, struct op_text *scratch) {
    op_parse(text, scratch);
    unsigned operands = op->operand_count, results = op->result_count;
    json_member_text_or_null(j, "result", scratch->result);
    json_member_str(j, "mlir_op", run_string(run, op->name));
    json_key(j, "inputs");
    json_array(j);
    for (size_t i = 0; i < scratch->operands.len; i++) json_str(j, scratch->operands.items[i].value);
    json_array_end(j);
    json_member_op_attributes(j, scratch);
    json_key(j, "input_types");
    json_array(j);
    for (size_t i = 0; i < scratch->operands.len; i++) json_str(j, scratch->operands.items[i].type);
    json_array_end(j);
    json_member_text_or_null(j, "output_type", scratch->result_type);
    static const char *const keys[] = {"input_shapes", "input_dtypes", "output_shapes", "output_dtypes"};
    for (unsigned k = 0; k < 4; k++) {
        unsigned first = k < 2 ? 0 : operands, count = k < 2 ? operands : results;
        json_key(j, keys[k]);
        json_array(j);
        for (unsigned i = 0; i < count; i++) (k % 2 ? dtype : shape)(j, type_at(run, op, first + i));
        json_array_end(j);
    }
    json_key(j, "output_layout_info");
    if (results) older_layout(j, run, type_at(run, op, operands));
    else json_null(j);
    json_member_text_or_null(j, "loc", run_string(run, op->display));
}

void op_json_tail(struct json *j, const struct run *run, const struct op *op, const struct op_text *scratch) {
    json_key(j, "results");
    json_array(j);
    for (unsigned i = 0; i < op->result_count; i++) {
        const struct tensor_type *type = type_at(run, op, op->operand_count + i);
        struct strbuf value = {0};
        strbuf_add(&value, scratch->result);
        if (op->result_count > 1) strbuf_addf(&value, "#%u", i);
        json_object(j);
        json_member_str(j, "value", strbuf_slice(&value));
        json_key(j, "shape");
        shape(j, type);
        json_key(j, "dtype");
        dtype(j, type);
        json_key(j, "layout");
        older_layout(j, run, type);
        json_object_end(j);
        strbuf_release(&value);
    }
    json_array_end(j);
    json_member_text_or_null(j, "loc_full", scratch->location);
}
