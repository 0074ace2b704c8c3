/* SPDX-License-Identifier: Apache-2.0 */
#include "device/tensor_type.h"

#include <stdio.h>

#include "base/num.h"
#include "device/tile.h"

enum { FALLBACK_DRAM_ALIGN = 32, FALLBACK_L1_ALIGN = 16, TILE_ELEMENTS = 32 * 32 };

static uint64_t round_up(uint64_t n, uint64_t step) {
    uint64_t rounded;
    return num_mul(num_ceil_div(n, step), step, &rounded) ? rounded : n;
}

static bool is_l1(enum buffer_type buffer) { return buffer == BUFFER_L1 || buffer == BUFFER_L1_SMALL; }

static const struct memory_geometry *device_of(const struct tensor_type *type, const struct memory_geometry *common) {
    return type->device.dram_banks ? &type->device : common;
}

static uint64_t aligned_page(const struct tensor_type *type, const struct memory_geometry *geometry) {
    geometry = device_of(type, geometry);
    unsigned align = is_l1(type->buffer) ? geometry->l1_align : geometry->dram_align;
    if (!align) align = is_l1(type->buffer) ? FALLBACK_L1_ALIGN : FALLBACK_DRAM_ALIGN;
    return tensor_on_device(type) ? round_up(type->page_bytes, align) : type->page_bytes;
}

uint64_t tensor_padded_bytes(const struct tensor_type *type, const struct memory_geometry *geometry) {
    uint64_t pages, bytes;
    if (type->physical_known && type->total_bytes) return type->total_bytes;
    if (!type->physical_known || !num_mul(type->shard_pages, type->shards, &pages)) return 0;
    return num_mul(pages, aligned_page(type, geometry), &bytes) ? bytes : 0;
}

uint64_t tensor_stored_bytes(const struct tensor_type *type, const struct memory_geometry *geometry) {
    if (type->physical_known) return tensor_padded_bytes(type, geometry);
    return type->logical_known ? type->logical_bytes : 0;
}

uint64_t tensor_padding_bytes(const struct tensor_type *type, const struct memory_geometry *geometry) {
    uint64_t stored = type->logical_known ? tensor_stored_bytes(type, geometry) : 0;
    return stored > type->logical_bytes ? stored - type->logical_bytes : 0;
}

uint64_t tensor_per_bank_bytes(const struct tensor_type *type, const struct memory_geometry *geometry) {
    if (!type->physical_known || !tensor_on_device(type)) return 0;
    uint64_t pages = type->shard_pages;
    geometry = device_of(type, geometry);
    if (type->memory_layout == LAYOUT_INTERLEAVED) {
        unsigned banks = is_l1(type->buffer) ? geometry->l1_banks : geometry->dram_banks;
        if (!banks || !num_mul(pages, type->shards, &pages)) return 0;
        pages = num_ceil_div(pages, banks);
    }
    uint64_t bytes;
    if (!num_mul(pages, aligned_page(type, geometry), &bytes)) return 0;
    /* the allocator rounds every reservation up to the DRAM alignment, in L1 too */
    return round_up(bytes, geometry->dram_align ? geometry->dram_align : FALLBACK_DRAM_ALIGN);
}

/* Bits of plain elements, by the start of their name: f8E4M3FN, f8E5M2 and similar ones share a row. */
static const struct {
    const char *name;
    bool prefix;
    unsigned bits;
} plain_elements[] = {
    {"f64", false, 64},
    {"f32", false, 32},
    {"f16", false, 16},
    {"bf16", false, 16},
    {"f8", true, 8},
    {"f6", true, 6},
    {"f4", true, 4},
    {"i1", false, 8},
    {"i4", false, 4},
    {"si4", false, 4},
    {"ui4", false, 4},
    {"i8", false, 8},
    {"si8", false, 8},
    {"ui8", false, 8},
    {"u8", false, 8},
    {"i16", false, 16},
    {"si16", false, 16},
    {"ui16", false, 16},
    {"u16", false, 16},
    {"i32", false, 32},
    {"si32", false, 32},
    {"ui32", false, 32},
    {"u32", false, 32},
    {"tf32", false, 32},
    {"i64", false, 64},
    {"si64", false, 64},
    {"ui64", false, 64},
    {"index", false, 64},
    {"complex<f32>", false, 64},
    {"complex<f64>", false, 128},
};

static unsigned plain_bits(struct slice dtype) {
    for (size_t i = 0; i < sizeof plain_elements / sizeof *plain_elements; i++) {
        struct slice name = slice_from(plain_elements[i].name);
        if (plain_elements[i].prefix ? slice_starts(dtype, name) : slice_equal(dtype, name)) return plain_elements[i].bits;
    }
    return 0;
}

bool element_bytes(struct slice dtype, uint64_t elements, uint64_t *bytes) {
    struct slice quantised = SLICE("!quant.uniform<");
    if (slice_starts(dtype, quantised)) {
        dtype = slice_skip(dtype, quantised.len);
        size_t colon = slice_find_byte(dtype, ':');
        dtype = slice_take(dtype, colon == SLICE_NONE ? dtype.len : colon);
    }
    uint64_t scaled;
    unsigned bits = plain_bits(dtype);
    if (bits) {
        if (!num_mul(elements, bits, &scaled)) return false;
        *bytes = num_ceil_div(scaled, 8);
        return true;
    }
    uint64_t per_tile;
    if (!tile_bytes_by_name(dtype, 32, 32, &per_tile) || !num_mul(elements, per_tile, &scaled)) return false;
    *bytes = num_ceil_div(scaled, TILE_ELEMENTS);
    return true;
}

size_t tensor_padded_shape(const struct tensor_type *type, char *out, size_t room) {
    struct slice outer = slice_of(type->shape.ptr, 0);
    if (type->rank > 2) {
        size_t seen = 0, end = type->shape.len;
        while (end && seen < 2) seen += type->shape.ptr[--end] == 'x';
        outer = slice_take(type->shape, end + 1);
    }
    uint64_t height = type->last_dims[1], width = type->last_dims[0];
    int n;
    if (!type->tiled && type->rank < 2) n = snprintf(out, room, "%.*s", SLICE_FMT(type->shape));
    else {
        if (type->tiled && type->tile_height && type->tile_width) {
            height = round_up(height, type->tile_height);
            width = round_up(width, type->tile_width);
        }
        n = snprintf(out, room, "%.*s%llux%llu", SLICE_FMT(outer), (unsigned long long)height, (unsigned long long)width);
    }
    return n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

const char *buffer_type_name(enum buffer_type buffer) {
    static const char *const names[] = {"none", "dram", "l1", "l1_small", "trace", "system_memory"};
    return names[buffer];
}

const char *memory_layout_name(enum memory_layout layout) {
    static const char *const names[] = {"none",          "interleaved",   "height_sharded",
                                        "width_sharded", "block_sharded", "nd_sharded"};
    return names[layout];
}

size_t tensor_layout_text(const struct tensor_type *type, char *out, size_t room) {
    char tile[48] = "row major";
    if (type->tiled) snprintf(tile, sizeof tile, "tile %ux%u", type->tile_height, type->tile_width);
    bool laid_out = type->memory_layout != LAYOUT_NONE;
    int n = snprintf(out, room, "%s%s%s%s", tile, laid_out ? ", " : "", laid_out ? memory_layout_name(type->memory_layout) : "",
                     type->buffer == BUFFER_HOST ? ", on the host" : "");
    return n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}
