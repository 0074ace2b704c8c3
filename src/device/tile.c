/* SPDX-License-Identifier: Apache-2.0 */
#include "device/tile.h"

#include <strings.h>

#include "base/num.h"

enum { FACE = 16 };

const struct data_format data_formats[] = {
    {"Float32", "f32", "FLOAT32", TILE_PLAIN, 32},
    {"Tf32", NULL, NULL, TILE_PLAIN, 32},
    {"Int32", "si32", "INT32", TILE_PLAIN, 32},
    {"UInt32", "u32", "UINT32", TILE_PLAIN, 32},
    {"RawUInt32", NULL, NULL, TILE_PLAIN, 32},
    {"Float16", "f16", "FLOAT16", TILE_PLAIN, 16},
    {"Float16_b", "bf16", "BFLOAT16", TILE_PLAIN, 16},
    {"Int16", "si16", NULL, TILE_PLAIN, 16},
    {"UInt16", "u16", "UINT16", TILE_PLAIN, 16},
    {"RawUInt16", NULL, NULL, TILE_PLAIN, 16},
    {"Int8", "si8", NULL, TILE_PLAIN, 8},
    {"UInt8", "u8", "UINT8", TILE_PLAIN, 8},
    {"RawUInt8", "i1", NULL, TILE_PLAIN, 8}, /* booleans are stored as bytes */
    {"Lf8", NULL, NULL, TILE_PLAIN, 8},
    {"Fp8_e4m3", "f8E4M3FN", "FP8_E4M3", TILE_PLAIN, 8},
    {"Bfp8", "bfp_f8", NULL, TILE_BFP, 8},
    {"Bfp8_b", "bfp_bf8", "BFLOAT8_B", TILE_BFP, 8},
    {"Bfp4", "bfp_f4", NULL, TILE_BFP, 4},
    {"Bfp4_b", "bfp_bf4", "BFLOAT4_B", TILE_BFP, 4},
    {"Bfp2", "bfp_f2", NULL, TILE_BFP, 2},
    {"Bfp2_b", "bfp_bf2", "BFLOAT2_B", TILE_BFP, 2},
    {"MxFp8", NULL, NULL, TILE_MX, 8},
    {"MxFp8R", NULL, NULL, TILE_MX, 8},
    {"MxFp8P", NULL, NULL, TILE_MX, 8},
    {"MxFp6", NULL, NULL, TILE_MX, 8}, /* six bits, kept in a byte each */
    {"MxFp6R", NULL, NULL, TILE_MX, 8},
    {"MxFp6P", NULL, NULL, TILE_MX, 8},
    {"MxInt8", NULL, NULL, TILE_MX, 8},
    {"MxFp4", NULL, NULL, TILE_MX, 4},
    {"MxInt4", NULL, NULL, TILE_MX, 4},
    {"MxInt2", NULL, NULL, TILE_MX, 2},
    {0},
};

/* Spellings that differ from the table's in MLIR's signless and unsigned integers. */
static const struct {
    const char *from, *to;
} synonyms[] = {{"ui32", "u32"}, {"ui16", "u16"},      {"ui8", "u8"},      {"i32", "si32"},   {"i16", "si16"},
                {"i8", "si8"},   {"bfloat16", "bf16"}, {"float32", "f32"}, {"float16", "f16"}};

/* Called for every tensor of a run: most names differ in their first letter. */
static bool same(struct slice given, const char *name) {
    return name && given.len && given.ptr[0] == name[0] && slice_equal(given, slice_from(name));
}

const struct data_format *data_format_find(struct slice name) {
    for (size_t i = name.len; i >= 2; i--)
        if (name.ptr[i - 1] == ':' && name.ptr[i - 2] == ':') {
            name = slice_skip(name, i);
            break;
        }
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (same(name, synonyms[i].from)) name = slice_from(synonyms[i].to);
    for (const struct data_format *f = data_formats; f->name; f++)
        if (same(name, f->name) || same(name, f->mlir) || same(name, f->dtype)) return f;
    return NULL;
}

static bool same_loosely(struct slice a, const char *b) { return b && a.len == strlen(b) && strncasecmp(a.ptr, b, a.len) == 0; }

const struct data_format *data_format_find_loosely(struct slice name) {
    const struct data_format *exact = data_format_find(name);
    for (const struct data_format *f = data_formats; !exact && f->name; f++)
        if (same_loosely(name, f->name) || same_loosely(name, f->mlir) || same_loosely(name, f->dtype)) return f;
    return exact;
}

static bool is_hardware_tile(unsigned height, unsigned width) {
    return height >= 1 && height <= 2 * FACE && (height & (height - 1)) == 0 && (width == FACE || width == 2 * FACE);
}

static uint64_t round_up_16(uint64_t n) { return (n + 15) & ~(uint64_t)15; }

bool tile_bytes(const struct data_format *format, unsigned height, unsigned width, uint64_t *bytes) {
    uint64_t elements = (uint64_t)height * width;
    if (!elements) return false;
    if (format->coding == TILE_PLAIN) return num_mul(elements, format->element_bits / 8, bytes);
    if (!is_hardware_tile(height, width)) return false;
    uint64_t shared;
    if (format->coding == TILE_BFP) {
        unsigned face_height = height < FACE ? height : FACE;
        unsigned faces = height / face_height * (width / FACE);
        shared = round_up_16((uint64_t)face_height * faces);
    } else {
        shared = round_up_16(elements / 32);
    }
    *bytes = elements * format->element_bits / 8 + shared;
    return true;
}

bool tile_bytes_by_name(struct slice format, unsigned height, unsigned width, uint64_t *bytes) {
    const struct data_format *f = data_format_find(format);
    return f && tile_bytes(f, height, width, bytes);
}
