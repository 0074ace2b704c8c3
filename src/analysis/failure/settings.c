/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/settings.h"

#include "parse/product.h"

#define OPEN_DEVICE "tt-metal: ttnn.open_device, ttnn.open_mesh_device; device_params of its tests"
#define XLA_TRACE "tt-xla: docs/source/performance.md, 4. Runtime Trace; client_instance.cc"
#define XLA_DTYPE "tt-xla: docs/source/performance.md, bfloat8_b"
#define XLA_OPTIONS "tt-xla: docs/source/performance.md; compile_options.cc"
#define VLLM_METAL "tt-metal: vLLM plugin, --additional-config '{\"tt\": ...}'"
#define VLLM_XLA "tt-xla: integrations/vllm_plugin/vllm_tt/platform.py, TTConfig"
#define VLLM_ENGINE "vLLM: engine arguments"
#define ANY_MODEL "the model's own code"

/* clang-format off: one row per setting and product */
static const struct setting_words table[SETTINGS][PRODUCTS] =
    {
        [SETTING_TRACE_REGION] =
            {
                [PRODUCT_METAL] = {"trace_region_size", OPEN_DEVICE},
                [PRODUCT_XLA] = {"TT_RUNTIME_TRACE_REGION_SIZE", XLA_TRACE},
                [PRODUCT_VLLM] = {"trace_region_size (--additional-config '{\"tt\": {\"trace_region_size\": N}}')", VLLM_METAL},
                [PRODUCT_VLLM_XLA] = {"TT_RUNTIME_TRACE_REGION_SIZE", XLA_TRACE},
            },
        /* TT-XLA: a constant of tt-mlir's build */
        [SETTING_L1_SMALL] =
            {
                [PRODUCT_METAL] = {"l1_small_size", OPEN_DEVICE},
                [PRODUCT_VLLM] = {"l1_small_size of the model's device parameters", OPEN_DEVICE},
            },
        [SETTING_WORKER_L1] =
            {
                [PRODUCT_METAL] = {"worker_l1_size", OPEN_DEVICE},
                [PRODUCT_VLLM] = {"worker_l1_size of the model's device parameters", OPEN_DEVICE},
            },
        [SETTING_WEIGHTS] =
            {
                [PRODUCT_METAL] = {"dtype=ttnn.bfloat8_b", "tt-metal: ttnn.as_tensor, ttnn.from_torch"},
                [PRODUCT_XLA] = {"\"experimental_weight_dtype\": \"bfp_bf8\" in the compile options", XLA_DTYPE},
                [PRODUCT_VLLM] = {"precision settings of the model", ANY_MODEL},
                [PRODUCT_VLLM_XLA] = {"\"experimental_weight_dtype\": \"bfp_bf8\" in --additional-config", VLLM_XLA},
            },
        [SETTING_SEQUENCE] =
            {
                [PRODUCT_METAL] = {"batch or sequence length", ANY_MODEL},
                [PRODUCT_XLA] = {"batch or sequence length", ANY_MODEL},
                [PRODUCT_VLLM] = {"--max-model-len or --max-num-seqs", VLLM_ENGINE},
                [PRODUCT_VLLM_XLA] = {"--max-model-len or --max-num-seqs", VLLM_ENGINE},
            },
        [SETTING_NO_TRACE] =
            {
                [PRODUCT_XLA] = {"\"enable_trace\": \"false\" in the compile options", XLA_OPTIONS},
                [PRODUCT_VLLM] = {"--additional-config '{\"tt\": {\"trace_mode\": false}}'", VLLM_METAL},
                [PRODUCT_VLLM_XLA] = {"\"enable_trace\": false in --additional-config", VLLM_XLA},
            },
        /* docs: at level 2 and above, tensors are in L1 */
        [SETTING_OPTIMIZER] =
            {
                [PRODUCT_XLA] = {"\"optimization_level\": 1 or 0 in the compile options", XLA_OPTIONS},
                [PRODUCT_VLLM_XLA] = {"\"optimization_level\": 1 or 0 in --additional-config", VLLM_XLA},
            },
        [SETTING_CONST_EVAL] =
            {
                [PRODUCT_XLA] = {"\"enable_const_eval\": \"false\" in the compile options", XLA_OPTIONS},
                [PRODUCT_VLLM_XLA] = {"\"enable_const_eval\": false in --additional-config", VLLM_XLA},
            },
        [SETTING_KV_CACHE] =
            {
                [PRODUCT_METAL] = {"dtype=ttnn.bfloat8_b", "tt-metal: ttnn.as_tensor, ttnn.zeros"},
                [PRODUCT_XLA] = {"\"experimental-kv-cache-dtype\": \"bfp_bf8\" in the compile options", XLA_OPTIONS},
                [PRODUCT_VLLM] = {"precision settings of the model", ANY_MODEL},
                [PRODUCT_VLLM_XLA] = {"\"experimental_kv_cache_dtype\": \"bfp_bf8\" in --additional-config", VLLM_XLA},
            },
        [SETTING_DRAM_SPACE] =
            {
                [PRODUCT_XLA] = {"\"experimental-enable-dram-space-saving-optimization\": \"true\" in the compile options",
                                 XLA_OPTIONS},
            },
        [SETTING_ACCUMULATE] =
            {
                [PRODUCT_XLA] = {"\"fp32_dest_acc_en\": \"false\" in the compile options", XLA_OPTIONS},
                [PRODUCT_VLLM_XLA] = {"\"fp32_dest_acc_en\": false in --additional-config", VLLM_XLA},
            },
};
/* clang-format on */

struct setting_words setting_of(enum product product, enum setting setting) {
    return table[setting][product];
}

enum product run_product(const struct run *run, bool *known) {
    bool xla =
        (run->products & SEEN_XLA) || (run->origin == RUN_LOG && (run->op_lines || run->block_count || run->modules.len));
    bool vllm = run->products & SEEN_VLLM;
    if (known) *known = xla || run->products;
    if (vllm) return xla ? PRODUCT_VLLM_XLA : PRODUCT_VLLM;
    return xla ? PRODUCT_XLA : PRODUCT_METAL;
}

const char *product_name(enum product product) {
    static const char *const names[PRODUCTS] = {"tt-metal", "tt-xla", "vllm", "vllm"};
    return names[product];
}
