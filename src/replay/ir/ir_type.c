/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/ir/ir_type.h"

#include <stdio.h>

#include "base/num.h"
#include "device/tile.h"
#include "parse/type.h"

enum { TILE = 32 };

void ir_alias_add(struct ir_types *types, struct slice name, struct slice text) {
    bool added;
    uint32_t *id = map_at(&types->by_alias, hash_bytes(name), &added);
    if (!added) {
        types->aliases.items[*id].text = text;
        return;
    }
    *id = (uint32_t)types->aliases.len;
    vec_push(&types->aliases, ((struct ir_alias){name, text}));
}

struct slice ir_alias_find(const struct ir_types *types, struct slice name) {
    const uint32_t *id = map_find(&types->by_alias, hash_bytes(name));
    return id ? types->aliases.items[*id].text : slice_of("", 0);
}

/* Dimensions of "8x1000" as numbers. */
static void read_dims(struct ir_type *type) {
    struct slice s = type->type.shape;
    uint64_t product = 1, n;
    type->known = type->type.kind == TYPE_TENSOR;
    type->rank = 0;
    while (s.len) {
        size_t used = num_read_u64(s, &n);
        if (!used || type->rank == IR_MAX_RANK || !num_mul(product, n ? n : 1, &product)) {
            type->known = false;
            return;
        }
        type->dims[type->rank++] = n;
        s = slice_skip(s, used + 1);
    }
    if (type->rank != type->type.rank) type->known = false;
}

/* "tensor<8x1000xbf16, #ttnn_layout3>": the alias of the layout, empty if it is written out. */
static struct slice layout_alias(struct slice text) {
    const char *at = text.len ? memrchr(text.ptr, '#', text.len) : NULL;
    if (!at || at == text.ptr || at[-1] != ' ' || !slice_ends(text, SLICE(">"))) return slice_of("", 0);
    struct slice alias = slice_between(at, text.ptr + text.len - 1);
    return memchr(alias.ptr, '<', alias.len) ? slice_of("", 0) : alias;
}

static void parse(const struct ir_types *types, struct slice text, struct ir_type *type) {
    *type = (struct ir_type){0};
    type_parse(text, &type->type);
    struct slice alias = layout_alias(text);
    struct slice layout = alias.len ? ir_alias_find(types, alias) : slice_of("", 0);
    if (alias.len) type_parse_layout(layout, &type->type);
    type->lost = alias.len && !type->type.has_layout;
    read_dims(type);
    size_t own = alias.len ? (size_t)(alias.ptr - text.ptr) : text.len;
    type->identity = hash_mix(hash_bytes64(slice_take(text, own)), hash_bytes64(layout));
}

uint32_t ir_type_id(struct ir_types *types, struct slice text) {
    bool added;
    uint32_t *id = map_at(&types->by_text, hash_bytes(text), &added);
    if (!added) return *id;
    *id = (uint32_t)types->list.len;
    parse(types, text, vec_add(&types->list));
    return (uint32_t)types->list.len - 1;
}

uint32_t ir_type_local(struct ir_types *types, uint32_t whole, struct slice local) {
    struct ir_type shape;
    parse(types, local, &shape);
    const struct ir_type *printed = &types->list.items[whole];
    if (!shape.known || ir_same_shape(&shape, printed) || !printed->type.has_layout) return whole;
    struct ir_type made = ir_type_make(printed, shape.dims, shape.rank, printed->type.storage, printed->type.tiled);
    vec_push(&types->list, made);
    return (uint32_t)types->list.len - 1;
}

void ir_types_release(struct ir_types *types) {
    arena_release(&types->arena);
    vec_release(&types->list);
    map_release(&types->by_text);
    vec_release(&types->aliases);
    map_release(&types->by_alias);
}

struct ir_type ir_type_make(const struct ir_type *like, const uint64_t *dims, unsigned rank, struct slice element, bool tiled) {
    struct ir_type made = {.type = like->type, .rank = rank, .known = like->known};
    struct tensor_type *t = &made.type;
    uint64_t outer = 1, pages = 0, page = 0;
    for (unsigned i = 0; i < rank && i < IR_MAX_RANK; i++) made.dims[i] = dims[i];
    for (unsigned i = 0; i + 2 < rank; i++) made.known = num_mul(outer, dims[i], &outer) && made.known;
    uint64_t h = ir_dim_back(&made, 1), w = ir_dim_back(&made, 0);
    t->rank = rank;
    t->last_dims[0] = w;
    t->last_dims[1] = h;
    t->text = t->shape = t->grid = t->memref = slice_of("", 0);
    t->storage = t->dtype = element;
    t->tiled = tiled;
    t->shards = 1;
    t->memory_layout = LAYOUT_INTERLEAVED;
    if (tiled) {
        t->tile_height = t->tile_width = TILE;
        uint64_t plane;
        made.known = num_mul(num_ceil_div(h, TILE), num_ceil_div(w, TILE), &plane) && num_mul(outer, plane, &pages) &&
                     tile_bytes_by_name(element, TILE, TILE, &page) && made.known;
    } else {
        made.known = num_mul(outer, h, &pages) && element_bytes(element, w, &page) && made.known;
    }
    t->physical_known = made.known;
    t->page_bytes = page;
    t->shard_pages = pages;
    made.identity = hash_mix(hash_bytes64(slice_of((const char *)made.dims, rank * sizeof *made.dims)),
                             hash_mix(hash_bytes64(element), (uint64_t)t->buffer * 2 + tiled));
    uint64_t elements;
    t->logical_known = made.known && num_mul(outer, h, &elements) && num_mul(elements, w, &elements) &&
                       element_bytes(element, elements, &t->logical_bytes);
    return made;
}

bool ir_is_block_float(const struct ir_type *type) { return slice_starts(type->type.storage, SLICE("bfp_")); }

bool ir_is_sharded(const struct ir_type *type) {
    return type->type.memory_layout != LAYOUT_NONE && type->type.memory_layout != LAYOUT_INTERLEAVED;
}

struct ir_type ir_type_row_major(const struct ir_type *like) {
    struct slice element = ir_is_block_float(like) ? SLICE("bf16") : like->type.storage;
    return ir_type_make(like, like->dims, like->rank, element, false);
}

struct ir_type ir_type_tiled(const struct ir_type *like) {
    return ir_type_make(like, like->dims, like->rank, like->type.storage, true);
}

struct ir_type ir_type_element(const struct ir_type *like, struct slice element) {
    return ir_type_make(like, like->dims, like->rank, element, like->type.tiled);
}

struct shape3 ir_shape3(const struct ir_type *type) {
    struct shape3 shape = {1, ir_dim_back(type, 1), ir_dim_back(type, 0)};
    for (unsigned i = 0; i + 2 < type->rank; i++) shape.c *= type->dims[i];
    return shape;
}

bool ir_same_shape(const struct ir_type *a, const struct ir_type *b) {
    return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

size_t ir_shape_text(const struct ir_type *type, char *out, size_t room) {
    size_t len = 0;
    if (!room) return 0;
    *out = '\0';
    for (unsigned i = 0; i < type->rank && len < room; i++) {
        int n = snprintf(out + len, room - len, i ? "x%llu" : "%llu", (unsigned long long)type->dims[i]);
        len += n > 0 ? (size_t)n : 0;
    }
    return len < room ? len : room - 1;
}
