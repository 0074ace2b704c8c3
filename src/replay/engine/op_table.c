/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/engine/op_table.h"

#include <stdlib.h>

#include "replay/ir/attribute.h"

/* Binaries: a program of 10 to 20 kB has 5 to 10 pages; matmul, convolution and attention have more kernels. */
enum { BINARY_MATMUL = 4096, BINARY_CONV = 8192, BINARY_SDPA = 36864 };

/* Sorted by name. */
static const struct op_row rows[] = {
    {"abs", EFFECT_PLAIN, 0},
    {"acos", EFFECT_PLAIN, 0},
    {"add", EFFECT_PLAIN, 0},
    {"all_gather", EFFECT_PLAIN, 0},
    {"all_reduce", EFFECT_PLAIN, 0},
    {"all_reduce_async", EFFECT_PLAIN, 0},
    {"all_to_all_combine", EFFECT_PLAIN, 0},
    {"all_to_all_dispatch", EFFECT_PLAIN, 0},
    {"annotate", EFFECT_NOTHING, 0},
    {"arange", EFFECT_DATA, 0},
    {"argmax", EFFECT_PLAIN, 0},
    {"asin", EFFECT_PLAIN, 0},
    {"assign", EFFECT_PLAIN, 0},
    {"atan", EFFECT_PLAIN, 0},
    {"atan2", EFFECT_PLAIN, 0},
    {"avg_pool2d", EFFECT_PLAIN, 0},
    {"batch_norm_inference", EFFECT_PLAIN, 0},
    {"batch_norm_training", EFFECT_PLAIN, 0},
    {"begin_trace_capture", EFFECT_NOTHING, 0},
    {"bitwise_and", EFFECT_PLAIN, 0},
    {"bitwise_not", EFFECT_PLAIN, 0},
    {"bitwise_or", EFFECT_PLAIN, 0},
    {"bitwise_xor", EFFECT_PLAIN, 0},
    {"call", EFFECT_CALL, 0},
    {"capture_or_execute_trace", EFFECT_TRACE, 0},
    {"cbrt", EFFECT_PLAIN, 0},
    {"ceil", EFFECT_PLAIN, 0},
    {"clamp_scalar", EFFECT_PLAIN, 0},
    {"clamp_tensor", EFFECT_PLAIN, 0},
    {"concat", EFFECT_VIEW, 0},
    {"concatenate_heads", EFFECT_PLAIN, 0},
    {"constant", EFFECT_DATA, 0},
    {"conv2d", EFFECT_PLAIN, BINARY_CONV},
    {"conv3d", EFFECT_PLAIN, BINARY_CONV},
    {"conv_transpose2d", EFFECT_PLAIN, BINARY_CONV},
    {"cos", EFFECT_PLAIN, 0},
    {"cumsum", EFFECT_PLAIN, 0},
    {"deallocate", EFFECT_FREE, 0},
    {"dequantize", EFFECT_PLAIN, 0},
    {"distribute_tensor", EFFECT_VIEW, 0},
    {"divide", EFFECT_PLAIN, 0},
    {"dropout", EFFECT_PLAIN, 0},
    {"dump_tensor", EFFECT_NOTHING, 0},
    {"embedding", EFFECT_PLAIN, 0},
    {"embedding_bw", EFFECT_PLAIN, 0},
    {"empty", EFFECT_DATA, 0},
    {"end_trace_capture", EFFECT_NOTHING, 0},
    {"eq", EFFECT_PLAIN, 0},
    {"erf", EFFECT_PLAIN, 0},
    {"erfc", EFFECT_PLAIN, 0},
    {"execute_trace", EFFECT_NOTHING, 0},
    {"exp", EFFECT_PLAIN, 0},
    {"expm1", EFFECT_PLAIN, 0},
    {"fill_cache", EFFECT_IN_PLACE, 0},
    {"floor", EFFECT_PLAIN, 0},
    {"from_device", EFFECT_NOTHING, 0},
    {"full", EFFECT_DATA, 0},
    {"gather", EFFECT_PLAIN, 0},
    {"ge", EFFECT_PLAIN, 0},
    {"gelu", EFFECT_PLAIN, 0},
    {"gelu_bw", EFFECT_PLAIN, 0},
    {"get_device", EFFECT_NOTHING, 0},
    {"global_avg_pool2d", EFFECT_PLAIN, 0},
    {"group_norm", EFFECT_PLAIN, 0},
    {"gt", EFFECT_PLAIN, 0},
    {"hardsigmoid", EFFECT_PLAIN, 0},
    {"isfinite", EFFECT_PLAIN, 0},
    {"layer_norm", EFFECT_PLAIN, 0},
    {"layer_norm_post_all_gather", EFFECT_PLAIN, 0},
    {"layer_norm_pre_all_gather", EFFECT_PLAIN, 0},
    {"le", EFFECT_PLAIN, 0},
    {"leaky_relu", EFFECT_PLAIN, 0},
    {"linear", EFFECT_PLAIN, BINARY_MATMUL},
    {"load_cached", EFFECT_CACHED, 0},
    {"load_tensor", EFFECT_DATA, 0},
    {"log", EFFECT_PLAIN, 0},
    {"log1p", EFFECT_PLAIN, 0},
    {"logical_and", EFFECT_PLAIN, 0},
    {"logical_left_shift", EFFECT_PLAIN, 0},
    {"logical_not", EFFECT_PLAIN, 0},
    {"logical_or", EFFECT_PLAIN, 0},
    {"logical_right_shift", EFFECT_PLAIN, 0},
    {"logical_xor", EFFECT_PLAIN, 0},
    {"lt", EFFECT_PLAIN, 0},
    {"matmul", EFFECT_PLAIN, BINARY_MATMUL},
    {"max", EFFECT_PLAIN, 0},
    {"max_pool2d", EFFECT_PLAIN, 0},
    {"max_pool2d_with_indices", EFFECT_PLAIN, 0},
    {"maximum", EFFECT_PLAIN, 0},
    {"mean", EFFECT_PLAIN, 0},
    {"mesh_partition", EFFECT_PLAIN, 0},
    {"mesh_shard", EFFECT_VIEW, 0},
    {"min", EFFECT_PLAIN, 0},
    {"minimum", EFFECT_PLAIN, 0},
    {"mish", EFFECT_PLAIN, 0},
    {"moreh_cumsum", EFFECT_PLAIN, 0},
    {"multiply", EFFECT_PLAIN, 0},
    {"ne", EFFECT_PLAIN, 0},
    {"neg", EFFECT_PLAIN, 0},
    {"nlp_concat_heads", EFFECT_PLAIN, 0},
    {"nlp_concat_heads_decode", EFFECT_PLAIN, 0},
    {"nlp_create_qkv_heads_decode", EFFECT_PLAIN, 0},
    {"ones", EFFECT_DATA, 0},
    {"pad", EFFECT_PLAIN, 0},
    {"paged_fill_cache", EFFECT_IN_PLACE, 0},
    {"paged_scaled_dot_product_attention_decode", EFFECT_PLAIN, BINARY_SDPA},
    {"paged_update_cache", EFFECT_IN_PLACE, 0},
    {"permute", EFFECT_VIEW, 0},
    {"point_to_point", EFFECT_PLAIN, 0},
    {"pow_scalar", EFFECT_PLAIN, 0},
    {"pow_tensor", EFFECT_PLAIN, 0},
    {"prepare_conv2d_bias", EFFECT_PLAIN, 0},
    {"prepare_conv2d_weights", EFFECT_PLAIN, 0},
    {"prepare_conv_transpose2d_bias", EFFECT_PLAIN, 0},
    {"prepare_conv_transpose2d_weights", EFFECT_PLAIN, 0},
    {"prod", EFFECT_PLAIN, 0},
    {"quantize", EFFECT_PLAIN, 0},
    {"rand", EFFECT_PLAIN, 0},
    {"reciprocal", EFFECT_PLAIN, 0},
    {"reduce_scatter", EFFECT_PLAIN, 0},
    {"relu", EFFECT_PLAIN, 0},
    {"relu6", EFFECT_PLAIN, 0},
    {"remainder", EFFECT_PLAIN, 0},
    {"repeat", EFFECT_VIEW, 0},
    {"repeat_interleave", EFFECT_PLAIN, 0},
    {"requantize", EFFECT_PLAIN, 0},
    {"reshape", EFFECT_VIEW, 0},
    {"rms_norm", EFFECT_PLAIN, 0},
    {"rms_norm_post_all_gather", EFFECT_PLAIN, 0},
    {"rms_norm_pre_all_gather", EFFECT_PLAIN, 0},
    {"rotary_embedding", EFFECT_PLAIN, 0},
    {"rotary_embedding_llama", EFFECT_PLAIN, 0},
    {"rsqrt", EFFECT_PLAIN, 0},
    {"scaled_dot_product_attention", EFFECT_PLAIN, BINARY_SDPA},
    {"scaled_dot_product_attention_decode", EFFECT_PLAIN, BINARY_SDPA},
    {"scatter", EFFECT_PLAIN, 0},
    {"sigmoid", EFFECT_PLAIN, 0},
    {"sign", EFFECT_PLAIN, 0},
    {"silu", EFFECT_PLAIN, 0},
    {"silu_bw", EFFECT_PLAIN, 0},
    {"sin", EFFECT_PLAIN, 0},
    {"slice_dynamic", EFFECT_PLAIN, 0},
    {"slice_static", EFFECT_VIEW, 0},
    {"softmax", EFFECT_PLAIN, 0},
    {"sort", EFFECT_PLAIN, 0},
    {"split_query_key_value_and_split_heads", EFFECT_PLAIN, 0},
    {"sqrt", EFFECT_PLAIN, 0},
    {"subtract", EFFECT_PLAIN, 0},
    {"sum", EFFECT_PLAIN, 0},
    {"tan", EFFECT_PLAIN, 0},
    {"tanh", EFFECT_PLAIN, 0},
    {"to_device", EFFECT_DATA, 0},
    {"to_dtype", EFFECT_PLAIN, 0},
    {"to_layout", EFFECT_VIEW, 0},
    {"to_memory_config", EFFECT_VIEW, 0},
    {"topk", EFFECT_PLAIN, 0},
    {"transpose", EFFECT_VIEW, 0},
    {"typecast", EFFECT_PLAIN, 0},
    {"update_cache", EFFECT_IN_PLACE, 0},
    {"upsample", EFFECT_PLAIN, 0},
    {"where", EFFECT_PLAIN, 0},
    {"write_tensor", EFFECT_NOTHING, 0},
    {"zeros", EFFECT_DATA, 0},
};

static int compare_name(const void *key, const void *row) {
    const struct slice *name = key;
    const char *other = ((const struct op_row *)row)->name;
    size_t len = strlen(other);
    int order = memcmp(name->ptr, other, name->len < len ? name->len : len);
    return order ? order : name->len < len ? -1 : name->len > len;
}

const struct op_row *op_row_find(struct slice name) {
    const char *dot = memchr(name.ptr, '.', name.len);
    if (dot) name = slice_between(dot + 1, name.ptr + name.len);
    if (!name.len) return NULL;
    const struct op_row *row = bsearch(&name, rows, sizeof rows / sizeof *rows, sizeof *rows, compare_name);
    if (row) return row;
    static const struct op_row in_place = {"_", EFFECT_IN_PLACE, 0}; /* relu_ and similar ops work on their operand */
    return name.ptr[name.len - 1] == '_' ? &in_place : NULL;
}

/* The test named this_is_view in ttnn/.../reshape_view/reshape.cpp. */
bool reshape_is_view(const struct ir_type *in, const struct ir_type *out) {
    if (ir_same_shape(in, out)) return true;
    if (ir_dim_back(in, 0) != ir_dim_back(out, 0) || ir_is_sharded(in) != ir_is_sharded(out) ||
        (in->type.buffer == BUFFER_L1) != (out->type.buffer == BUFFER_L1))
        return false;
    uint64_t from = ir_dim_back(in, 1), to = ir_dim_back(out, 1);
    return !in->type.tiled || from == to || (from % 32 == 0 && to % 32 == 0);
}

/* The shard of an interleaved tensor means nothing: the compiler leaves that of the op that it tried first. */
static bool same_memory(const struct ir_type *in, const struct ir_type *out) {
    if (!ir_is_sharded(in) && !ir_is_sharded(out)) return in->type.buffer == out->type.buffer;
    return in->type.buffer == out->type.buffer && in->type.memory_layout == out->type.memory_layout &&
           slice_equal(in->type.memref, out->type.memref) && slice_equal(in->type.grid, out->type.grid);
}

static bool same_storage(const struct ir_type *in, const struct ir_type *out) {
    return in->type.tiled == out->type.tiled && slice_equal(in->type.storage, out->type.storage);
}

static bool view_reshape(const struct op_run *x, const struct ir_type *in, const struct ir_type *out) {
    (void)x;
    return reshape_is_view(in, out);
}

static bool view_to_layout(const struct op_run *x, const struct ir_type *in, const struct ir_type *out) {
    (void)x;
    return same_storage(in, out) && same_memory(in, out);
}

/* The identity, or dimensions of size 1 that change places without touching the last two (tile) or the last (row major); a
 * permute that changes the shape copies (is_permute_nop in data_movement/permute/permute.cpp). */
static bool view_permute(const struct op_run *x, const struct ir_type *in, const struct ir_type *out) {
    int64_t to[IR_MAX_RANK];
    unsigned n = attribute_numbers(x->op->properties, "permutation", to, IR_MAX_RANK);
    if (n != in->rank || !same_storage(in, out) || !same_memory(in, out)) return false;
    unsigned fixed = in->type.tiled ? 2 : 1;
    for (unsigned i = 0; i < n; i++) {
        if (to[i] < 0) to[i] += n;
        if (to[i] < 0 || to[i] >= n) return false;
        if (to[i] != i && (i + fixed >= n || in->dims[i] != 1 || in->dims[to[i]] != 1)) return false;
    }
    return true;
}

/* Of a dimension with itself, or of two of size 1: the last two of a tiled tensor are padded and never that small. */
static bool view_transpose(const struct op_run *x, const struct ir_type *in, const struct ir_type *out) {
    int64_t a = attribute_number(x->op->properties, "dim0", -1), b = attribute_number(x->op->properties, "dim1", -2);
    int64_t rank = in->rank, small = in->type.tiled ? rank - 2 : rank;
    if (!same_storage(in, out) || !same_memory(in, out)) return false;
    if (a < 0) a += rank;
    if (b < 0) b += rank;
    return a == b || (a >= 0 && b >= 0 && a < small && b < small && in->dims[a] == 1 && in->dims[b] == 1);
}

static bool view_if_same(const struct op_run *x, const struct ir_type *in, const struct ir_type *out) {
    (void)x;
    return ir_same_shape(in, out) && same_storage(in, out) && same_memory(in, out);
}

static bool view_concat(const struct op_run *x, const struct ir_type *in, const struct ir_type *out) {
    return x->op->operand_count == 1 && view_if_same(x, in, out);
}

static bool view_shard(const struct op_run *x, const struct ir_type *in, const struct ir_type *out) {
    (void)in;
    (void)out;
    return slice_find(x->op->properties, SLICE("shard_type<identity>")) != SLICE_NONE;
}

static const struct {
    const char *name;
    bool (*is_view)(const struct op_run *x, const struct ir_type *in, const struct ir_type *out);
} views[] = {
    {"ttnn.reshape", view_reshape},         {"ttnn.to_layout", view_to_layout}, {"ttnn.to_memory_config", view_to_layout},
    {"ttnn.permute", view_permute},         {"ttnn.transpose", view_transpose}, {"ttnn.slice_static", view_if_same},
    {"ttnn.repeat", view_if_same},          {"ttnn.concat", view_concat},       {"ttnn.mesh_shard", view_shard},
    {"ttnn.distribute_tensor", view_shard},
};

bool op_is_view(const struct op_run *x) {
    const struct ir_type *in = op_run_in(x, 0), *out = op_run_out(x, 0);
    if (!in || !out || x->op->result_count != 1) return false;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (slice_equal(x->op->name, slice_from(views[i].name))) return views[i].is_view(x, in, out);
    return false;
}
