/* SPDX-License-Identifier: Apache-2.0 */
#include "model/buffer/types.h"

#include "base/num.h"
#include "device/tile.h"

static const enum buffer_type pool_buffers[POOL_COUNT] = {BUFFER_DRAM, BUFFER_L1, BUFFER_L1_SMALL, BUFFER_TRACE};
static const enum memory_layout layouts[] = {[BUFFER_INTERLEAVED] = LAYOUT_INTERLEAVED,
                                             [BUFFER_HEIGHT_SHARDED] = LAYOUT_HEIGHT_SHARDED,
                                             [BUFFER_WIDTH_SHARDED] = LAYOUT_WIDTH_SHARDED,
                                             [BUFFER_BLOCK_SHARDED] = LAYOUT_BLOCK_SHARDED,
                                             [BUFFER_ND_SHARDED] = LAYOUT_ND_SHARDED};

enum { MOST_ALIGN = 64 }; /* of a row, on any chip */

static uint64_t shape_volume(struct slice shape, struct tensor_type *type) {
    uint64_t volume = 1, dim;
    type->last_dims[0] = type->last_dims[1] = 1;
    for (struct slice rest = shape; rest.len;) {
        size_t n = num_read_u64(rest, &dim);
        if (!n || !num_mul(volume, dim, &volume)) return 0;
        type->last_dims[1] = type->last_dims[0];
        type->last_dims[0] = dim;
        type->rank++;
        rest = slice_skip(rest, n + 1);
    }
    return volume;
}

void buffer_type_text(struct strbuf *out, const struct buffer_tensor *t) {
    strbuf_addf(out, "tensor<%.*s%s%.*s", SLICE_FMT(t->shape), t->shape.len ? "x" : "", SLICE_FMT(t->dtype));
    if (t->on_device)
        strbuf_addf(out, ", %s, %s, %s", t->tiled ? "tile" : "row major", buffer_type_name(pool_buffers[t->pool]),
                    memory_layout_name(layouts[t->layout]));
    /* a bank of L1 is a core, even if cores differ */
    if (t->on_device && t->bank_bytes)
        strbuf_addf(out, ", %llu bytes per %s", (unsigned long long)t->bank_bytes, t->pool == POOL_L1 ? "core" : "bank");
    if (t->on_device && t->total_bytes) strbuf_addf(out, ", %llu in total", (unsigned long long)t->total_bytes);
    strbuf_addc(out, '>');
}

static uint64_t rounded_up(uint64_t bytes, uint64_t step) {
    uint64_t rounded;
    return num_mul(num_ceil_div(bytes, step), step, &rounded) ? rounded : 0;
}

struct pages {
    uint64_t count, bytes; /* of one of them */
};

/* The pages that shape and layout ask for: whole tiles, or rows without their alignment. */
static bool find_pages(const struct tensor_type *type, uint64_t volume, struct pages *out) {
    uint64_t wide = type->last_dims[0], high = type->last_dims[1], plane;
    if (!volume || !num_mul(wide, high, &plane)) return false;
    if (!type->tiled) {
        out->count = volume / wide;
        return element_bytes(type->dtype, wide, &out->bytes) && out->bytes;
    }
    uint64_t tiles = num_ceil_div(high, type->tile_height) * num_ceil_div(wide, type->tile_width);
    return tile_bytes_by_name(type->dtype, type->tile_height, type->tile_width, &out->bytes) &&
           num_mul(volume / plane, tiles, &out->count);
}

/* The bytes of all pages if they lie in `banks` banks of that many bytes; 0 if they do not. */
static uint64_t spread_evenly(const struct pages *pages, uint64_t align, uint64_t banks, uint64_t bank_bytes) {
    uint64_t page = rounded_up(pages->bytes, align), in_bank, total;
    if (!num_mul(num_ceil_div(pages->count, banks), page, &in_bank) || !num_mul(pages->count, page, &total)) return 0;
    /* a bank's part is rounded up, by inputs that give what the allocator reserves */
    return bank_bytes >= in_bank && bank_bytes - in_bank < MOST_ALIGN ? total : 0;
}

/* Bytes of the pages of an interleaved tensor. Rows are aligned as the chip wants it: the bytes of a bank show which it is. */
static uint64_t interleaved_bytes(const struct pages *pages, bool tiled, uint64_t banks, uint64_t bank_bytes) {
    static const uint64_t aligns[] = {MOST_ALIGN, 32, 16};
    uint64_t all, bank;
    for (size_t i = 0; !tiled && i < sizeof aligns / sizeof *aligns; i++)
        if ((all = spread_evenly(pages, aligns[i], banks, bank_bytes))) return all;
    /* the bytes of a bank may be a lower bound, but all pages are there */
    if (!num_mul(pages->count, pages->bytes, &all) || !num_mul(bank_bytes, banks, &bank)) return 0;
    return all <= bank && bank - all < rounded_up(pages->bytes, MOST_ALIGN) * banks ? all : 0;
}

/* What the tensor takes over all banks, from its shape and the bytes of one bank; 0 if they do not agree. */
static uint64_t all_pages(const struct tensor_type *type, const struct buffer_tensor *t, uint64_t volume, uint64_t banks) {
    struct pages pages;
    uint64_t all;
    if (t->raw || !t->shape.len || !t->bank_bytes || !find_pages(type, volume, &pages)) return 0;
    if (t->layout == BUFFER_INTERLEAVED) return interleaved_bytes(&pages, t->tiled, banks, t->bank_bytes);
    /* shards are whole and of one size: as many as the tensor needs */
    if (!num_mul(pages.count, pages.bytes, &all)) return 0;
    uint64_t shards = num_ceil_div(all, t->bank_bytes);
    return shards <= banks ? shards * t->bank_bytes : 0;
}

/* One page per bank, as large as the bank's part, so that the sizes of struct tensor_type come out as given. */
static void set_physical(struct tensor_type *type, const struct buffer_tensor *t, uint64_t volume,
                         const struct memory_geometry *geometry) {
    unsigned banks = t->pool == POOL_L1 || t->pool == POOL_L1_SMALL ? geometry->l1_banks : geometry->dram_banks;
    type->buffer = pool_buffers[t->pool];
    type->memory_layout = layouts[t->layout];
    type->has_layout = true;
    type->tiled = t->tiled;
    type->tile_height = type->tile_width = t->tiled ? 32 : 0;
    type->physical_known = t->bank_bytes > 0;
    type->page_bytes = t->bank_bytes;
    type->shard_pages = t->layout == BUFFER_INTERLEAVED ? banks : 1;
    type->shards = t->layout == BUFFER_INTERLEAVED ? 1 : banks;
    type->total_bytes = t->total_bytes ? t->total_bytes : all_pages(type, t, volume, banks);
}

static struct hash128 type_key(const struct memory_geometry *g, const struct buffer_tensor *t) {
    uint64_t flags = (uint64_t)t->tiled | (uint64_t)t->on_device << 1 | (uint64_t)t->raw << 2 | (uint64_t)t->layout << 3 |
                     (uint64_t)t->pool << 8 | (uint64_t)g->dram_banks << 16 | (uint64_t)g->l1_banks << 40;
    uint64_t kind = hash_mix(hash_mix(hash_mix(hash_bytes64(t->dtype), flags), t->bank_bytes), t->total_bytes);
    struct hash128 shape = hash_bytes(t->shape);
    return (struct hash128){hash_mix(shape.low, kind), hash_mix(shape.high ^ t->bank_bytes, flags)};
}

static uint32_t make_type(struct run_writer *writer, const struct memory_geometry *geometry, const struct buffer_tensor *t) {
    struct strbuf text = {0};
    buffer_type_text(&text, t);
    struct tensor_type type = {.kind = TYPE_TENSOR, .text = strbuf_slice(&text), .shape = t->shape, .dtype = t->dtype};
    type.storage = type.dtype;
    uint64_t volume = shape_volume(type.shape, &type);
    type.logical_known = t->shape.len && volume && element_bytes(type.dtype, volume, &type.logical_bytes);
    if (t->on_device) set_physical(&type, t, volume, geometry);
    /* ranks may have devices of different kinds; bytes of a bank are given, so nothing is aligned */
    if (t->on_device) type.device = (struct memory_geometry){geometry->dram_banks, geometry->l1_banks, 1, 1};
    if (t->raw) type.logical_known = false, type.logical_bytes = 0;
    /* a shape over all chips with the bytes of one chip does not tell the unpadded size on that chip */
    else if (type.physical_known && tensor_padded_bytes(&type, geometry) < type.logical_bytes) type.logical_known = false;
    uint32_t id = run_write_type(writer, &type);
    strbuf_release(&text);
    return id;
}

uint32_t buffer_type_id(struct run_writer *writer, struct map *known, const struct memory_geometry *geometry,
                        const struct buffer_tensor *t) {
    bool added;
    uint32_t *id = map_at(known, type_key(geometry, t), &added);
    if (added) *id = make_type(writer, geometry, t);
    return *id;
}
