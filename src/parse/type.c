/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/type.h"

#include "base/num.h"
#include "device/tile.h"
#include "parse/mlir_scan.h"

/* "8x1000x" before an element: dimensions, each followed by x. */
struct dims {
    struct slice text; /* without the last x */
    unsigned count;
    uint64_t product;
    uint64_t last[2];
    bool known;
};

/* Takes the dimensions from the front of *s. */
static struct dims take_dims(struct slice *s) {
    struct dims dims = {.text = slice_of(s->ptr, 0), .product = 1, .last = {1, 1}, .known = true};
    for (;;) {
        uint64_t n = 0;
        size_t used = num_read_u64(*s, &n);
        bool dynamic = !used && s->len && s->ptr[0] == '?';
        if (dynamic) used = 1;
        if (!used || used >= s->len || s->ptr[used] != 'x') break;
        if (dynamic || !num_mul(dims.product, n, &dims.product)) dims.known = false;
        dims.last[1] = dims.last[0];
        dims.last[0] = n;
        if (dims.count == 0) dims.last[1] = 1;
        dims.count++;
        dims.text.len = (size_t)(s->ptr + used - dims.text.ptr);
        *s = slice_skip(*s, used + 1);
    }
    return dims;
}

/* Element "!ttcore.tile<32x32, bf16>" (before 2025-06 "!tt.tile"). */
static bool take_tile(struct slice element, unsigned *height, unsigned *width, struct slice *dtype) {
    size_t at = slice_starts(element, SLICE("!ttcore.tile<")) ? 13 : slice_starts(element, SLICE("!tt.tile<")) ? 9 : 0;
    if (!at || element.len < at + 1) return false;
    struct slice inside = slice_of(element.ptr + at, element.len - at - 1);
    uint64_t h, w;
    size_t used = num_read_u64(inside, &h);
    if (!used || used >= inside.len || inside.ptr[used] != 'x') return false;
    inside = slice_skip(inside, used + 1);
    used = num_read_u64(inside, &w);
    if (!used || h > 65536 || w > 65536) return false;
    inside = slice_skip(inside, used);
    if (inside.len && inside.ptr[0] == ',') inside = slice_skip(inside, 1);
    *height = (unsigned)h;
    *width = (unsigned)w;
    *dtype = slice_trim(inside);
    return true;
}

static const struct {
    const char *name;
    enum buffer_type buffer;
} buffers[] = {{"dram", BUFFER_DRAM},
               {"l1", BUFFER_L1},
               {"l1_small", BUFFER_L1_SMALL},
               {"system_memory", BUFFER_HOST},
               {"trace", BUFFER_TRACE}};

/* "#ttnn.buffer_type<dram>" or its alias "#dram". */
static enum buffer_type buffer_from(struct slice text) {
    struct slice full = SLICE("#ttnn.buffer_type<");
    if (slice_starts(text, full) && text.len > full.len) text = slice_of(text.ptr + full.len, text.len - full.len - 1);
    else if (text.len && text.ptr[0] == '#') text = slice_skip(text, 1);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (slice_equal(text, slice_from(buffers[i].name))) return buffers[i].buffer;
    return BUFFER_NONE;
}

static const struct {
    const char *name;
    enum memory_layout layout;
} layouts[] = {{"interleaved", LAYOUT_INTERLEAVED},     {"height_sharded", LAYOUT_HEIGHT_SHARDED},
               {"width_sharded", LAYOUT_WIDTH_SHARDED}, {"block_sharded", LAYOUT_BLOCK_SHARDED},
               {"nd_sharded", LAYOUT_ND_SHARDED},       {"single_bank", LAYOUT_INTERLEAVED}};

static enum memory_layout layout_from(struct slice text) {
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (slice_equal(text, slice_from(layouts[i].name))) return layouts[i].layout;
    return LAYOUT_NONE;
}

/* memref<1x4x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>: one shard and where it lives. */
static void take_memref(struct slice part, struct tensor_type *type) {
    struct slice inside = mlir_inside(slice_skip(part, 6)), item;
    if (!mlir_next_item(&inside, &item)) return;
    struct dims dims = take_dims(&item);
    type->memref = dims.text;
    type->storage = item;
    uint64_t pages = dims.product, page;
    bool known = dims.known;
    type->tiled = take_tile(item, &type->tile_height, &type->tile_width, &type->storage);
    if (type->tiled) {
        known = known && tile_bytes_by_name(type->storage, type->tile_height, type->tile_width, &page);
    } else {
        /* row-major: a page is a row of the shard */
        uint64_t width = dims.count ? dims.last[0] : 1;
        known = known && element_bytes(item, width, &page);
        pages = width ? dims.product / width : 0;
    }
    type->physical_known = known;
    type->page_bytes = known ? page : 0;
    type->shard_pages = pages;
    struct slice buffer;
    if (mlir_next_item(&inside, &buffer)) type->buffer = buffer_from(buffer);
}

/* "<1x8>" or, before 2026-05, "<8x8, (d0, d1) -> (0, d0, d1)>". */
static void take_grid(struct slice inside, struct tensor_type *type) {
    struct slice item;
    if (!mlir_next_item(&inside, &item)) return;
    type->grid = item;
    uint64_t product = 1;
    while (item.len) {
        uint64_t n;
        size_t used = num_read_u64(item, &n);
        if (!used || !num_mul(product, n, &product)) {
            product = 0;
            break;
        }
        item = slice_skip(item, used + 1);
    }
    type->shards = product;
}

static bool is_digit_at(struct slice s, size_t i) { return i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9'; }

static void parse_layout(struct slice encoding, struct tensor_type *type) {
    size_t open = slice_find_byte(encoding, '<');
    if (open == SLICE_NONE ||
        (!slice_starts(encoding, SLICE("#ttnn.ttnn_layout<")) && !slice_starts(encoding, SLICE("#ttnn.ttnn_nd_layout<"))))
        return;
    struct slice inside = mlir_inside(slice_skip(encoding, open)), part;
    type->has_layout = true;
    type->shards = 1;
    while (mlir_next_item(&inside, &part)) {
        if (slice_starts(part, SLICE("memref<"))) take_memref(part, type);
        else if (is_digit_at(mlir_inside(part), 0)) take_grid(mlir_inside(part), type);
        else if (type->memory_layout == LAYOUT_NONE) type->memory_layout = layout_from(mlir_inside(part));
    }
    if (!type->shards) type->physical_known = false;
}

/* An interleaved tensor is divided into pages by its shape: tiles of the last two dimensions, or rows. Its grid and shard
 * mean nothing, because the compiler's optimiser leaves those of the op that it tried first. */
static void lay_out_by_shape(struct tensor_type *type, const struct dims *dims) {
    uint64_t pages = 1;
    type->shards = 1;
    if (type->tiled) {
        struct slice rest = dims->text;
        for (unsigned i = 0; i + 2 < dims->count; i++) {
            uint64_t n = 0;
            rest = slice_skip(rest, num_read_u64(rest, &n) + 1);
            type->physical_known = type->physical_known && num_mul(pages, n, &pages);
        }
        type->physical_known = type->physical_known && type->tile_height && type->tile_width && dims->known &&
                               num_mul(pages, num_ceil_div(dims->last[1], type->tile_height), &pages) &&
                               num_mul(pages, num_ceil_div(dims->last[0], type->tile_width), &pages);
    } else {
        uint64_t width = dims->last[0];
        type->physical_known = dims->known && element_bytes(type->storage, width, &type->page_bytes);
        pages = width ? dims->product / width : 0;
    }
    type->shard_pages = type->physical_known ? pages : 0;
}

/* Shards that cannot hold the tensor belong to another one: then nothing is known. */
static bool shards_hold_tensor(const struct tensor_type *type) {
    uint64_t pages, bytes;
    return !num_mul(type->shard_pages, type->shards, &pages) || !num_mul(pages, type->page_bytes, &bytes) ||
           bytes >= type->logical_bytes;
}

void type_parse(struct slice text, struct tensor_type *type) {
    *type = (struct tensor_type){.kind = TYPE_OTHER, .text = text, .last_dims = {1, 1}};
    if (!slice_starts(text, SLICE("tensor<")) || !slice_ends(text, SLICE(">"))) return;
    struct slice inside = mlir_inside(slice_skip(text, 6)), element;
    if (!mlir_next_item(&inside, &element)) return;
    type->kind = TYPE_TENSOR;
    struct dims dims = take_dims(&element);
    type->shape = dims.text;
    type->rank = dims.count;
    type->last_dims[0] = dims.last[0];
    type->last_dims[1] = dims.last[1];
    type->dtype = element;
    unsigned height, width;
    take_tile(element, &height, &width, &type->dtype);
    type->logical_known = dims.known && element_bytes(type->dtype, dims.product, &type->logical_bytes);
    struct slice encoding;
    if (mlir_next_item(&inside, &encoding)) type_parse_layout(encoding, type);
}

void type_parse_layout(struct slice encoding, struct tensor_type *type) {
    parse_layout(encoding, type);
    if (!tensor_on_device(type)) return;
    struct slice shape =
        type->shape.len ? slice_of(type->shape.ptr, type->shape.len + 1) : type->shape; /* including its last x */
    struct dims dims = take_dims(&shape);
    /* the stored type decides: booleans may be stored as bf16, bf16 as block floats */
    uint64_t stored;
    if (type->logical_known && element_bytes(type->storage, dims.product, &stored)) type->logical_bytes = stored;
    if (type->memory_layout == LAYOUT_INTERLEAVED) lay_out_by_shape(type, &dims);
    else if (type->logical_known && type->physical_known) type->physical_known = shards_hold_tensor(type);
}
