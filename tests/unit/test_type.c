/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor types and layouts -> bytes: logical, with padding, per bank. Wormhole has 12 DRAM banks aligned to 32 B, the Blackhole
 * board here 7 aligned to 64 B; L1 is aligned to 16 B in both. */
#include "testing.h"

#include "parse/type.h"

static const struct memory_geometry wormhole = {12, 64, 32, 16}, blackhole = {7, 110, 64, 16};

#define MAP2 "(d0, d1) -> (d0, d1), "
#define DRAM "#ttnn.buffer_type<dram>"
#define L1 "#ttnn.buffer_type<l1>"
#define HOST "#ttnn.buffer_type<system_memory>"

static struct tensor_type type_of(const char *text) {
    struct tensor_type type;
    type_parse(slice_from(text), &type);
    return type;
}

struct sizes {
    const char *text;
    uint64_t logical, padded, per_bank;
};

static void assert_sizes(const struct sizes *rows, size_t count, const struct memory_geometry *geometry) {
    for (size_t i = 0; i < count; i++) {
        struct tensor_type type = type_of(rows[i].text);
        assert_int_equal(type.kind, TYPE_TENSOR);
        assert_true(type.logical_known);
        assert_true(type.physical_known);
        assert_int_equal(type.logical_bytes, rows[i].logical);
        assert_int_equal(tensor_padded_bytes(&type, geometry), rows[i].padded);
        assert_int_equal(tensor_per_bank_bytes(&type, geometry), rows[i].per_bank);
    }
}

static void the_sizes_of_the_crafted_log(void **state) {
    (void)state;
    static const struct sizes rows[] = {
        /* 1024 tiles of 2048 B over 12 banks: 86 tiles in the fullest */
        {"tensor<1024x1000xbf16, #ttnn.ttnn_layout<" MAP2 "<1x1>, memref<32x32x!ttcore.tile<32x32, bf16>, " DRAM
         ">, <interleaved>>>",
         2048000, 2097152, 86 * 2048},
        /* a block float element also in the logical tensor: 1088 B for 1024 elements */
        {"tensor<1024x1000x!ttcore.tile<32x32, bfp_bf8>, #ttnn.ttnn_layout<" MAP2
         "<1x1>, memref<32x32x!ttcore.tile<32x32, bfp_bf8>, " DRAM ">, <interleaved>>>",
         1088000, 1114112, 86 * 1088},
        {"tensor<8x1000xbf16, #ttnn.ttnn_layout<" MAP2 "<1x8>, memref<1x4x!ttcore.tile<32x32, bf16>, " L1
         ">, <width_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (7,0)>]>>>",
         16000, 65536, 8192},
        {"tensor<8x1000x!quant.uniform<i32:f32, 1.000000e-01>, #ttnn.ttnn_layout<" MAP2
         "<1x1>, memref<1x32x!ttcore.tile<32x32, si32>, " DRAM ">, <interleaved>>>",
         32000, 131072, 3 * 4096},
    };
    assert_sizes(rows, COUNT_OF(rows), &wormhole);
}

static void tile_bytes_follow_the_stored_element(void **state) {
    (void)state;
    static const struct {
        const char *element;
        uint64_t bytes;
    } rows[] = {{"f32", 4096},   {"u32", 4096},    {"si32", 4096},  {"f16", 2048},    {"bf16", 2048},
                {"u16", 2048},   {"u8", 1024},     {"i1", 1024},    {"bfp_f8", 1088}, {"bfp_bf8", 1088},
                {"bfp_f4", 576}, {"bfp_bf4", 576}, {"bfp_f2", 320}, {"bfp_bf2", 320}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "tensor<32x32xbf16, #ttnn.ttnn_layout<" MAP2 "<1x1>, memref<1x1x!ttcore.tile<32x32, %s>, " DRAM
                 ">, <interleaved>>>",
                 rows[i].element);
        struct tensor_type type = type_of(text);
        assert_true(type.physical_known);
        assert_int_equal(type.page_bytes, rows[i].bytes);
        assert_int_equal(tensor_padded_bytes(&type, &wormhole), rows[i].bytes);
        assert_slice(type.storage, rows[i].element);
        assert_int_equal(type.logical_bytes, rows[i].bytes); /* whole tiles: nothing is padded */
        assert_int_equal(tensor_padding_bytes(&type, &wormhole), 0);
    }
    struct tensor_type small = type_of("tensor<16x32xf32, #ttnn.ttnn_layout<" MAP2
                                       "<1x1>, memref<1x1x!ttcore.tile<16x32, f32>, " DRAM ">, <interleaved>>>");
    assert_int_equal(small.page_bytes, 4 * 16 * 32);
}

static void logical_bytes_of_every_element_type(void **state) {
    (void)state;
    static const struct {
        const char *element;
        uint64_t bytes; /* of 64 x 32 elements */
    } rows[] = {{"f64", 16384},
                {"f32", 8192},
                {"f16", 4096},
                {"bf16", 4096},
                {"f8E4M3FN", 2048},
                {"f8E5M2", 2048},
                {"i1", 2048},
                {"i8", 2048},
                {"i16", 4096},
                {"i32", 8192},
                {"i64", 16384},
                {"si32", 8192},
                {"ui8", 2048},
                {"ui16", 4096},
                {"ui32", 8192},
                {"!ttcore.tile<32x32, bfp_bf8>", 2 * 1088},
                {"!ttcore.tile<32x32, bfp_bf4>", 2 * 576},
                {"!ttcore.tile<32x32, bf16>", 4096},
                {"!quant.uniform<i8:f32, 1.0e-01:5>", 2048},
                {"!quant.uniform<i32:f32, 1.0e-01>", 8192},
                {"!quant.uniform<i8:f32:1, {1.0e-01:2, 2.0e-01, 3.0e-01:7}>", 2048}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[200];
        snprintf(text, sizeof text, "tensor<64x32x%s>", rows[i].element);
        struct tensor_type type = type_of(text);
        assert_true(type.logical_known);
        assert_int_equal(type.logical_bytes, rows[i].bytes);
        assert_slice(type.shape, "64x32");
        assert_int_equal(type.rank, 2);
        assert_false(type.has_layout);
    }
}

static void shards_are_multiplied_by_the_grid(void **state) {
    (void)state;
    static const struct sizes rows[] = {
        /* block-sharded 8x8: a tile for each core */
        {"tensor<256x256xbf16, #ttnn.ttnn_layout<" MAP2 "<8x8>, memref<1x1x!ttcore.tile<32x32, bf16>, " L1
         ">, <block_sharded>>>",
         131072, 131072, 2048},
        {"tensor<256x256xbf16, #ttnn.ttnn_layout<" MAP2 "<8x8, (d0, d1) -> (0, d0, d1)>, memref<1x1x!tt.tile<32x32, bf16>, " L1
         ">, <block_sharded>, exactGrid = true>>",
         131072, 131072, 2048},
        {"tensor<256x256xbf16, #ttnn.ttnn_layout<" MAP2
         "<8x8>, memref<1x1x!tt.tile<32x32, bf16>, #l1>, <block_sharded>, true>>",
         131072, 131072, 2048},
        {"tensor<512x64xbf16, #ttnn.ttnn_layout<" MAP2 "<16x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>>>",
         65536, 65536, 4096},
        /* DRAM can be sharded too: a shard stays in its bank */
        {"tensor<32x384xbf16, #ttnn.ttnn_layout<" MAP2
         "<1x12>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <width_sharded>>>",
         24576, 24576, 2048},
        /* L1 interleaved has a grid as well; its pages go round all 64 banks: 2 x 100 tiles */
        {"tensor<32x6400xbf16, #ttnn.ttnn_layout<" MAP2 "<1x2>, memref<1x100x!ttcore.tile<32x32, bf16>, #l1>, <interleaved>>>",
         409600, 409600, 4 * 2048},
        {"tensor<32x32xbf16, #ttnn.ttnn_layout<" MAP2
         "<1x1>, mesh = <\"mesh\">, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>, "
         "ignorePhysicalLayout = true>>",
         2048, 2048, 2048},
    };
    assert_sizes(rows, COUNT_OF(rows), &wormhole);
}

static void nd_layouts_have_no_map(void **state) {
    (void)state;
    struct tensor_type type = type_of(
        "tensor<64x64xbf16, #ttnn.ttnn_nd_layout<<2x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #l1>, <block_sharded>, "
        "<row_major>, <grid_2d>>>");
    assert_int_equal(type.memory_layout, LAYOUT_BLOCK_SHARDED);
    assert_slice(type.grid, "2x1");
    assert_int_equal(tensor_padded_bytes(&type, &wormhole), 8192);
    assert_int_equal(tensor_per_bank_bytes(&type, &wormhole), 4096);
    type = type_of("tensor<2x64x64xbf16, #ttnn.ttnn_nd_layout<<2x1x1>, memref<1x2x2x!ttcore.tile<32x32, bf16>, " L1
                   ">, <nd_sharded>, <row_major>, <round_robin_1d>>>");
    assert_int_equal(type.memory_layout, LAYOUT_ND_SHARDED);
    assert_int_equal(tensor_padded_bytes(&type, &wormhole), 16384);
}

static void tile_padding_of_outer_rows_is_in_the_memref(void **state) {
    (void)state;
    /* 1x32x4x262144: 4 rows become 32, eight times the bytes */
    struct tensor_type type = type_of(
        "tensor<1x32x4x262144xbf16, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <1x1>, "
        "memref<32x8192x!ttcore.tile<32x32, bf16>, " DRAM ">, <interleaved>>>");
    assert_int_equal(type.logical_bytes, 67108864);
    assert_int_equal(tensor_padded_bytes(&type, &wormhole), 8 * 67108864ull);
    char shape[64];
    assert_slice(slice_of(shape, tensor_padded_shape(&type, shape, sizeof shape)), "1x32x32x262144");
    type = type_of("tensor<8x1000xbf16, #ttnn.ttnn_layout<" MAP2 "<1x1>, memref<1x32x!ttcore.tile<32x32, bf16>, " DRAM
                   ">, <interleaved>>>");
    assert_slice(slice_of(shape, tensor_padded_shape(&type, shape, sizeof shape)), "32x1024");
}

static void pages_go_round_the_banks(void **state) {
    (void)state;
    /* 1 GiB in pages of 2048 B: ceil(524288 / 12) pages in the fullest bank */
    struct tensor_type type = type_of("tensor<16384x32768xbf16, #ttnn.ttnn_layout<" MAP2
                                      "<1x1>, memref<512x1024x!ttcore.tile<32x32, bf16>, " DRAM ">, <interleaved>>>");
    assert_int_equal(tensor_padded_bytes(&type, &wormhole), 1073741824);
    assert_int_equal(tensor_per_bank_bytes(&type, &wormhole), 89479168);
}

static void row_major_pages_are_rows_rounded_to_the_alignment(void **state) {
    (void)state;
    static const char rows100[] =
        "tensor<24x50xbf16, #ttnn.ttnn_layout<" MAP2 "<1x1>, memref<24x50xbf16, " DRAM ">, <interleaved>>>";
    struct tensor_type type = type_of(rows100);
    assert_false(type.tiled);
    assert_int_equal(type.page_bytes, 100);
    /* Wormhole: 128 B a row, 2 rows a bank; Blackhole: 128 B a row, ceil(24 / 7) = 4 rows a bank */
    assert_int_equal(tensor_padded_bytes(&type, &wormhole), 24 * 128);
    assert_int_equal(tensor_per_bank_bytes(&type, &wormhole), 2 * 128);
    assert_int_equal(tensor_per_bank_bytes(&type, &blackhole), 4 * 128);
    type = type_of("tensor<24x20xbf16, #ttnn.ttnn_layout<" MAP2 "<1x1>, memref<24x20xbf16, " DRAM ">, <interleaved>>>");
    assert_int_equal(tensor_padded_bytes(&type, &wormhole), 24 * 64);
    assert_int_equal(tensor_padded_bytes(&type, &blackhole), 24 * 64);
    type = type_of("tensor<24x10xbf16, #ttnn.ttnn_layout<" MAP2 "<1x1>, memref<24x10xbf16, " DRAM ">, <interleaved>>>");
    assert_int_equal(tensor_padded_bytes(&type, &wormhole), 24 * 32);
    assert_int_equal(tensor_padded_bytes(&type, &blackhole), 24 * 64);
    /* in L1 a row is rounded to 16 B, the reservation to the DRAM alignment */
    type = type_of("tensor<3x10xbf16, #ttnn.ttnn_layout<" MAP2 "<1x1>, memref<3x10xbf16, " L1 ">, <height_sharded>>>");
    assert_int_equal(tensor_padded_bytes(&type, &wormhole), 3 * 32);
    assert_int_equal(tensor_per_bank_bytes(&type, &wormhole), 96);
    assert_int_equal(tensor_per_bank_bytes(&type, &blackhole), 128);
}

static void host_tensors_take_no_device_memory(void **state) {
    (void)state;
    struct tensor_type type = type_of("tensor<8x1024xbf16, #ttnn.ttnn_layout<" MAP2 "<1x1>, memref<8x1024xbf16, " HOST ">>>");
    assert_true(type.has_layout);
    assert_int_equal(type.buffer, BUFFER_HOST);
    assert_int_equal(type.memory_layout, LAYOUT_NONE);
    assert_false(tensor_on_device(&type));
    assert_int_equal(tensor_padded_bytes(&type, &wormhole), 16384);
    assert_int_equal(tensor_per_bank_bytes(&type, &wormhole), 0);
}

static void every_buffer_type_is_known(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum buffer_type buffer;
    } rows[] = {{"dram", BUFFER_DRAM},
                {"l1", BUFFER_L1},
                {"l1_small", BUFFER_L1_SMALL},
                {"trace", BUFFER_TRACE},
                {"system_memory", BUFFER_HOST}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (int alias = 0; alias < 2; alias++) {
            char text[300];
            snprintf(text, sizeof text,
                     "tensor<32x32xbf16, #ttnn.ttnn_layout<" MAP2
                     "<1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, %s%s%s>, <interleaved>>>",
                     alias ? "#" : "#ttnn.buffer_type<", rows[i].name, alias ? "" : ">");
            assert_int_equal(type_of(text).buffer, rows[i].buffer);
        }
        assert_string_equal(buffer_type_name(rows[i].buffer), rows[i].name);
    }
}

static void scalars_have_rank_zero_and_a_size(void **state) {
    (void)state;
    struct tensor_type type = type_of("tensor<f32>");
    assert_int_equal(type.kind, TYPE_TENSOR);
    assert_slice(type.shape, "");
    assert_int_equal(type.rank, 0);
    assert_true(type.logical_known);
    assert_int_equal(type.logical_bytes, 4);
    type = type_of("tensor<ui32, #ttnn.trace_id>");
    assert_int_equal(type.logical_bytes, 4);
    assert_false(type.has_layout);
    assert_false(tensor_on_device(&type));
}

static void what_is_not_known_stays_unknown(void **state) {
    (void)state;
    struct tensor_type type = type_of("tensor<?x128xf32>");
    assert_int_equal(type.kind, TYPE_TENSOR);
    assert_slice(type.shape, "?x128");
    assert_slice(type.dtype, "f32");
    assert_false(type.logical_known);
    type = type_of("tensor<8x8x!mydialect.thing<3>>");
    assert_slice(type.dtype, "!mydialect.thing<3>");
    assert_false(type.logical_known);
    type = type_of("tensor<8x8xbf16, #ttnn.ttnn_layout<" MAP2 "<1x1>, memref<1x1x!ttcore.tile<32x32, new_format>, " DRAM
                   ">, <interleaved>>>");
    assert_true(type.logical_known);
    assert_false(type.physical_known);
    assert_int_equal(tensor_padded_bytes(&type, &wormhole), 0);
}

static void sizes_that_do_not_fit_are_unknown(void **state) {
    (void)state;
    assert_false(type_of("tensor<4294967296x4294967296x2xbf16>").logical_known);
    assert_false(type_of("tensor<9223372036854775808xbf16>").logical_known);
    assert_false(type_of("tensor<99999999999999999999999xbf16>").logical_known);
    struct tensor_type type =
        type_of("tensor<32x32xbf16, #ttnn.ttnn_layout<" MAP2
                "<4294967296x4294967296>, memref<4294967295x4294967295x!ttcore.tile<32x32, bf16>, " DRAM ">, <interleaved>>>");
    assert_int_equal(tensor_padded_bytes(&type, &wormhole), 0);
    assert_int_equal(tensor_per_bank_bytes(&type, &wormhole), 0);
}

static void empty_tensors_are_zero_bytes(void **state) {
    (void)state;
    struct tensor_type type =
        type_of("tensor<0x128xbf16, #ttnn.ttnn_layout<" MAP2 "<1x1>, memref<0x128xbf16, " DRAM ">, <interleaved>>>");
    assert_true(type.logical_known);
    assert_int_equal(type.logical_bytes, 0);
    assert_int_equal(tensor_padded_bytes(&type, &wormhole), 0);
    assert_int_equal(tensor_per_bank_bytes(&type, &wormhole), 0);
}

static void what_is_no_tensor_is_other(void **state) {
    (void)state;
    static const char *const texts[] = {"!ttnn.device", "!ttnn.global_semaphore", "",    "tensor",
                                        "tensor<",      "tensor<8x8xbf16, #ttnn", "i32", "()"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct tensor_type type = type_of(texts[i]);
        assert_int_equal(type.kind, TYPE_OTHER);
        assert_false(tensor_on_device(&type));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sizes_of_the_crafted_log),
        cmocka_unit_test(tile_bytes_follow_the_stored_element),
        cmocka_unit_test(logical_bytes_of_every_element_type),
        cmocka_unit_test(shards_are_multiplied_by_the_grid),
        cmocka_unit_test(nd_layouts_have_no_map),
        cmocka_unit_test(tile_padding_of_outer_rows_is_in_the_memref),
        cmocka_unit_test(pages_go_round_the_banks),
        cmocka_unit_test(row_major_pages_are_rows_rounded_to_the_alignment),
        cmocka_unit_test(host_tensors_take_no_device_memory),
        cmocka_unit_test(every_buffer_type_is_known),
        cmocka_unit_test(scalars_have_rank_zero_and_a_size),
        cmocka_unit_test(what_is_not_known_stays_unknown),
        cmocka_unit_test(sizes_that_do_not_fit_are_unknown),
        cmocka_unit_test(empty_tensors_are_zero_bytes),
        cmocka_unit_test(what_is_no_tensor_is_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
