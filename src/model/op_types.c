/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op_types.h"

/* From the runtime's EnumNameOpType: one type for many ops. Words are separated by spaces. */
static const struct {
    const char *type;
    const char *ops;
} groups[] = {
    {"EltwiseBinaryOp",
     " add subtract multiply divide eq ne ge gt le lt logical_and logical_or logical_xor logical_right_shift "},
    {"EltwiseBinaryCompositeOp", " maximum minimum pow remainder atan2 bitwise_and bitwise_or bitwise_xor logical_left_shift "},
    {"EltwiseUnaryOp",
     " abs relu relu6 silu gelu exp expm1 sqrt rsqrt sigmoid hardsigmoid tanh sin cos tan atan neg reciprocal floor ceil erf "
     "erfc log "
     "sign mish isfinite logical_not bitwise_not leaky_relu "},
    {"EltwiseUnaryCompositeOp", " cbrt clamp clamp_scalar clamp_tensor log1p "},
    {"EltwiseQuantizationOp", " quantize dequantize requantize "},
    {"ReductionOp", " sum mean max min "},
    {"NamedFullOp", " zeros ones "},
    {"Pool2dOp", " max_pool2d avg_pool2d "},
    {"DeallocateOp", " deallocate "},
    {"GetDeviceOp", " get_device "},
    {"LoadCachedOp", " load_cached "},
    {"CaptureOrExecuteTraceOp", " capture_or_execute_trace "},
};

enum { GROUP_COUNT = sizeof groups / sizeof *groups };

static struct slice short_name(struct slice name) {
    const char *dot = name.len ? memrchr(name.ptr, '.', name.len) : NULL;
    return dot ? slice_between(dot + 1, name.ptr + name.len) : name;
}

static bool has_word(const char *words, struct slice word) {
    for (const char *p = strstr(words, " "); p && p[1]; p = strchr(p + 1, ' '))
        if (slice_starts(slice_from(p + 1), word) && p[1 + word.len] == ' ') return true;
    return false;
}

static const char *group_of(struct slice word) {
    for (int i = 0; i < GROUP_COUNT; i++)
        if (has_word(groups[i].ops, word)) return groups[i].type;
    return NULL;
}

static bool is_group(struct slice type) {
    for (int i = 0; i < GROUP_COUNT; i++)
        if (slice_equal(type, slice_from(groups[i].type))) return true;
    return false;
}

/* "to_layout" and "ToLayoutOp" */
static bool is_camel_case_of(struct slice word, struct slice type) {
    size_t at = 0;
    bool upper = true;
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        if (c == '_') {
            upper = true;
            continue;
        }
        if (upper && c >= 'a' && c <= 'z') c = (char)(c - 'a' + 'A');
        upper = false;
        if (at == type.len || type.ptr[at++] != c) return false;
    }
    return slice_equal(slice_skip(type, at), SLICE("Op"));
}

bool op_type_is_own(struct slice name, struct slice op_type) { return is_camel_case_of(short_name(name), op_type); }

bool op_type_fits(enum op_kind kind, struct slice name, struct slice op_type) {
    if (!op_type.len) return true;
    if (kind == OP_CALL || kind == OP_CPU_CALL)
        return slice_equal(op_type, SLICE("FuncCallOp")) || slice_equal(op_type, SLICE("CpuOp"));
    if (slice_equal(op_type, SLICE("FuncCallOp")) || slice_equal(op_type, SLICE("CpuOp"))) return false;
    struct slice word = short_name(name);
    if (is_camel_case_of(word, op_type)) return true;
    const char *group = group_of(word);
    if (group) return slice_equal(op_type, slice_from(group));
    /* an op in no table: only the exact types of the special ops contradict it */
    return !is_group(op_type) || slice_starts(op_type, SLICE("Eltwise")) || slice_equal(op_type, SLICE("ReductionOp"));
}

static const struct {
    const char *name;
    enum op_kind kind;
} kinds[] = {
    {"ttnn.deallocate", OP_DEALLOCATE},          {"ttnn.get_device", OP_GET_DEVICE},   {"ttcore.load_cached", OP_LOAD_CACHED},
    {"tt.load_cached", OP_LOAD_CACHED},          {"ttnn.load_cached", OP_LOAD_CACHED}, {"func.call", OP_CALL},
    {"ttnn.capture_or_execute_trace", OP_TRACE},
};

enum op_kind op_kind_of(struct slice name, struct slice attributes) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!slice_equal(name, slice_from(kinds[i].name))) continue;
        if (kinds[i].kind == OP_CALL && slice_find(attributes, SLICE("cpu_hoisted_call")) != SLICE_NONE) return OP_CPU_CALL;
        return kinds[i].kind;
    }
    return OP_PLAIN;
}

bool op_may_return_input(struct slice name) {
    return has_word(" reshape view to_layout to_memory_config to_device to_dtype typecast ", short_name(name)) &&
           slice_starts(name, SLICE("ttnn."));
}

uint8_t op_cache_operands(struct slice name) {
    static const struct {
        const char *name;
        uint8_t operands;
    } rows[] = {{"update_cache", 1},
                {"fill_cache", 1},
                {"paged_update_cache", 1},
                {"paged_fill_cache", 1},
                {"paged_scaled_dot_product_attention_decode", 2 | 4}, /* query, keys, values */
                {"paged_flash_multi_latent_attention_decode", 2 | 4}};
    struct slice own = short_name(name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (slice_equal(own, slice_from(rows[i].name))) return rows[i].operands;
    return 0;
}

bool is_cache_name(struct slice name) {
    static const char *const words[] = {"kv_cache", "key_cache", "value_cache", "past_key", "past_value",
                                        "k_cache",  "v_cache",   "cache_k",     "cache_v"};
    static const char *const others[] = {"position", "index", "length", "mask"};
    bool cache = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) cache |= slice_find(name, slice_from(words[i])) != SLICE_NONE;
    for (size_t i = 0; cache && i < sizeof others / sizeof *others; i++)
        cache = slice_find(name, slice_from(others[i])) == SLICE_NONE;
    return cache;
}

bool op_type_is_op(struct slice op_type) {
    return !slice_equal(op_type, SLICE("DeallocateOp")) && !slice_equal(op_type, SLICE("GetDeviceOp"));
}
