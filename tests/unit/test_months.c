/* SPDX-License-Identifier: Apache-2.0 */
#include "testing.h"

#include "base/strbuf.h"
#include "store/months.h"

enum { SECOND = 1000000 };

/* 1796083200: 2026-12-01T00:00:00Z, by date -u -d 2026-12-01 +%s */
static void test_month_of_a_moment(void **state) {
    (void)state;
    assert_int_equal(month_of(0), 197001);
    assert_int_equal(month_of(1796083200LL * SECOND), 202612);
    assert_int_equal(month_of(1796083200LL * SECOND - 1), 202611);
    assert_int_equal(month_of(1709251199LL * SECOND), 202402); /* 2024-02-29T23:59:59Z */
}

static void test_end_of_a_month(void **state) {
    (void)state;
    assert_int_equal(month_end(202611), 1796083200LL * SECOND);
    assert_int_equal(month_end(202612), 1798761600LL * SECOND); /* 2027-01-01 */
    assert_int_equal(month_end(202402), 1709251200LL * SECOND); /* 2024-03-01 */
    for (int64_t month = 197001; month < 203013; month += month % 100 == 12 ? 89 : 1) {
        assert_int_equal(month_of(month_end(month) - 1), month);
        assert_int_equal(month_of(month_end(month)), month % 100 == 12 ? month + 89 : month + 1);
    }
}

static void test_names_of_partitions(void **state) {
    (void)state;
    struct history_month items[] = {
        {.month = 0}, {.month = 202611, .server = SLICE("archive")}, {.month = 202610, .going = true}};
    struct history_months months = {.items = {items, 3, 3}};
    struct store by_month = {.months = &months}, plain = {0};
    struct strbuf sql = {0};
    months_sql(&sql, &by_month, 1, "SELECT 1 FROM ttmem_runs@ r JOIN ttmem_labels@ l");
    assert_string_equal(strbuf_text(&sql), "SELECT 1 FROM ttmem_runs_202611 r JOIN ttmem_labels_202611 l");
    strbuf_clear(&sql);
    months_sql(&sql, &plain, 0, "FROM ttmem_runs@");
    assert_string_equal(strbuf_text(&sql), "FROM ttmem_runs");
    strbuf_release(&sql);
    assert_int_equal(months_parts(&by_month), 3);
    assert_int_equal(months_parts(&plain), 1);
    size_t part;
    assert_true(months_known(&by_month, 202611, &part));
    assert_int_equal(part, 1);
    assert_false(months_known(&by_month, 202610, &part)); /* it is going */
}

static void test_months_that_can_hold_a_run(void **state) {
    (void)state;
    struct history_month items[] = {{.month = 0}, {.month = 202611}, {.month = 202610}};
    struct history_months months = {.items = {items, 3, 3}};
    struct store store = {.months = &months};
    int64_t first_of_november = month_end(202610);
    assert_true(months_since(&store, 0, first_of_november)); /* of no month: any run */
    assert_true(months_since(&store, 1, first_of_november));
    assert_false(months_since(&store, 2, first_of_november));
    assert_true(months_since(&store, 2, first_of_november - 1));
}

static void test_missing_months_are_named(void **state) {
    (void)state;
    struct history_month items[] = {
        {.month = 0},
        {.month = 202611},
        {.month = 202610, .server = SLICE("archive"), .away = true, .missing = true, .reason = SLICE("gone")},
        {.month = 202609, .server = SLICE("archive"), .away = true, .missing = true, .reason = SLICE("gone")},
        {.month = 202608, .server = SLICE("archive"), .away = true}}; /* was not needed */
    struct history_months months = {.items = {items, 5, 5}};
    struct store store = {.months = &months}, plain = {0};
    struct err err = {0};
    assert_int_equal(months_whole(&store, &err), -1);
    assert_int_equal(err.code, ERR_LACKS);
    assert_string_equal(err.text, "the history was read without 2026-10, 2026-09, which are on the server archive: gone");
    assert_int_equal(months_whole(&plain, &err), 0);
    assert_int_equal(months_answered(&store, 1, &err), 0);
    assert_int_equal(months_answered(&store, 2, &err), -1);
    assert_string_equal(err.text, "the run is of 2026-10, a month on the server archive: gone");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_month_of_a_moment),        cmocka_unit_test(test_end_of_a_month),
        cmocka_unit_test(test_names_of_partitions),      cmocka_unit_test(test_months_that_can_hold_a_run),
        cmocka_unit_test(test_missing_months_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
