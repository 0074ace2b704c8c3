/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "parse/foreign/graph_banks.h"

static unsigned banks_of(const char *events, uint64_t *page) { return graph_banks_of(slice_from(events), page); }

#define L1(address, size)                                                                     \
    "{\"node_type\":\"buffer_allocate\",\"params\":{\"address\":" #address ",\"size\":" #size \
    ",\"type\":\"L1\",\"layout\":"                                                            \
    "\"INTERLEAVED\"}}"

/* 1048576 - 917504 = 8 MiB / 64, and 917504 - 655360 = 16 MiB / 64 */
static void distances_tell_the_banks(void **state) {
    uint64_t page;
    (void)state;
    assert_int_equal(banks_of("[" L1(1048576, 8388608) "," L1(917504, 8388608) "," L1(655360, 16777216) "]", &page), 64);
}

/* 4096 tiles over 56 banks are 74 on the fullest: 151552 below the end of L1 */
static void the_end_of_l1_tells_them_too(void **state) {
    uint64_t page;
    (void)state;
    assert_int_equal(banks_of("[" L1(1347584, 8388608) "]", &page), 56);
    assert_int_equal(page, 2048);
}

static void nothing_tells(void **state) {
    uint64_t page;
    (void)state;
    assert_int_equal(banks_of("[" L1(1953396066, 24576) "," L1(0, 24576) "]", &page), 0);
    assert_int_equal(banks_of("[" L1(700000, 8388608) "]", &page), 0);
    assert_int_equal(banks_of("[]", &page), 0);
    assert_int_equal(banks_of("not json", &page), 0);
}

/* Neither do captures that say themselves what a bank holds: there is nothing to find. */
static void bytes_per_bank_are_enough(void **state) {
    uint64_t page;
    (void)state;
    assert_int_equal(banks_of("[{\"node_type\":\"buffer_allocate\",\"params\":{\"address\":1347584,\"size\":8388608,"
                              "\"max_size_per_bank\":131072,\"type\":\"L1\"}}]",
                              &page),
                     0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_tell_the_banks),
        cmocka_unit_test(the_end_of_l1_tells_them_too),
        cmocka_unit_test(nothing_tells),
        cmocka_unit_test(bytes_per_bank_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
