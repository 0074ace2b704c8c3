/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/product.h"

#include <string.h>

#include "scan/find.h"

static const struct {
    const char *words;
    enum product_seen product;
} marks[] = {
    {"vllm", SEEN_VLLM},
    {"vLLM", SEEN_VLLM},
    {"EngineCore", SEEN_VLLM},
    {" LLM engine (v", SEEN_VLLM},
    {"Automatically detected platform tt", SEEN_VLLM},
    {"Allocating TT kv caches", SEEN_VLLM},
    {"tt_model_runner", SEEN_VLLM},
    {"torch_xla", SEEN_XLA},
    {"tt::runtime::", SEEN_XLA},
    {"Bad StatusOr access", SEEN_XLA},
    {"XlaRuntimeError", SEEN_XLA},
    {"PJRT_", SEEN_XLA},
    {"pjrt_plugin_tt", SEEN_XLA},
    {"tt-xla", SEEN_XLA},
    {"tt_xla", SEEN_XLA},
    {"tt_torch", SEEN_XLA},
    {"module_builder.cc", SEEN_XLA},
    {" Metal | ", SEEN_METAL},
    {"tt_metal/impl/", SEEN_METAL},
    {"libtt_metal.so", SEEN_METAL},
    {"ttnn.open_device", SEEN_METAL},
    {"models/demos/", SEEN_METAL},
    {"models/tt_transformers", SEEN_METAL},
};

uint8_t product_seen(struct slice text) {
    unsigned seen = 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (!(seen & marks[i].product) && find_bytes(text.ptr, text.len, marks[i].words, strlen(marks[i].words)))
            seen |= marks[i].product;
    return (uint8_t)seen;
}
