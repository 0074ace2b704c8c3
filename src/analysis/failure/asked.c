/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/asked.h"

#include "base/num.h"
#include "base/strbuf.h"
#include "device/tile.h"
#include "parse/type.h"

enum { SHOWN = 3, DIMS_MAX = 12, TILE = 32, DIFFERENT_MAX = 64 };

struct candidates {
    uint64_t bytes;
    struct strbuf text;
    struct slice shape[DIFFERENT_MAX], dtype[DIFFERENT_MAX];
    size_t count;
};

static size_t read_shape(struct slice shape, uint64_t dims[DIMS_MAX]) {
    size_t n = 0;
    while (shape.len && n < DIMS_MAX) {
        size_t digits = num_read_u64(shape, &dims[n]);
        if (!digits) return 0;
        n++;
        shape = slice_skip(shape, digits);
        if (shape.len && shape.ptr[0] != 'x') return 0;
        shape = slice_skip(shape, 1);
    }
    return shape.len ? 0 : n;
}

/* Bytes of the tensor in whole tiles; false when that cannot be told. */
static bool tiled_bytes(const uint64_t *dims, size_t n, struct slice dtype, uint64_t *out) {
    uint64_t tile;
    if (!n || !tile_bytes_by_name(dtype, TILE, TILE, &tile)) return false;
    *out = tile;
    for (size_t i = 0; i < n; i++)
        if (!num_mul(*out, i + 2 < n ? dims[i] : num_ceil_div(dims[i], TILE), out)) return false;
    return true;
}

static void add_padding(struct strbuf *out, const uint64_t *dims, size_t n, uint64_t bytes, uint64_t bare) {
    uint64_t rows = n > 1 ? dims[n - 2] : 1, columns = dims[n - 1];
    bool pads_rows = rows % TILE, pads_columns = columns % TILE;
    if (!pads_rows && !pads_columns) return;
    strbuf_addz(out, ", its ");
    if (pads_rows) {
        strbuf_addf(out, "%llu row%s padded to %llu", (unsigned long long)rows, rows == 1 ? "" : "s",
                    (unsigned long long)(num_ceil_div(rows, TILE) * TILE));
    }
    if (pads_columns) {
        strbuf_addf(out, "%s%llu column%s padded to %llu", pads_rows ? " and " : "", (unsigned long long)columns,
                    columns == 1 ? "" : "s", (unsigned long long)(num_ceil_div(columns, TILE) * TILE));
    }
    if (!bare || bytes / bare > UINT32_MAX) return;
    uint64_t tenths = bytes / bare >= 1000 ? bytes / bare * 10 : bytes * 10 / bare;
    strbuf_addf(out, ": %llu", (unsigned long long)(tenths / 10));
    if (tenths % 10) strbuf_addf(out, ".%llu", (unsigned long long)(tenths % 10));
    strbuf_addz(out, " x");
}

static bool is_known(const struct candidates *c, const struct tensor_type *type) {
    for (size_t i = 0; i < c->count; i++)
        if (slice_equal(c->shape[i], type->shape) && slice_equal(c->dtype[i], type->dtype)) return true;
    return false;
}

static void consider(struct candidates *c, const struct tensor_type *type) {
    uint64_t dims[DIMS_MAX], tiled = 0;
    if (type->kind != TYPE_TENSOR || !type->logical_known || c->count == DIFFERENT_MAX) return;
    size_t n = read_shape(type->shape, dims);
    bool bare = type->logical_bytes == c->bytes;
    if (!n || (!bare && (!tiled_bytes(dims, n, type->dtype, &tiled) || tiled != c->bytes)) || is_known(c, type)) return;
    c->shape[c->count] = type->shape;
    c->dtype[c->count++] = type->dtype;
    if (c->count > SHOWN) return;
    if (c->count > 1) strbuf_addz(&c->text, "; or ");
    strbuf_add(&c->text, type->shape);
    strbuf_addc(&c->text, ' ');
    strbuf_add(&c->text, type->dtype);
    if (!bare) add_padding(&c->text, dims, n, c->bytes, type->logical_bytes);
}

static struct slice told(struct candidates *c, struct arena *arena) {
    if (c->count > SHOWN) strbuf_addf(&c->text, "; or %zu more", c->count - SHOWN);
    struct slice out = arena_copy(arena, strbuf_slice(&c->text));
    strbuf_release(&c->text);
    return out;
}

static bool is_about_tensors(const struct failure *f) {
    return f->kind == FAILURE_OOM && failure_knows(f, FAILURE_REQUESTED) && f->number[FAILURE_REQUESTED];
}

struct slice asked_in_run(const struct run *run, const struct failure *f, struct arena *arena) {
    struct candidates c = {.bytes = f->number[FAILURE_REQUESTED]};
    for (size_t i = 0; is_about_tensors(f) && i < run->types.len; i++) consider(&c, &run->types.items[i]);
    return told(&c, arena);
}

static struct slice asked_in_module(struct slice module, const struct failure *f, struct arena *arena) {
    struct candidates c = {.bytes = f->number[FAILURE_REQUESTED]};
    struct slice word = SLICE("tensor<");
    for (size_t at; (at = slice_find(module, word)) != SLICE_NONE;) {
        module = slice_skip(module, at);
        size_t end = slice_find_byte(slice_take(module, 400), '>');
        struct tensor_type type;
        if (end != SLICE_NONE) {
            type_parse(slice_take(module, end + 1), &type);
            consider(&c, &type);
        }
        module = slice_skip(module, word.len);
    }
    return told(&c, arena);
}

void explain_match_module(struct explain *explain, struct slice module) {
    enum { LOOKED_UP = 16 }; /* each walks over the module */
    size_t done = 0;
    for (size_t i = 0; i < explain->failures.len && done < LOOKED_UP; i++) {
        struct explanation *e = &explain->failures.items[i];
        if (e->context.asked.len || !is_about_tensors(&e->entry->failure)) continue;
        e->context.asked = asked_in_module(module, &e->entry->failure, &explain->arena);
        done++;
    }
}
