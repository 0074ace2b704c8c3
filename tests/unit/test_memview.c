/* SPDX-License-Identifier: Apache-2.0 */
/* MemoryView{...}: five fields, thousandths of a MB per bank, exact. */
#include "testing.h"

#include "parse/memview.h"

static enum memview_state read_view(const char *text, struct pool_view *view) { return memview_parse(slice_from(text), view); }

static void assert_view(const struct pool_view *v, uint32_t banks, uint32_t total, uint32_t allocated, uint32_t free_,
                        uint32_t largest) {
    assert_int_equal(v->banks, banks);
    assert_int_equal(v->total, total);
    assert_int_equal(v->allocated, allocated);
    assert_int_equal(v->free, free_);
    assert_int_equal(v->largest, largest);
}

static void the_printed_form_is_read_exactly(void **state) {
    (void)state;
    struct pool_view view;
    assert_int_equal(read_view("MemoryView{numBanks: 12, totalBytesPerBank: 1022.169 MB, totalBytesAllocatedPerBank: 0.174 MB, "
                               "totalBytesFreePerBank: 1021.995 MB, largestContiguousBytesFreePerBank: 1021.894 MB}",
                               &view),
                     MEMVIEW_WHOLE);
    assert_view(&view, 12, 1022169, 174, 1021995, 1021894);
    assert_int_equal(
        read_view("MemoryView{numBanks: 7, totalBytesPerBank: 4078.279 MB, totalBytesAllocatedPerBank: 2041.500 MB, "
                  "totalBytesFreePerBank: 2036.779 MB, largestContiguousBytesFreePerBank: 2036.779 MB}  trailing words",
                  &view),
        MEMVIEW_WHOLE);
    assert_view(&view, 7, 4078279, 2041500, 2036779, 2036779);
}

static void an_empty_trace_pool_is_whole(void **state) {
    (void)state;
    struct pool_view view;
    assert_int_equal(read_view("MemoryView{numBanks: 12, totalBytesPerBank: 0.000 MB, totalBytesAllocatedPerBank: 0.000 MB, "
                               "totalBytesFreePerBank: 0.000 MB, largestContiguousBytesFreePerBank: 0.000 MB}",
                               &view),
                     MEMVIEW_WHOLE);
    assert_view(&view, 12, 0, 0, 0, 0);
}

static void fields_come_in_any_order(void **state) {
    (void)state;
    struct pool_view view;
    assert_int_equal(
        read_view("MemoryView{totalBytesAllocatedPerBank: 1.500 MB, numBanks: 64, totalBytesFreePerBank: 0.250 MB, "
                  "largestContiguousBytesFreePerBank: 0.125 MB, totalBytesPerBank: 1.750 MB, blockTable: 3}",
                  &view),
        MEMVIEW_WHOLE);
    assert_view(&view, 64, 1750, 1500, 250, 125);
}

static void other_units_are_turned_into_thousandths_of_a_mb(void **state) {
    (void)state;
    struct pool_view view;
    /* 524288 B = 0.5 MB, 256 KB = 0.25 MB, 2 GB = 2048 MB */
    assert_int_equal(read_view("MemoryView{numBanks: 2, totalBytesPerBank: 2 GB, totalBytesAllocatedPerBank: 524288 B, "
                               "totalBytesFreePerBank: 256 KB, largestContiguousBytesFreePerBank: 0.062 MB}",
                               &view),
                     MEMVIEW_WHOLE);
    assert_view(&view, 2, 2048000, 500, 250, 62);
}

static void a_cut_view_keeps_its_complete_fields(void **state) {
    (void)state;
    struct pool_view view;
    assert_int_equal(
        read_view(
            "MemoryView{numBanks: 12, totalBytesPerBank: 1022.169 MB, totalBytesAllocatedPerBank: 0.263 MB, totalBytesFreePer",
            &view),
        MEMVIEW_PARTIAL);
    assert_view(&view, 12, 1022169, 263, 0, 0);
}

static void a_number_that_is_cut_is_not_a_number(void **state) {
    (void)state;
    struct pool_view view;
    assert_int_equal(
        read_view("MemoryView{numBanks: 12, totalBytesPerBank: 1022.169 MB, totalBytesAllocatedPerBank: 10", &view),
        MEMVIEW_NONE);
    assert_int_equal(
        read_view("MemoryView{numBanks: 12, totalBytesPerBank: 1022.169 MB, totalBytesAllocatedPerBank: 10.5 M", &view),
        MEMVIEW_NONE);
}

/* Processes that write into one pipe tear each other's lines. */
static void figures_of_two_lines_are_not_a_view(void **state) {
    (void)state;
    struct pool_view view;
    static const char *const texts[] = {
        /* the start of L1_SMALL's line, the rest of DRAM's */
        "MemoryView{numBanks: 64, totalBytesPerBank: 0.062 MB, totalBytesAllocatedPerBank: 11.301 MB, "
        "totalBytesFreePerBank: 1005.532 MB, largestContiguousBytesFreePerBank: 1005.532 MB}",
        "MemoryView{numBanks: 12, totalBytesPerBank: 1016.833 MB, totalBytesAllocatedPerBank: 11.301 MB, "
        "totalBytesFreePerBank: 1005.532 MB, largestCLL memory state: MemoryView{numBanks: 64, totalBytesPerBank: 0.062 MB, "
        "totalBytesAllocatedPerBank: 0.000 MB, totalBytesFreePerBank: 0.062 MB, largestContiguousBytesFreePerBank: 0.062 MB}",
        "MemoryView{numBanks: 12, totalBytesPerBank: 1016.833 MB, totalBytesAllocatedPerBank: 1.000 MB, total          "
        "RuntimeTTNN |    DEBUG | x, totalBytesFreePerBank: 0.062 MB, largestContiguousBytesFreePerBank: 0.062 MB}",
        "MemoryView{numBanks: 12, totalBytesPerBank: 1016.833 MB, totalBytesAllocatedPerBank: 1.000 MB, total, "
        "totalBytesAllocatedPerBank: 2.000 MB, totalBytesFreePerBank: 1.0",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        assert_int_equal(read_view(texts[i], &view), MEMVIEW_NONE);
        assert_view(&view, 0, 0, 0, 0, 0);
    }
}

static void every_prefix_of_a_view_is_whole_partial_or_nothing(void **state) {
    (void)state;
    static const char text[] =
        "MemoryView{numBanks: 12, totalBytesPerBank: 1022.169 MB, totalBytesAllocatedPerBank: 987.654 MB, "
        "totalBytesFreePerBank: 34.515 MB, largestContiguousBytesFreePerBank: 21.894 MB}";
    size_t allocated_closed = (size_t)(strstr(text, "987.654 MB,") - text) + strlen("987.654 MB,");
    for (size_t len = 0; len < sizeof text; len++) {
        struct pool_view view;
        enum memview_state got = memview_parse(slice_of(text, len), &view);
        if (len + 1 == sizeof text) assert_int_equal(got, MEMVIEW_WHOLE);
        else assert_int_equal(got, len >= allocated_closed ? MEMVIEW_PARTIAL : MEMVIEW_NONE);
        if (got != MEMVIEW_NONE) assert_int_equal(view.allocated, 987654);
    }
}

static void what_is_no_view_is_nothing(void **state) {
    (void)state;
    struct pool_view view;
    static const char *const texts[] = {"",
                                        "{}",
                                        "MemoryView",
                                        "MemoryView{}",
                                        "MemoryView{,,,,}",
                                        "MemoryView{totalBytesAllocatedPerBank: }",
                                        "MemoryView{totalBytesAllocatedPerBank: -1.000 MB}",
                                        "MemoryView{totalBytesAllocatedPerBank: nan MB}",
                                        "MemoryView{totalBytesAllocatedPerBank: 99999999999999999999.000 MB}",
                                        "MemoryView{totalBytesAllocatedPerBank: 4294968.000 MB}"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) assert_int_equal(read_view(texts[i], &view), MEMVIEW_NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_printed_form_is_read_exactly),
        cmocka_unit_test(an_empty_trace_pool_is_whole),
        cmocka_unit_test(fields_come_in_any_order),
        cmocka_unit_test(other_units_are_turned_into_thousandths_of_a_mb),
        cmocka_unit_test(a_cut_view_keeps_its_complete_fields),
        cmocka_unit_test(a_number_that_is_cut_is_not_a_number),
        cmocka_unit_test(figures_of_two_lines_are_not_a_view),
        cmocka_unit_test(every_prefix_of_a_view_is_whole_partial_or_nothing),
        cmocka_unit_test(what_is_no_view_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
