/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/padding.h"

#include <stdio.h>

#include "base/num.h"
#include "device/tile.h"

/* Worth mentioning from a tenth of the tensor, and from 4 KiB. */
enum { WORTH_PARTS = 10, WORTH_BYTES = 4096 };

/* Product of all dimensions but the last; false if one is unknown. */
static bool outer_rows(const struct tensor_type *type, uint64_t *rows) {
    struct slice rest = type->shape;
    uint64_t last = 1;
    *rows = 1;
    while (rest.len) {
        uint64_t dim;
        size_t n = num_read_u64(rest, &dim);
        if (!n || !num_mul(*rows, last, rows)) return false;
        last = dim;
        rest = slice_skip(rest, n + 1);
    }
    return true;
}

/* A page of its layout: where only the part of a bank is known, page_bytes is that part. */
static bool tile_page(const struct tensor_type *type, uint64_t *bytes) {
    *bytes = type->page_bytes;
    return !type->total_bytes || tile_bytes_by_name(type->storage, type->tile_height, type->tile_width, bytes);
}

/* All rows in one plane: only the last row of tiles is padded, not one per matrix. */
static bool folded(const struct tensor_type *type, const struct memory_geometry *geometry, uint64_t rows,
                   struct padding_advice *out) {
    if (type->rank < 3 || !type->tile_height || !type->tile_width || type->memory_layout != LAYOUT_INTERLEAVED) return false;
    struct tensor_type flat = *type;
    uint64_t high = num_ceil_div(rows, type->tile_height), wide = num_ceil_div(type->last_dims[0], type->tile_width);
    flat.shards = 1;
    flat.total_bytes = 0;
    if (!num_mul(high, wide, &flat.shard_pages) || !tile_page(type, &flat.page_bytes)) return false;
    out->bytes = tensor_padded_bytes(&flat, geometry);
    snprintf(out->text, sizeof out->text, "reshape to %llux%llu: its rows fill whole tiles", (unsigned long long)rows,
             (unsigned long long)type->last_dims[0]);
    return out->bytes > 0;
}

static bool row_major(const struct tensor_type *type, const struct memory_geometry *geometry, uint64_t rows,
                      struct padding_advice *out) {
    struct tensor_type flat = *type;
    /* block formats exist only in tiles; their elements have no size of their own */
    if (slice_starts(type->storage, SLICE("bfp")) || !element_bytes(type->storage, type->last_dims[0], &flat.page_bytes))
        return false;
    flat.tiled = false;
    flat.shards = 1;
    flat.total_bytes = 0;
    flat.shard_pages = rows;
    out->bytes = tensor_padded_bytes(&flat, geometry);
    snprintf(out->text, sizeof out->text, "row major: rows of %llu B", (unsigned long long)flat.page_bytes);
    return out->bytes > 0;
}

void padding_advise(const struct tensor_type *type, const struct memory_geometry *geometry, struct padding_advice *advice) {
    *advice = (struct padding_advice){0};
    uint64_t rows;
    if (!tensor_on_device(type) || !type->tiled || !type->physical_known || !type->logical_known || !outer_rows(type, &rows))
        return;
    uint64_t now = tensor_padded_bytes(type, geometry);
    struct padding_advice best = {0}, other = {0};
    /* compute wants tiles: rows only if they save clearly more */
    bool has_fold = folded(type, geometry, rows, &best), has_rows = row_major(type, geometry, rows, &other);
    if (has_rows && (!has_fold || other.bytes + other.bytes / WORTH_PARTS < best.bytes)) best = other;
    else if (!has_fold) return;
    if (best.bytes >= now || now - best.bytes < WORTH_BYTES || now - best.bytes < now / WORTH_PARTS) return;
    *advice = best;
}
