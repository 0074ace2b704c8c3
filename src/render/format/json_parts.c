/* SPDX-License-Identifier: Apache-2.0 */
#include "render/format/json_parts.h"

#include "analysis/run/op_inside.h"

#include "base/num.h"
#include "model/buffer/block_bytes.h"
#include "render/format/predicted.h"

void json_index(struct json *j, uint32_t index) {
    if (index == NONE) json_null(j);
    else json_u64(j, index);
}

void json_member_index(struct json *j, const char *key, uint32_t index) {
    json_key(j, key);
    json_index(j, index);
}

void json_member_text_or_null(struct json *j, const char *key, struct slice text) {
    json_key(j, key);
    if (text.len) json_str(j, text);
    else json_null(j);
}

void json_member_u64_if(struct json *j, const char *key, bool known, uint64_t value) {
    if (known) json_member_u64(j, key, value);
    else json_member_null(j, key);
}

void json_member_i64_if(struct json *j, const char *key, bool known, int64_t value) {
    if (known) json_member_i64(j, key, value);
    else json_member_null(j, key);
}

void json_member_bytes_of_milli(struct json *j, const char *key, int64_t milli) {
    json_member_i64(j, key, num_milli_mb_to_bytes(milli));
}

void json_member_bytes_of_milli_if(struct json *j, const char *key, bool known, int64_t milli) {
    json_member_i64_if(j, key, known, num_milli_mb_to_bytes(milli));
}

/* part of whole in percent, null if the whole is 0. */
static void json_member_percent(struct json *j, const char *key, int64_t part, int64_t whole) {
    if (whole) json_member_milli(j, key, num_percent_milli(part, whole));
    else json_member_null(j, key);
}

void json_op_words(struct json *j, const struct json_op_words *op) {
    json_object(j);
    json_member_index(j, "index", op->index);
    json_member_text_or_null(j, "name", op->name);
    json_member_u64_if(j, "line", op->line > 0, op->line);
    json_member_text_or_null(j, "location", op->location);
    json_member_text_or_null(j, "program", op->program);
    json_member_text_or_null(j, "rank", op->rank);
    json_object_end(j);
}

void json_op(struct json *j, const struct run *run, uint32_t record) {
    if (record == NONE) {
        json_null(j);
        return;
    }
    const struct step *step = &run->steps.items[run->records.items[record]];
    uint32_t program = step_program(run, step);
    struct slice nothing = slice_of("", 0);
    const struct json_op_words op = {
        .index = record,
        .name = step_name(run, step),
        .line = step->line,
        .location = step->op == NONE ? nothing : run_string(run, run->ops.items[step->op].display),
        .program = program == NONE ? nothing : run_string(run, run->programs.items[program].name),
        .rank = run_string(run, run->ranks.items[step->rank].name),
    };
    json_op_words(j, &op);
}

void json_member_op(struct json *j, const char *key, const struct run *run, uint32_t record) {
    json_key(j, key);
    json_op(j, run, record);
}

bool rank_is_listed(const struct run *run, size_t rank) {
    return run->ranks.items[rank].records || run->ranks.items[rank].blocks;
}

void json_rank(struct json *j, const struct run *run, uint16_t rank) {
    struct slice tag = run_string(run, run->ranks.items[rank].name);
    if (tag.len) json_str(j, tag);
    else json_null(j);
}

void json_member_rank(struct json *j, const struct run *run, uint16_t rank) {
    json_key(j, "rank");
    json_rank(j, run, rank);
    json_member_index(j, "rank_index", run_rank_index(run, rank));
}

void json_peak(struct json *j, const struct run *run, enum pool pool, const struct peak *peak) {
    bool sized = peak->total || !peak->allocated;
    json_object(j);
    json_member_i64(j, "allocated_bytes_per_bank", peak_bytes(peak));
    json_member_i64_if(j, "capacity_bytes_per_bank", sized, peak_total_bytes(peak));
    json_member_u64_if(j, "banks", peak->banks > 0, peak->banks);
    json_member_percent(j, "used_percent", peak->allocated, peak->total);
    json_member_op(j, "op", run, peak->after_record);
    json_member_op(j, "before_op", run, peak->before_record);
    json_member_rank(j, run, peak->rank);
    json_member_u64_if(j, "line", peak->line > 0, peak->line);
    json_member_text(j, "source", peak_source_of(run, peak->source));
    json_member_bool(j, "at_least", peak->at_least);
    json_member_text(j, "caveat", peak_caveat(run, pool));
    json_object_end(j);
}

void json_peaks(struct json *j, const struct run *run, const struct peaks *peaks) {
    json_object(j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        json_key(j, pool_keys[pool]);
        if (peaks->pools[pool].seen) json_peak(j, run, (enum pool)pool, &peaks->pools[pool]);
        else json_null(j);
    }
    json_object_end(j);
}

void json_all_banks(struct json *j, const struct run *run, const struct peaks *peaks) {
    json_key(j, "all_banks");
    json_object(j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        struct peak whole;
        json_key(j, pool_keys[pool]);
        if (!peak_of_all_banks(run, &peaks->pools[pool], &whole)) {
            json_null(j);
            continue;
        }
        json_object(j);
        json_member_u64(j, "total_bytes", whole.all_banks_bytes);
        json_member_op(j, "op", run, whole.after_record);
        json_object_end(j);
    }
    json_object_end(j);
}

void json_pool_size(struct json *j, const struct pool_config *config) {
    json_object(j);
    json_member_u64_if(j, "banks", config->banks > 0, config->banks);
    /* regions of L1_SMALL and traces can be empty, the pools around them cannot */
    json_member_i64_if(j, "capacity_bytes_per_bank", config->total || config->pool > POOL_L1, config_bytes(config));
    json_object_end(j);
}

void json_pools(struct json *j, const struct run *run) {
    json_object(j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        size_t i = 0;
        while (i < run->configs.len && run->configs.items[i].pool != pool) i++;
        json_key(j, pool_keys[pool]);
        if (i < run->configs.len) json_pool_size(j, &run->configs.items[i]);
        else json_null(j);
    }
    json_object_end(j);
}

void json_missing(struct json *j, const struct overview *overview) {
    json_array(j);
    for (size_t i = 0; i < overview->missing.len; i++) {
        json_object(j);
        json_member_text(j, "what", overview->missing.items[i].what);
        json_member_text(j, "setting", overview->missing.items[i].setting);
        json_object_end(j);
    }
    json_array_end(j);
}

void json_holders(struct json *j, const struct run *run, const struct holders *holders) {
    json_array(j);
    for (size_t i = 0; i < holders->len; i++) {
        json_object(j);
        json_member_op(j, "op", run, holders->items[i].record);
        json_member_u64_if(j, "submit", holders->items[i].submit > 0, holders->items[i].submit);
        json_member_bytes_of_milli(j, "bytes_per_bank", holders->items[i].milli);
        json_object_end(j);
    }
    json_array_end(j);
}

void json_member_per_bank(struct json *j, const char *key, const struct live_sum *sum) {
    json_member_u64_if(j, key, !sum->bank_unknown, sum->per_bank_bytes);
}

void json_sum(struct json *j, const struct live_sum *sum) {
    json_object(j);
    json_member_u64(j, "tensor_count", sum->tensors);
    bool known = !sum->tensors || live_sum_has_shapes(sum);
    json_member_u64_if(j, "logical_bytes", known, sum->logical_bytes);
    json_member_u64(j, "padded_bytes", sum->padded_bytes);
    json_member_u64_if(j, "padding_bytes", known, sum->padding_bytes);
    if (known) json_member_percent(j, "padding_percent", (int64_t)sum->padding_bytes, (int64_t)sum->logical_bytes);
    else json_member_null(j, "padding_percent");
    json_member_per_bank(j, "bytes_per_bank", sum);
    json_object_end(j);
}

void json_member_l1_inside(struct json *j, const struct run *run, uint32_t record) {
    struct op_inside at = {0};
    if (record != NONE) op_inside_find(run, record, &at);
    json_key(j, "l1_inside");
    if (!at.known) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64(j, "total_bytes_per_bank", at.total_bytes);
    json_member_u64(j, "circular_buffer_bytes_per_bank", at.program_bytes);
    json_member_u64(j, "inside_bytes_per_bank", at.inside_bytes);
    json_member_u64(j, "other_bytes_per_bank", at.other_bytes);
    json_object_end(j);
}
