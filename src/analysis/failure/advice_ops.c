/* SPDX-License-Identifier: Apache-2.0 */
/* Which op gets which advice: ops that share a program config are a family. Names are those of ttnn (the last part), of
 * tt-metal's device operations, and of tt-mlir's runtime types without "Op". */
#include "analysis/failure/advice_rows.h"

static const struct {
    unsigned family;
    const char *name;
    const char *source;
} ops[] = {
#define MATMUL_SOURCE "tt-metal: ttnn/cpp/ttnn/operations/matmul/matmul_nanobind.cpp, program_config"
    {ADVICE_MATMUL, "matmul", MATMUL_SOURCE},
    {ADVICE_MATMUL, "linear", MATMUL_SOURCE},
    {ADVICE_MATMUL, "addmm", MATMUL_SOURCE},
    {ADVICE_MATMUL, "sparse_matmul", MATMUL_SOURCE},
    {ADVICE_MATMUL, "matmul_batched_weights", MATMUL_SOURCE},
#define CCL_SOURCE "tt-metal: ttnn/cpp/ttnn/operations/experimental/ccl, program_config of a matmul"
    {ADVICE_MATMUL, "all_gather_matmul_async", CCL_SOURCE},
    {ADVICE_MATMUL, "llama_all_gather_matmul_async", CCL_SOURCE},
    {ADVICE_MATMUL, "llama_rs_matmul", CCL_SOURCE},
    {ADVICE_MATMUL, "llama_1d_mm_fusion", CCL_SOURCE},
    {ADVICE_MATMUL, "matmul_reduce_scatter_async", CCL_SOURCE},
#define SDPA_SOURCE "tt-metal: ttnn/cpp/ttnn/operations/transformer/sdpa, sdpa_decode: SDPAProgramConfig"
    {ADVICE_SDPA, "sdpa", SDPA_SOURCE},
    {ADVICE_SDPA, "sdpa_decode", SDPA_SOURCE},
    {ADVICE_SDPA, "joint_sdpa", SDPA_SOURCE},
    {ADVICE_SDPA, "ring_joint_sdpa", SDPA_SOURCE},
    {ADVICE_SDPA, "sparse_sdpa", SDPA_SOURCE},
    {ADVICE_SDPA, "scaled_dot_product_attention", SDPA_SOURCE},
    {ADVICE_SDPA, "scaled_dot_product_attention_decode", SDPA_SOURCE},
    {ADVICE_SDPA, "paged_scaled_dot_product_attention_decode", SDPA_SOURCE},
    {ADVICE_SDPA, "chunked_scaled_dot_product_attention", SDPA_SOURCE},
    {ADVICE_SDPA, "joint_scaled_dot_product_attention", SDPA_SOURCE},
    {ADVICE_SDPA, "ring_joint_scaled_dot_product_attention", SDPA_SOURCE},
    {ADVICE_SDPA, "exp_ring_joint_scaled_dot_product_attention", SDPA_SOURCE},
    {ADVICE_SDPA, "ring_distributed_scaled_dot_product_attention", SDPA_SOURCE},
    {ADVICE_SDPA, "flash_mla_prefill", SDPA_SOURCE},
    {ADVICE_SDPA, "chunked_flash_mla_prefill", SDPA_SOURCE},
    {ADVICE_SDPA, "flash_multi_latent_attention_decode", SDPA_SOURCE},
    {ADVICE_SDPA, "paged_flash_multi_latent_attention_decode", SDPA_SOURCE},
#define CONV_SOURCE "tt-metal: ttnn/cpp/ttnn/operations/conv, Conv2dConfig"
    {ADVICE_CONV, "conv1d", CONV_SOURCE},
    {ADVICE_CONV, "conv2d", CONV_SOURCE},
    {ADVICE_CONV, "conv_transpose2d", CONV_SOURCE},
    {ADVICE_CONV, "optimized_conv", CONV_SOURCE},
    {ADVICE_CONV, "optimized_conv_new", CONV_SOURCE},
#define NORM_SOURCE "tt-metal: ttnn/cpp/ttnn/operations/normalization, LayerNormShardedMultiCoreProgramConfig"
    {ADVICE_NORM, "layer_norm", NORM_SOURCE},
    {ADVICE_NORM, "layernorm", NORM_SOURCE},
    {ADVICE_NORM, "rms_norm", NORM_SOURCE},
    {ADVICE_NORM, "rmsnorm", NORM_SOURCE},
    {ADVICE_NORM, "layer_norm_pre_all_gather", NORM_SOURCE},
    {ADVICE_NORM, "layer_norm_post_all_gather", NORM_SOURCE},
    {ADVICE_NORM, "rms_norm_pre_all_gather", NORM_SOURCE},
    {ADVICE_NORM, "rms_norm_post_all_gather", NORM_SOURCE},
};

/* The last part of the name, without the suffix of the runtime's types. */
static struct slice bare_name(struct slice op) {
    size_t from = op.len;
    while (from && op.ptr[from - 1] != '.' && op.ptr[from - 1] != ':') from--;
    struct slice name = slice_skip(op, from), tail = SLICE("Op");
    return name.len > tail.len && slice_ends(name, tail) ? slice_take(name, name.len - tail.len) : name;
}

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* "Conv2d" is "conv2d", "ScaledDotProductAttention" is "scaled_dot_product_attention". */
static bool is_same_name(struct slice name, const char *row) {
    size_t i = 0;
    for (; *row; row++) {
        bool joined = *row == '_' && i < name.len && name.ptr[i] != '_';
        if (joined) continue;
        if (i == name.len || small(name.ptr[i]) != *row) return false;
        i++;
    }
    return i == name.len;
}

unsigned advice_op_family(struct slice op) {
    struct slice name = bare_name(op);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (is_same_name(name, ops[i].name)) return ops[i].family;
    return 0;
}

const char *advice_op_source(struct slice op) {
    struct slice name = bare_name(op);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (is_same_name(name, ops[i].name)) return ops[i].source;
    return NULL;
}
