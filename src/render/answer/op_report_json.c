/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem op --json. The files of a report keep the names of the older tool; this answer uses the names of all others. */
#include <stdlib.h>

#include "analysis/run/live_curve.h"
#include "analysis/run/module_path.h"
#include "model/buffer/block_bytes.h"
#include "render/answer/live_rows.h"
#include "render/answer/op_report.h"
#include "render/format/json_parts.h"
#include "render/format/predicted.h"
#include "render/format/warning_words.h"
#include "render/host/host_moment.h"
#include "render/json/op_json.h"
#include "render/json/records_json.h"

static const struct block *with_pool(const struct block *block, unsigned pool) {
    return block && block->have & 1u << pool ? block : NULL;
}

static const struct block *block_at(const struct run *run, uint32_t number) {
    return number == NONE ? NULL : &run->blocks.items[number];
}

static void pool_json(struct json *j, const struct run *run, const struct step *step, unsigned pool) {
    const struct block *before = with_pool(block_at(run, step->block), pool),
                       *after = with_pool(block_at(run, step->after), pool),
                       *next = with_pool(next_record_block(run, step), pool);
    if (!before && !after) {
        json_null(j);
        return;
    }
    const struct pool_config *config = block_config(run, before ? before : after, (enum pool)pool);
    int64_t was = before ? block_allocated_bytes(run, before, pool) : 0,
            is = after ? block_allocated_bytes(run, after, pool) : 0;
    int64_t then = next ? block_allocated_bytes(run, next, pool) : 0;
    json_object(j);
    json_member_u64_if(j, "banks", config->banks > 0, config->banks);
    json_member_i64_if(j, "capacity_bytes_per_bank", config->total > 0, config_bytes(config));
    json_member_i64_if(j, "before_bytes_per_bank", before, was);
    json_member_i64_if(j, "after_bytes_per_bank", after, is);
    json_member_i64_if(j, "change_bytes_per_bank", before && after, is - was);
    json_member_i64_if(j, "freed_bytes_per_bank", after && next, is - then);
    json_member_i64_if(j, "free_bytes_per_bank", before && block_free_known(before, pool),
                       before ? block_free_bytes(run, before, pool) : 0);
    json_member_i64_if(j, "largest_free_bytes_per_bank", before && block_largest_known(before, pool),
                       before ? block_largest_bytes(run, before, pool) : 0);
    json_object_end(j);
}

static void pools_json(struct json *j, const struct run *run, const struct step *step) {
    json_key(j, "pools");
    json_object(j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        json_key(j, pool_keys[pool]);
        pool_json(j, run, step, pool);
    }
    json_object_end(j);
}

/* Sums over the tensors that are alive before the op. */
static void live_before_json(struct json *j, const struct run *run, uint32_t record) {
    struct live_point(*curve)[LIVE_POOLS] = live_curve(run);
    json_key(j, "live_before");
    json_object(j);
    for (unsigned pool = 0; pool < LIVE_POOLS; pool++) {
        json_key(j, pool_keys[pool]);
        if (!curve) {
            json_null(j);
            continue;
        }
        const struct live_point *at = &curve[record][pool];
        struct live_sum sum = {.tensors = at->tensors,
                               .logical_bytes = at->logical_bytes,
                               .padded_bytes = at->padded_bytes,
                               .padding_bytes = at->padding_bytes,
                               .per_bank_bytes = at->per_bank_bytes,
                               .bank_unknown = at->bank_unknown,
                               .unshaped = run_has_shapes(run) ? 0 : at->tensors};
        json_sum(j, &sum);
    }
    json_object_end(j);
    free(curve);
}

static void origin_json(struct json *j, const struct run *run, const struct step *step, const struct op *op,
                        const struct op_text *text) {
    struct module_path path = {0};
    if (op) module_path_of(run_string(run, op->display), &path);
    json_member_text_or_null(j, "op_type", run_string(run, step->op_type));
    json_member_u64_if(j, "ir_line", op && op->ir_line, op ? op->ir_line : 0);
    json_member_text_or_null(j, "ir_text", op_report_ir_text(run, op));
    json_member_text_or_null(j, "location_text", text->location);
    json_member_text_or_null(j, "source_file", path.file);
    json_member_u64_if(j, "source_line", path.line > 0, path.line);
    json_member_op_attributes(j, text);
    json_member_const_eval(j, run, step);
    json_member_bool(j, "truncated", op && op->truncated);
}

static void value_json(struct json *j, struct slice value, const struct run *run, const struct tensor_type *type) {
    bool is_tensor = type->kind == TYPE_TENSOR;
    json_member_text_or_null(j, "value", value);
    json_key(j, "shape");
    if (is_tensor) json_str(j, type->shape); /* a scalar has the empty shape */
    else json_null(j);
    json_member_text_or_null(j, "dtype", is_tensor ? type->dtype : slice_of("", 0));
    json_key(j, "layout");
    layout_json(j, run, type);
}

static void operands_json(struct json *j, const struct run *run, const struct op *op, const struct op_text *text) {
    json_key(j, "operands");
    json_array(j);
    for (unsigned i = 0; op && i < op->operand_count; i++) {
        struct slice value = i < text->operands.len ? text->operands.items[i].value : slice_of("", 0);
        json_object(j);
        value_json(j, value, run, &run->types.items[run->refs.items[op->first_ref + i].type]);
        json_object_end(j);
    }
    json_array_end(j);
}

static void results_json(struct json *j, const struct run *run, const struct step *step, const struct op *op,
                         const struct op_text *text) {
    json_key(j, "results");
    json_array(j);
    for (unsigned i = 0; op && i < op->result_count; i++) {
        struct strbuf value = {0};
        const struct tensor *made = op_report_result(run, step, i);
        strbuf_add(&value, text->result);
        if (value.len && op->result_count > 1) strbuf_addf(&value, "#%u", i);
        json_object(j);
        value_json(j, strbuf_slice(&value), run,
                   &run->types.items[run->refs.items[op->first_ref + op->operand_count + i].type]);
        json_member_lifetime(j, run, made, made && made->left);
        json_object_end(j);
        strbuf_release(&value);
    }
    json_array_end(j);
}

static void weights_json(struct json *j, const struct run *run, const struct step *step) {
    uint32_t entries[256];
    size_t count = step_weights(run, step, entries, 256);
    json_key(j, "weights");
    json_array(j);
    for (size_t i = 0; i < count; i++) {
        const struct registry_entry *entry = &run->registry.items[entries[i]];
        json_object(j);
        json_member_u64(j, "registry_index", entries[i]);
        json_member_text_or_null(j, "name", entry->name);
        json_member_text_or_null(j, "shape", entry->shape);
        json_member_text_or_null(j, "dtype", entry->dtype);
        json_member_u64_if(j, "device_bytes", entry->bytes_known, entry->bytes);
        json_object_end(j);
    }
    json_array_end(j);
}

void op_report_json(struct strbuf *out, const struct output_job *job, uint32_t record) {
    const struct run *run = job->run;
    const struct step *step = &run->steps.items[run->records.items[record]];
    const struct op *op = step->op == NONE ? NULL : &run->ops.items[step->op];
    struct json j = {.out = out, .pretty = true};
    struct op_text text = {0};
    if (op) op_parse(run_op_text(run, op), &text);
    json_document(&j);
    json_member_bool(&j, "predicted", run_is_predicted(run));
    json_member_bool(&j, "at_least", run_is_bounded(run));
    json_member_bool(&j, "l1_per_core", run_l1_is_per_core(run));
    json_member_op(&j, "op", run, record);
    origin_json(&j, run, step, op, &text);
    operands_json(&j, run, op, &text);
    results_json(&j, run, step, op, &text);
    weights_json(&j, run, step);
    pools_json(&j, run, step);
    live_before_json(&j, run, record);
    json_member_l1_inside(&j, run, record);
    host_moment_json(&j, run, run->records.items[record]);
    json_object_end(&j);
    strbuf_addc(out, '\n');
    op_release(&text);
}
