/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/foreign/inspector_spec.h"

#include "base/num.h"
#include "device/tensor_type.h"
#include "device/tile.h"
#include "parse/ttnn_words.h"

enum { TILE = 32 };

/* The text after `key`, up to one of the bytes that end a value. */
static struct slice value_of(struct slice text, struct slice key) {
    size_t at = slice_find(text, key), n = 0;
    if (at == SLICE_NONE) return slice_of("", 0);
    struct slice rest = slice_skip(text, at + key.len);
    while (n < rest.len && rest.ptr[n] != ',' && rest.ptr[n] != ')') n++;
    return slice_take(rest, n);
}

static bool pool_of(struct slice buffer_type, enum pool *pool) {
    static const struct slice names[POOL_COUNT] = {{"DRAM", 4}, {"L1", 2}, {"L1_SMALL", 8}, {"TRACE", 5}};
    for (unsigned i = 0; i < POOL_COUNT; i++)
        if (slice_equal(buffer_type, names[i])) {
            *pool = (enum pool)i;
            return true;
        }
    return false;
}

/* Bytes of "2x40x50"; if tiled, the last two dimensions count in whole tiles. */
static bool bytes_of(struct slice shape, struct slice dtype, bool tiled, uint64_t *bytes) {
    uint64_t outer = 1, last[2] = {1, 1}, tile, pages;
    for (struct slice rest = shape; rest.len;) {
        uint64_t dim;
        size_t n = num_read_u64(rest, &dim);
        if (!n || !num_mul(outer, last[0], &outer)) return false;
        last[0] = last[1];
        last[1] = dim;
        rest = slice_skip(rest, n + 1);
    }
    if (!tiled) return num_mul(outer, last[0], &pages) && num_mul(pages, last[1], &pages) && element_bytes(dtype, pages, bytes);
    if (!tile_bytes_by_name(dtype, TILE, TILE, &tile)) return false;
    return num_mul(outer, num_ceil_div(last[0], TILE), &pages) && num_mul(pages, num_ceil_div(last[1], TILE), &pages) &&
           num_mul(pages, tile, bytes);
}

static bool read_spec(struct slice text, struct inspector_spec *out) {
    static const struct slice head = {"logical_shape=Shape(", 20};
    size_t shape = slice_find(text, head);
    if (shape == SLICE_NONE || !pool_of(value_of(text, SLICE("buffer_type=BufferType::")), &out->pool)) return false;
    ttnn_shape(&out->shape, slice_skip(text, shape + head.len));
    out->dtype = ttnn_dtype(value_of(text, SLICE("dtype=")));
    out->tiled = slice_find(text, SLICE("TilePageConfig")) != SLICE_NONE;
    out->layout = ttnn_memory_layout(value_of(text, SLICE("memory_layout=")));
    return out->shape.len && bytes_of(strbuf_slice(&out->shape), out->dtype, out->tiled, &out->bytes) && out->bytes;
}

bool inspector_spec_next(struct slice *parameters, struct inspector_spec *out) {
    static const struct slice head = {"TensorSpec(", 11};
    *out = (struct inspector_spec){0};
    for (size_t at; (at = slice_find(*parameters, head)) != SLICE_NONE;) {
        struct slice rest = slice_skip(*parameters, at + head.len);
        size_t next = slice_find(rest, head);
        *parameters = next == SLICE_NONE ? slice_of("", 0) : slice_skip(rest, next);
        strbuf_clear(&out->shape);
        if (read_spec(slice_take(rest, next), out)) return true;
    }
    strbuf_release(&out->shape);
    return false;
}
