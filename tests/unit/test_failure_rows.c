/* SPDX-License-Identifier: Apache-2.0 */
/* parse/: a failure message is one row; what else the search needs follows from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "parse/failure/index.h"
#include "testing.h"

static bool leads_to(const struct failure_index *index, struct slice text) {
    return find_any(&index->finder, text, 0) != SLICE_NONE;
}

/* Without the words that loggers and exceptions put in front. */
static void every_row_has_a_first_letter_and_a_needle(void **state) {
    (void)state;
    const struct failure_index *index = failure_index();
    for (size_t i = 0; i < index->row_count; i++) {
        const struct failure_form *form = index->rows[i];
        assert_true(index->first_row[(unsigned char)form->start[0]] > 0);
        struct strbuf text = {0};
        strbuf_addf(&text, "%s 5 %s", form->start, form->needs ? form->needs : "");
        assert_true(leads_to(index, strbuf_slice(&text)));
        strbuf_release(&text);
    }
}

/* Bytes that begin no row so far; words that no shared needle knows. */
static void a_new_row_is_found_whatever_it_begins_with(void **state) {
    (void)state;
    static const char *const starts[] = {"Jumbo frames overrun", "@core: queue ran dry", "9 lives are gone", "zzzz"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const struct failure_form forms[] = {{.start = "Out of Memory: Not enough space"}, {.start = starts[i]}, {0}};
        const struct failure_form *const tables[] = {forms, NULL};
        struct failure_index index;
        assert_true(failure_index_build(&index, tables));
        assert_int_equal(index.first_row[(unsigned char)starts[i][0]], 2);
        struct strbuf text = {0};
        strbuf_addf(&text, "some text, then %s and more", starts[i]);
        assert_true(leads_to(&index, strbuf_slice(&text)));
        strbuf_release(&text);
    }
}

static void needles_of_rows_without_room_are_refused_not_lost(void **state) {
    (void)state;
    enum { ROWS = FIND_ANY_MAX + 1 };
    static char starts[ROWS][8]; /* four letters each that no other has */
    struct failure_form forms[ROWS + 1] = {{0}};
    for (unsigned i = 0; i < ROWS; i++) {
        starts[i][0] = starts[i][3] = 'Q', starts[i][1] = (char)('A' + i / 16), starts[i][2] = (char)('A' + i % 16);
        forms[i].start = starts[i];
    }
    const struct failure_form *const tables[] = {forms, NULL};
    struct failure_index index;
    assert_false(failure_index_build(&index, tables));
    assert_non_null(index.refused);
    assert_true(index.refused > forms && index.refused < &forms[ROWS]);
}

/* Three letters begin a row where what it needs leads to it; alone they are refused by name. */
static void short_rows_are_found_by_what_they_need_or_refused(void **state) {
    (void)state;
    const struct failure_form forms[] = {{.start = "Qjx", .needs = "jumbo frames"}, {.start = "Zbq"}, {0}};
    const struct failure_form *const tables[] = {forms, NULL};
    static struct failure_index index;
    assert_false(failure_index_build(&index, tables));
    assert_ptr_equal(index.refused, &forms[1]);
    const struct failure_form *const first[] = {(const struct failure_form[]){forms[0], {0}}, NULL};
    assert_true(failure_index_build(&index, first));
    assert_null(index.refused);
    assert_true(leads_to(&index, slice_from("Qjx, said the jumbo frames")));
}

/* Places where the first, fast look finds what may be the four letters of a needle. */
static size_t second_looks(const struct finder *f, struct slice text) {
    size_t looks = 0;
    for (size_t at = 0; at + FIND_ANY_FINGERPRINT <= text.len; at++) {
        unsigned buckets = ~0u;
        for (size_t k = 0; k < FIND_ANY_FINGERPRINT; k++) {
            unsigned char c = (unsigned char)text.ptr[at + k];
            buckets &= f->low[k][c & 15] & f->high[k][c >> 4];
        }
        looks += buckets != 0;
    }
    return looks;
}

/* The search runs at the speed of memory only while hardly any place of a log is looked at twice. */
static void hardly_a_place_of_a_log_is_looked_at_twice(void **state) {
    (void)state;
    enum { ONE_IN = 8000, FURTHER_ROWS = 8 };
    struct strbuf log = file_text("examples/transformer_profile.log");
    size_t most = log.len / ONE_IN;
    assert_true(most > 100);
    assert_in_range(second_looks(&failure_index()->finder, strbuf_slice(&log)), 0, most);
    /* rows that come without a word about needles find a place beside the others */
    static const char *const starts[FURTHER_ROWS] = {"device ran short of memory", "tensor is not there",
                                                     "the operation gave up",      "layout of the shard is wrong",
                                                     "before the buffer was made", "DRAM banks are all taken",
                                                     "reshape needs a copy",       "main memory of the host is used up"};
    struct failure_form forms[FURTHER_ROWS + 1] = {{0}};
    for (size_t i = 0; i < FURTHER_ROWS; i++) forms[i].start = starts[i];
    const struct failure_form *tables[16] = {0};
    size_t count = 0;
    for (; failure_tables[count]; count++) tables[count] = failure_tables[count];
    tables[count] = forms;
    struct failure_index index;
    assert_true(failure_index_build(&index, tables));
    assert_int_equal(index.row_count, failure_index()->row_count + FURTHER_ROWS);
    assert_in_range(second_looks(&index.finder, strbuf_slice(&log)), 0, 2 * most);
    strbuf_release(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_first_letter_and_a_needle),
        cmocka_unit_test(a_new_row_is_found_whatever_it_begins_with),
        cmocka_unit_test(needles_of_rows_without_room_are_refused_not_lost),
        cmocka_unit_test(short_rows_are_found_by_what_they_need_or_refused),
        cmocka_unit_test(hardly_a_place_of_a_log_is_looked_at_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
