/* SPDX-License-Identifier: Apache-2.0 */
/* parse/: a failure message is one row; what else the search needs follows from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "parse/failure_index.h"

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
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_first_letter_and_a_needle),
        cmocka_unit_test(a_new_row_is_found_whatever_it_begins_with),
        cmocka_unit_test(needles_of_rows_without_room_are_refused_not_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
