/* SPDX-License-Identifier: Apache-2.0 */
#include "testing.h"

#include "analysis/compare/trend.h"

static const struct trend_limit two_percent = {true, 2000};

/* Each value is one of a run that came to its end, unless it is negative: then it had taken so much when it failed. */
static struct trend_rises find(const int64_t *figures, size_t count, bool low_is_bad) {
    struct trend_value values[16];
    struct trend_rises rises;
    for (size_t i = 0; i < count; i++)
        values[i] = (struct trend_value){figures[i] < 0 ? -figures[i] : figures[i], figures[i] < 0};
    trend_find(values, count, low_is_bad, two_percent, &rises);
    return rises;
}

static void a_rise_that_stays_is_found(void **state) {
    (void)state;
    struct trend_rises rises = find((const int64_t[]){100, 101, 120, 119, 121}, 5, false);
    assert_int_equal(rises.len, 1);
    assert_int_equal(rises.items[0].at, 2);
    assert_int_equal(rises.items[0].previous, 1);
    assert_int_equal(rises.items[0].before, 100);
    assert_int_equal(rises.items[0].after, 119);
    vec_release(&rises);
}

static void runs_that_failed_lower_no_level(void **state) {
    (void)state;
    struct trend_rises rises = find((const int64_t[]){490, 490, -5, -6, -5, 490, 491}, 7, false);
    assert_int_equal(rises.len, 0);
    vec_release(&rises);
    /* whole runs do, two in a row */
    rises = find((const int64_t[]){490, 490, 5, 6, 490, 490}, 6, false);
    assert_int_equal(rises.len, 1);
    assert_int_equal(rises.items[0].at, 4);
    assert_int_equal(rises.items[0].before, 6);
    vec_release(&rises);
}

static void runs_that_failed_end_no_rise(void **state) {
    (void)state;
    struct trend_rises rises = find((const int64_t[]){100, 100, 150, -20, 151}, 5, false);
    assert_int_equal(rises.len, 1);
    assert_int_equal(rises.items[0].at, 2);
    assert_int_equal(rises.items[0].after, 150);
    vec_release(&rises);
}

static void what_a_failed_run_took_already_is_a_rise(void **state) {
    (void)state;
    struct trend_rises rises = find((const int64_t[]){100, -3, -180, 200}, 4, false);
    assert_int_equal(rises.len, 1);
    assert_int_equal(rises.items[0].at, 2);
    assert_int_equal(rises.items[0].previous, 0); /* the last whole one */
    assert_int_equal(rises.items[0].after, 180);
    vec_release(&rises);
}

static void the_first_level_is_of_a_whole_run(void **state) {
    (void)state;
    struct trend_rises rises = find((const int64_t[]){-5, 490, 490}, 3, false);
    assert_int_equal(rises.len, 0);
    vec_release(&rises);
    rises = find((const int64_t[]){-5, -6}, 2, false);
    assert_int_equal(rises.len, 0);
    vec_release(&rises);
    rises = find(NULL, 0, false);
    assert_int_equal(rises.len, 0);
    vec_release(&rises);
}

/* Of a free block less is worse: a run that failed had more of it than it would have had. */
static void falls_count_where_less_is_worse(void **state) {
    (void)state;
    struct trend_rises rises = find((const int64_t[]){500, -900, -900, 500, 400}, 5, true);
    assert_int_equal(rises.len, 1);
    assert_int_equal(rises.items[0].at, 4);
    assert_int_equal(rises.items[0].before, 500);
    assert_int_equal(rises.items[0].after, 400);
    vec_release(&rises);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rise_that_stays_is_found),        cmocka_unit_test(runs_that_failed_lower_no_level),
        cmocka_unit_test(runs_that_failed_end_no_rise),      cmocka_unit_test(what_a_failed_run_took_already_is_a_rise),
        cmocka_unit_test(the_first_level_is_of_a_whole_run), cmocka_unit_test(falls_count_where_less_is_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
