/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/ttnn_words.h"

#include "base/num.h"

void ttnn_shape(struct strbuf *out, struct slice text) {
    size_t open = slice_find_byte(text, '['), start = out->len;
    struct slice rest = open == SLICE_NONE ? slice_of("", 0) : slice_skip(text, open + 1);
    while (rest.len && rest.ptr[0] != ']') {
        uint64_t dim;
        rest = slice_trim(rest);
        size_t n = num_read_u64(rest, &dim);
        if (!n) break;
        if (out->len > start) strbuf_addc(out, 'x');
        strbuf_addu(out, dim);
        rest = slice_trim(slice_skip(rest, n));
        if (rest.len && rest.ptr[0] == ',') rest = slice_skip(rest, 1);
    }
    if (!rest.len || rest.ptr[0] != ']') out->len = start;
}

static const struct {
    const char *ttnn, *mlir;
} dtypes[] = {{"BFLOAT16", "bf16"}, {"FLOAT32", "f32"}, {"BFLOAT8_B", "bfp_bf8"}, {"BFLOAT4_B", "bfp_bf4"}, {"UINT32", "u32"},
              {"INT32", "si32"},    {"UINT16", "u16"},  {"UINT8", "u8"},          {"FLOAT16", "f16"},       {"INT16", "si16"},
              {"INT8", "si8"},      {"INT64", "si64"},  {"FP8_E4M3", "f8E4M3"},   {"FLOAT64", "f64"}};

struct slice ttnn_dtype(struct slice text) {
    for (size_t i = text.len; i-- > 0;)
        if (text.ptr[i] == '.' || text.ptr[i] == ':') {
            text = slice_skip(text, i + 1);
            break;
        }
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (slice_equal(text, slice_from(dtypes[i].ttnn))) return slice_from(dtypes[i].mlir);
    return text;
}

bool ttnn_is_tiled(struct slice layout) { return slice_find(layout, SLICE("TILE")) != SLICE_NONE; }

unsigned ttnn_memory_layout(struct slice memory_config) {
    static const char *const words[] = {"HEIGHT_SHARDED", "WIDTH_SHARDED", "BLOCK_SHARDED", "ND_SHARDED"};
    for (unsigned i = 0; i < 4; i++)
        if (slice_find(memory_config, slice_from(words[i])) != SLICE_NONE) return i + 1;
    return 0;
}

unsigned ttnn_layout_number(int64_t buffer_layout) {
    return buffer_layout >= 2 && buffer_layout <= 5 ? (unsigned)buffer_layout - 1 : 0;
}

bool ttnn_pool(int64_t buffer_type, enum pool *pool) {
    static const int pools[] = {POOL_DRAM, POOL_L1, -1, POOL_L1_SMALL, POOL_TRACE};
    if (buffer_type < 0 || buffer_type > 4 || pools[buffer_type] < 0) return false;
    *pool = (enum pool)pools[buffer_type];
    return true;
}
