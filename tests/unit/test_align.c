/* SPDX-License-Identifier: Apache-2.0 */
#include "testing.h"

#include <stdlib.h>

#include "analysis/compare/align.h"
#include "base/mem.h"

static size_t align_text(const char *a, const char *b, uint32_t *match) {
    uint64_t a_keys[256], b_keys[256];
    for (size_t i = 0; a[i]; i++) a_keys[i] = (unsigned char)a[i];
    for (size_t i = 0; b[i]; i++) b_keys[i] = (unsigned char)b[i];
    const uint64_t *a_levels[] = {a_keys}, *b_levels[] = {b_keys};
    struct align_side a_side = {a_levels, strlen(a)}, b_side = {b_levels, strlen(b)};
    return align_sides(&a_side, &b_side, 1, match);
}

static void an_item_in_front_does_not_make_the_rest_differ(void **state) {
    (void)state;
    uint32_t match[8];
    assert_int_equal(align_text("abcdef", "xabcdef", match), 6);
    for (uint32_t i = 0; i < 6; i++) assert_int_equal(match[i], i + 1);
}

static void what_is_gone_has_no_partner(void **state) {
    (void)state;
    uint32_t match[8];
    assert_int_equal(align_text("abxcd", "abcd", match), 4);
    assert_int_equal(match[2], UINT32_MAX);
    assert_int_equal(match[3], 2);
}

static void empty_sides_match_nothing(void **state) {
    (void)state;
    uint32_t match[8];
    assert_int_equal(align_text("", "abc", match), 0);
    assert_int_equal(align_text("abc", "", match), 0);
    assert_int_equal(match[1], UINT32_MAX);
}

/* Longest common subsequence by the textbook, for comparison. */
static size_t longest(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    size_t table[64][64] = {0};
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;)
            table[i][j] = a[i] == b[j]                        ? table[i + 1][j + 1] + 1
                          : table[i + 1][j] > table[i][j + 1] ? table[i + 1][j]
                                                              : table[i][j + 1];
    return table[0][0];
}

static void few_edits_give_the_longest_common_subsequence(void **state) {
    (void)state;
    srand(7);
    for (unsigned round = 0; round < 3000; round++) {
        char a[41], b[41];
        size_t n = (size_t)rand() % 40, m = (size_t)rand() % 40;
        for (size_t i = 0; i < n; i++) a[i] = (char)('a' + rand() % 4);
        for (size_t i = 0; i < m; i++) b[i] = (char)('a' + rand() % 4);
        a[n] = b[m] = '\0';
        uint32_t match[41];
        assert_int_equal(align_text(a, b, match), longest(a, b));
        uint32_t last = 0;
        for (size_t i = 0; i < n; i++) {
            if (match[i] == UINT32_MAX) continue;
            assert_int_equal(a[i], b[match[i]]);
            assert_true(match[i] + 1 > last);
            last = match[i] + 1;
        }
    }
}

/* More edits than Myers is given, repeated keys: passes of a program, with something new in each. */
static void sequences_with_many_edits_are_aligned_too(void **state) {
    (void)state;
    enum { PASSES = 5000, LENGTH = 10 };
    uint64_t *a = mem_alloc(sizeof *a * PASSES * LENGTH), *b = mem_alloc(sizeof *b * PASSES * (LENGTH + 1));
    uint32_t *match = mem_alloc(sizeof *match * PASSES * LENGTH);
    size_t n = 0, m = 0;
    for (size_t pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < LENGTH; i++) {
            if (i == 5) b[m++] = 999;
            a[n++] = b[m++] = i;
        }
    const uint64_t *a_levels[] = {a}, *b_levels[] = {b};
    assert_int_equal(align_sides(&(struct align_side){a_levels, n}, &(struct align_side){b_levels, m}, 1, match), n);
    for (size_t i = 0; i < n; i++) assert_int_equal(a[i], b[match[i]]);
    free(a);
    free(b);
    free(match);
}

/* "add.7" and "add.8" differ strictly and are the same leniently. */
static void a_lenient_level_fills_the_gaps_of_a_strict_one(void **state) {
    (void)state;
    const uint64_t a0[] = {1, 107, 2}, a1[] = {1, 100, 2}, b0[] = {1, 108, 2}, b1[] = {1, 100, 2};
    const uint64_t *a[] = {a0, a1}, *b[] = {b0, b1};
    uint32_t match[3];
    assert_int_equal(align_sides(&(struct align_side){a, 3}, &(struct align_side){b, 3}, 1, match), 2);
    assert_int_equal(align_sides(&(struct align_side){a, 3}, &(struct align_side){b, 3}, 2, match), 3);
    assert_int_equal(match[1], 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_item_in_front_does_not_make_the_rest_differ),
        cmocka_unit_test(what_is_gone_has_no_partner),
        cmocka_unit_test(empty_sides_match_nothing),
        cmocka_unit_test(few_edits_give_the_longest_common_subsequence),
        cmocka_unit_test(sequences_with_many_edits_are_aligned_too),
        cmocka_unit_test(a_lenient_level_fills_the_gaps_of_a_strict_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
