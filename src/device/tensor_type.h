/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor as a compiler wrote it: logical shape and element type, and the layout that decides how many bytes it takes on
 * the device. Texts are slices into memory that the creator of the value keeps. */
#ifndef TTMEM_DEVICE_TENSOR_TYPE_H
#define TTMEM_DEVICE_TENSOR_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum type_kind { TYPE_TENSOR, TYPE_OTHER /* !ttnn.device, !ttnn.global_semaphore, ... */ };

enum buffer_type { BUFFER_NONE, BUFFER_DRAM, BUFFER_L1, BUFFER_L1_SMALL, BUFFER_TRACE, BUFFER_HOST, BUFFER_TYPE_COUNT };

enum memory_layout {
    LAYOUT_NONE,
    LAYOUT_INTERLEAVED,
    LAYOUT_HEIGHT_SHARDED,
    LAYOUT_WIDTH_SHARDED,
    LAYOUT_BLOCK_SHARDED,
    LAYOUT_ND_SHARDED
};

/* What the log says about the device that holds the tensors; zero fields are unknown. */
struct memory_geometry {
    unsigned dram_banks, l1_banks;
    unsigned dram_align, l1_align;
};

struct tensor_type {
    enum type_kind kind;
    struct slice text;  /* as printed */
    struct slice shape; /* "8x1000"; empty for rank 0 */
    struct slice dtype; /* element type of the logical tensor: "bf16", "bfp_bf8", "!quant.uniform<...>" */
    unsigned rank;
    uint64_t last_dims[2];  /* [0] the last dimension, [1] the one before; 1 if the rank is smaller */
    bool logical_known;     /* false for `?` dimensions, unknown elements, sizes that do not fit */
    uint64_t logical_bytes; /* without any padding; for a device tensor in the stored element type */

    bool has_layout;
    enum buffer_type buffer;
    enum memory_layout memory_layout;
    struct slice grid;    /* "1x8" */
    struct slice memref;  /* "1x4": one shard, in tiles or elements */
    struct slice storage; /* stored element type, "bf16" */
    bool tiled;
    unsigned tile_height, tile_width;
    bool physical_known;
    uint64_t page_bytes;  /* a tile, or a row of a row-major shard */
    uint64_t shard_pages; /* pages of one shard; for an interleaved tensor all of its pages */
    uint64_t shards;      /* product of the grid; 1 for an interleaved tensor */
    uint64_t total_bytes; /* what its pages take, where the three fields above only give the part of a bank; else 0 */

    struct memory_geometry device; /* for a tensor on another device than the run's; else without banks */
};

/* Does the tensor take device memory? */
static inline bool tensor_on_device(const struct tensor_type *type) {
    return type->kind == TYPE_TENSOR && type->buffer != BUFFER_NONE && type->buffer != BUFFER_HOST;
}

/* Bytes of all pages, each rounded up to the alignment of its memory. Host tensors are not aligned. 0 if unknown. What banks
 * reserve for pages that an interleaved tensor does not have (7 pages on 12 banks) is in the bytes per bank alone. */
uint64_t tensor_padded_bytes(const struct tensor_type *type, const struct memory_geometry *geometry);

/* The same if the layout is known, else the unpadded size: a lower bound. */
uint64_t tensor_stored_bytes(const struct tensor_type *type, const struct memory_geometry *geometry);

/* Padding, wherever it is shown: what is stored beyond the elements, in whole tiles and in rounded rows, over all banks. Its
 * percentage is of the unpadded size. Never negative; 0 if unknown. */
uint64_t tensor_padding_bytes(const struct tensor_type *type, const struct memory_geometry *geometry);

/* What one bank has to hold: interleaved pages go round the banks, a shard stays whole. 0 if unknown or not on the device. */
uint64_t tensor_per_bank_bytes(const struct tensor_type *type, const struct memory_geometry *geometry);

/* Bytes of one element, for types stored element by element; block formats are rounded up over the whole tensor. */
bool element_bytes(struct slice dtype, uint64_t elements, uint64_t *bytes);

/* The logical shape with the last two dimensions rounded up to whole tiles, as text: "32x1024" for 8x1000. */
size_t tensor_padded_shape(const struct tensor_type *type, char *out, size_t room);

/* How it is stored, as shown: "tile 32x32, interleaved", "row major, height_sharded". */
size_t tensor_layout_text(const struct tensor_type *type, char *out, size_t room);

const char *buffer_type_name(enum buffer_type buffer);     /* "dram", ... */
const char *memory_layout_name(enum memory_layout layout); /* "interleaved", ... */

#endif
