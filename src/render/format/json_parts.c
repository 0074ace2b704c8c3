/* SPDX-License-Identifier: Apache-2.0 */
#include "render/format/json_parts.h"

#include "base/num.h"

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

void json_member_mb(struct json *j, const char *key, uint64_t bytes) {
    json_member_milli(j, key, num_bytes_to_milli_mb(bytes));
}

void json_rank(struct json *j, const struct run *run, uint16_t rank) {
    struct slice tag = run_string(run, run->ranks.items[rank].name);
    if (tag.len) json_str(j, tag);
    else json_null(j);
}

void json_peaks(struct json *j, const struct run *run, const struct peaks *peaks) {
    json_object(j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        const struct peak *peak = &peaks->pools[pool];
        if (!peak->seen) continue;
        json_key(j, pool_names[pool]);
        json_object(j);
        json_member_milli(j, "allocated_MB", peak->allocated);
        if (peak->total || !peak->allocated) json_member_milli(j, "capacity_MB", peak->total);
        else json_member_null(j, "capacity_MB");
        json_member_index(j, "op_index", peak->after_record);
        json_member_index(j, "before_op_index", peak->before_record);
        json_key(j, "rank");
        json_rank(j, run, peak->rank);
        json_member_u64(j, "line", peak->line);
        json_member_text(j, "source", peak_source_names[peak->source]);
        json_member_bool(j, "at_least", peak->at_least);
        json_object_end(j);
    }
    json_object_end(j);
}

void json_memory_config(struct json *j, const struct run *run) {
    json_object(j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        for (size_t i = 0; i < run->configs.len; i++) {
            if (run->configs.items[i].pool != pool) continue;
            json_key(j, pool_names[pool]);
            json_object(j);
            json_member_u64(j, "num_banks", run->configs.items[i].banks);
            json_member_milli(j, "total_bytes_per_bank_MB", run->configs.items[i].total);
            json_object_end(j);
            break;
        }
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
        uint32_t record = holders->items[i].record;
        json_object(j);
        json_member_index(j, "op_index", record);
        json_member_text_or_null(
            j, "op", record == NONE ? slice_of("", 0) : step_name(run, &run->steps.items[run->records.items[record]]));
        json_member_milli(j, "per_bank_MB", holders->items[i].milli);
        json_object_end(j);
    }
    json_array_end(j);
}

void json_member_per_bank(struct json *j, const char *key, const struct live_sum *sum) {
    if (sum->bank_unknown) json_member_null(j, key);
    else json_member_u64(j, key, sum->per_bank_bytes);
}

void json_member_per_bank_mb(struct json *j, const char *key, const struct live_sum *sum) {
    if (sum->bank_unknown) json_member_null(j, key);
    else json_member_mb(j, key, sum->per_bank_bytes);
}

void json_padding(struct json *j, const struct live_sum *sum) {
    uint64_t overhead = sum->padded_bytes > sum->logical_bytes ? sum->padded_bytes - sum->logical_bytes : 0;
    json_object(j);
    json_member_u64(j, "unpadded_bytes", sum->logical_bytes);
    json_member_u64(j, "padded_bytes", sum->padded_bytes);
    json_member_u64(j, "num_tensors", sum->tensors);
    json_member_mb(j, "unpadded_MB", sum->logical_bytes);
    json_member_mb(j, "padded_MB", sum->padded_bytes);
    json_member_mb(j, "overhead_MB", overhead);
    json_member_milli(j, "overhead_pct", num_percent_milli((int64_t)overhead, (int64_t)sum->logical_bytes));
    json_member_per_bank(j, "per_bank_bytes", sum);
    json_object_end(j);
}
