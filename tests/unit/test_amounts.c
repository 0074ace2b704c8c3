/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts as people read them: one rounding, half away from zero, exact for all 64 bits. */
#include "testing.h"

#include "base/amounts.h"

/* What an add_ function appended, for one assertion. */
#define APPENDED(call, expected)                            \
    do {                                                    \
        struct strbuf out = {0};                            \
        call;                                               \
        assert_string_equal(strbuf_text(&out), (expected)); \
        strbuf_release(&out);                               \
    } while (0)

static void thousandths_round_half_away_from_zero(void **state) {
    (void)state;
    APPENDED(add_milli(&out, 3109879, 1), "3109.9");
    APPENDED(add_milli(&out, 62, 2), "0.06");
    APPENDED(add_milli(&out, 1005, 2), "1.01");
    APPENDED(add_milli(&out, -1005, 2), "-1.01");
    APPENDED(add_milli(&out, 250, 1), "0.3"); /* printf would print 0.2 */
    APPENDED(add_milli(&out, -1004, 2), "-1.00");
    APPENDED(add_milli(&out, INT64_MIN, 3), "-9223372036854775.808");
}

static void what_rounds_to_zero_has_no_minus(void **state) {
    (void)state;
    APPENDED(add_milli(&out, -4, 2), "0.00");
    assert_string_equal(figure_milli(-4, 2).text, "0.00");
    assert_string_equal(figure_change(-4, 2).text, "+0.00");
}

static void a_share_of_nothing_is_zero(void **state) {
    (void)state;
    APPENDED(add_percent(&out, 1, 0), "0.0 %");
    assert_string_equal(figure_percent(1, 0, 0).text, "0");
}

/* 49.4996 % is 49 %: a figure that was rounded once before would give 50. */
static void percentages_are_rounded_once(void **state) {
    (void)state;
    APPENDED(add_percent(&out, 49536, 16000), "309.6 %");
    APPENDED(add_percent_close(&out, 49536, 16000), "309.6%");
    assert_string_equal(figure_percent(494996, 1000000, 0).text, "49");
    assert_string_equal(figure_percent(INT64_MAX, INT64_MAX, 2).text, "100.00");
    assert_string_equal(figure_percent(-1, 3, 1).text, "-33.3");
}

static void sizes_have_the_unit_that_shows_them(void **state) {
    (void)state;
    APPENDED(add_size(&out, 1048575), "1024.0 KB");
    APPENDED(add_size(&out, 2048000), "1.95 MB");
    APPENDED(add_size(&out, 1023), "1023 B");
    APPENDED(add_mb(&out, 49536, 2), "0.05");
    APPENDED(add_bytes(&out, 969369600), "969,369,600 B");
    APPENDED(add_log_size(&out, 51155567, true), "+48.786 MB");
    APPENDED(add_log_size(&out, -2048, false), "-2.0 KB");
    APPENDED(add_log_size(&out, 0, true), "+0.000 MB");
    APPENDED(add_scaled_size(&out, 512, true), "512 B");
    APPENDED(add_scaled_size(&out, 1536, true), "1.50 KB");
    APPENDED(add_scaled_size(&out, 1536, false), "1.5 KB");
    APPENDED(add_scaled_size(&out, (uint64_t)150 << 30, true), "150.0 GB");
    APPENDED(add_scaled_size(&out, UINT64_MAX, false), "16777216.0 TB");
    assert_string_equal(figure_bytes(22528).text, "22,528 B");
    assert_string_equal(figure_bytes(1953759232).text, "1863.25 MB");
    assert_string_equal(figure_signed_bytes(-22528, false).text, "-22,528 B");
    assert_string_equal(figure_signed_bytes(1048576, true).text, "+1.00 MB");
    assert_string_equal(figure_signed_bytes(INT64_MIN, false).text, "-8796093022208.00 MB");
}

/* tt-train's own summary prints by printf: 0.125 MB is 0.12 there, 0.375 MB is 0.38. */
static void ties_to_even_are_for_the_text_of_another_program(void **state) {
    (void)state;
    APPENDED(add_mb_even(&out, 131072), "0.12");
    APPENDED(add_mb_even(&out, 393216), "0.38");
    APPENDED(add_mb_even(&out, UINT64_MAX), "17592186044416.00");
    APPENDED(add_mb(&out, 131072, 2), "0.13");
}

static void thousands_are_grouped(void **state) {
    (void)state;
    APPENDED(add_grouped(&out, 0), "0");
    APPENDED(add_grouped(&out, 1606), "1,606");
    assert_string_equal(figure_grouped(UINT64_MAX).text, "18,446,744,073,709,551,615");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousandths_round_half_away_from_zero),
        cmocka_unit_test(what_rounds_to_zero_has_no_minus),
        cmocka_unit_test(a_share_of_nothing_is_zero),
        cmocka_unit_test(percentages_are_rounded_once),
        cmocka_unit_test(sizes_have_the_unit_that_shows_them),
        cmocka_unit_test(ties_to_even_are_for_the_text_of_another_program),
        cmocka_unit_test(thousands_are_grouped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
