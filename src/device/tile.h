/* SPDX-License-Identifier: Apache-2.0 */
/* Data formats and the bytes a tile of them takes. A const table; nothing to own, safe from any thread. */
#ifndef TTMEM_DEVICE_TILE_H
#define TTMEM_DEVICE_TILE_H

#include <stdint.h>

#include "base/slice.h"

enum tile_coding {
    TILE_PLAIN, /* every element on its own */
    TILE_BFP,   /* block floating point: one exponent byte per 16 elements of a face row */
    TILE_MX,    /* microscaling: one scale byte per 32 elements */
};

struct data_format {
    const char *name;  /* tt-metal: "Float16_b", "Bfp8_b" */
    const char *mlir;  /* element of !ttcore.tile<32x32, ...>: "bf16", "bfp_bf8"; NULL: none */
    const char *dtype; /* ttnn DataType without its prefix: "BFLOAT16"; NULL: none */
    enum tile_coding coding;
    unsigned element_bits; /* without the shared exponents */
};

/* NULL-name-terminated. */
extern const struct data_format data_formats[];

/* Finds it by any spelling: "Bfp8_b", "tt::DataFormat::Bfp8_b", "bfp_bf8", "ui32" as well as "u32", "DataType::BFLOAT8_B".
 * NULL if unknown. */
const struct data_format *data_format_find(struct slice name);

/* The same in any case, for typed input: "bfp8_b", "FLOAT32". */
const struct data_format *data_format_find_loosely(struct slice name);

/* Bytes of one tile; false for a shape that a tile cannot have (block formats: height 1..32 in powers of two, width 16 or 32)
 * or a size that does not fit. 32x32: Float32 4096, Float16_b 2048, Bfp8_b 1088, Bfp4_b 576, Bfp2_b 320. */
bool tile_bytes(const struct data_format *format, unsigned height, unsigned width, uint64_t *bytes);

/* The same by name. */
bool tile_bytes_by_name(struct slice format, unsigned height, unsigned width, uint64_t *bytes);

#endif
