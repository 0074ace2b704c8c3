/* SPDX-License-Identifier: Apache-2.0 */
/* device/: chips and boards, tile sizes. Expected values: tt-metal's memory maps and tile table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device/chip.h"
#include "device/reserve.h"
#include "device/tile.h"

static void boards_are_found_by_name_alias_and_revision(void **state) {
    (void)state;
    static const struct {
        const char *given, *name, *arch;
    } rows[] = {{"n150", "n150", "wormhole_b0"},
                {"N300d", "n300", "wormhole_b0"},
                {"p150b", "p150", "blackhole"},
                {"P100a", "p100", "blackhole"},
                {"wormhole", "wormhole_b0", "wormhole_b0"},
                {"tg", "wh_galaxy", "wormhole_b0"},
                {"t3000", "t3k", "wormhole_b0"},
                {"Quasar", "quasar", "quasar"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct chip *chip = chip_find(slice_from(rows[i].given));
        assert_non_null(chip);
        assert_string_equal(chip->name, rows[i].name);
        assert_string_equal(chip->arch, rows[i].arch);
    }
    assert_null(chip_find(SLICE("n15")));
    assert_null(chip_find(SLICE("")));
    assert_null(chip_find(SLICE("x9000a")));
}

static void bank_sizes_are_those_of_the_default_memory_map(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint64_t dram, l1;
    } rows[] = {
        {"n150", 1072693184, 1393472}, {"p150", 4277141376, 1461248}, {"quasar", 1073741824 - 64 - 64 - 1048576, 3880448}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct chip *chip = chip_find(slice_from(rows[i].name));
        assert_int_equal(chip_dram_bank_bytes(chip), rows[i].dram);
        assert_int_equal(chip_l1_bank_bytes(chip), rows[i].l1);
    }
}

static void banks_name_the_board_or_at_least_the_architecture(void **state) {
    (void)state;
    static const struct {
        unsigned dram_banks, l1_banks;
        uint64_t bank_bytes;
        const char *name;
    } rows[] = {{12, 64, 1070773184, "wormhole_b0"}, /* n150, and n300 and T3000 with ethernet dispatch */
                {12, 63, 1070773184, "n150"},
                {12, 56, 1071821792, "wormhole_b0"},
                {12, 72, 1073741792, "wh_galaxy"},
                {12, 0, 0, "wormhole_b0"},
                {7, 110, 4272341376, "p100"},
                {7, 0, 4277141376, "p100"},
                {8, 140, 4277141376, "p150"},
                {8, 130, 4277141376, "blackhole"},
                {8, 110, 4277141376, "blackhole"},
                {8, 0, 4277141376, "blackhole"},
                {8, 108, 1073741792, "grayskull"},
                {8, 0, 0, "blackhole"},
                {8, 108, 0, "grayskull"},
                {2, 32, 0, "quasar"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct chip *chip = chip_guess(rows[i].dram_banks, rows[i].l1_banks, rows[i].bank_bytes);
        assert_non_null(chip);
        assert_string_equal(chip->name, rows[i].name);
    }
    assert_null(chip_guess(5, 64, 1073741792));
    assert_null(chip_guess(12, 64, 4277141376));
}

static void a_32x32_tile_has_the_bytes_of_its_format(void **state) {
    (void)state;
    static const struct {
        const char *format;
        uint64_t bytes;
    } rows[] = {{"Float32", 4096},   {"f32", 4096},     {"u32", 4096},
                {"ui32", 4096},      {"si32", 4096},    {"Float16_b", 2048},
                {"bf16", 2048},      {"UInt16", 2048},  {"DataType::BFLOAT16", 2048},
                {"u8", 1024},        {"i1", 1024},      {"Fp8_e4m3", 1024},
                {"Bfp8_b", 1088},    {"bfp_bf8", 1088}, {"bfp_f8", 1088},
                {"BFLOAT8_B", 1088}, {"Bfp4_b", 576},   {"bfp_bf4", 576},
                {"bfp_f2", 320},     {"MxFp8", 1056},   {"MxFp6", 1056},
                {"MxFp4", 544},      {"MxInt2", 288},   {"tt::DataFormat::Bfp2_b", 320}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t bytes = 0;
        assert_true(tile_bytes_by_name(slice_from(rows[i].format), 32, 32, &bytes));
        assert_int_equal(bytes, rows[i].bytes);
    }
}

static void small_tiles_keep_their_shared_exponents(void **state) {
    (void)state;
    uint64_t bytes = 0;
    assert_true(tile_bytes_by_name(SLICE("Bfp8_b"), 16, 32, &bytes));
    assert_int_equal(bytes, 512 + 32);
    assert_true(tile_bytes_by_name(SLICE("Bfp8_b"), 1, 16, &bytes)); /* one exponent, rounded up to 16 bytes */
    assert_int_equal(bytes, 16 + 16);
    assert_true(tile_bytes_by_name(SLICE("bf16"), 8, 32, &bytes));
    assert_int_equal(bytes, 512);
    assert_false(tile_bytes_by_name(SLICE("bfp_bf8"), 3, 32, &bytes));
    assert_false(tile_bytes_by_name(SLICE("bfp_bf8"), 32, 64, &bytes));
    assert_false(tile_bytes_by_name(SLICE("f32"), 0, 32, &bytes));
    assert_false(tile_bytes_by_name(SLICE("f99"), 32, 32, &bytes));
    assert_false(tile_bytes_by_name(SLICE(""), 32, 32, &bytes));
}

/* The same build sets as much aside on another board: figures of both architectures with and without profiler and prints. */
static void a_build_sets_aside_alike(void **state) {
    (void)state;
    static const struct {
        uint64_t wormhole, blackhole; /* what a bank holds */
    } builds[] = {{1072693184, 4277141376}, {1070773184, 4272341376}, {1071821792, 4278190080 - 64 - 4800000}};
    const struct chip *n150 = chip_find(SLICE("n150")), *n300 = chip_find(SLICE("n300")), *p150 = chip_find(SLICE("p150"));
    uint64_t reserved;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        uint64_t own = n150->dram_view_bytes - builds[i].wormhole;
        assert_true(chip_reserve_like(p150, n150, own, 0, &reserved));
        assert_int_equal(p150->dram_view_bytes - reserved, builds[i].blackhole);
        assert_true(chip_reserve_like(n300, n150, own, 0, &reserved));
        assert_int_equal(reserved, own);
        assert_true(chip_reserve_like(n150, p150, p150->dram_view_bytes - builds[i].blackhole, 0, &reserved));
        assert_int_equal(reserved, own);
        assert_true(chip_reserve_like(p150, n150, own - 500, 1049, &reserved)); /* as a log rounds it */
        assert_int_equal(p150->dram_view_bytes - reserved, builds[i].blackhole);
    }
    assert_false(chip_reserve_like(p150, n150, 123456789, 1049, &reserved));
    assert_false(chip_reserve_like(p150, NULL, 0, 0, &reserved));
    assert_int_equal(reserved, p150->dram_unreserved_base);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boards_are_found_by_name_alias_and_revision),
        cmocka_unit_test(bank_sizes_are_those_of_the_default_memory_map),
        cmocka_unit_test(banks_name_the_board_or_at_least_the_architecture),
        cmocka_unit_test(a_32x32_tile_has_the_bytes_of_its_format),
        cmocka_unit_test(small_tiles_keep_their_shared_exponents),
        cmocka_unit_test(a_build_sets_aside_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
