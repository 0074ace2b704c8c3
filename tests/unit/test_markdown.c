/* SPDX-License-Identifier: Apache-2.0 */
/* Headings and tables of markdown. Escaping is tested with the report, test_report.c. */
#include "testing.h"

#include "render/format/markdown.h"

static void expect(struct strbuf *out, const char *text) {
    assert_string_equal(strbuf_text(out), text);
    strbuf_release(out);
}

static void a_heading_is_a_line_whatever_its_text(void **state) {
    (void)state;
    struct strbuf out = {0};
    md_heading(&out, 2, SLICE("Weights (12.5 MB)"));
    md_heading(&out, 3, SLICE("a*b\n# c"));
    expect(&out, "## Weights (12.5 MB)\n### a\\*b # c\n");
}

static void a_table_has_a_column_for_every_heading(void **state) {
    (void)state;
    struct strbuf out = {0};
    md_table(&out, SLICE("Op|>MB|>change per bank|"));
    md_cellf(&out, "%u", 12u);
    md_cell(&out, SLICE("a|b"), 0);
    md_cell(&out, SLICE(""), 0);
    md_cell_open(&out);
    md_row_end(&out);
    expect(&out, "| Op | MB | change per bank | |\n|----|---:|----------------:|---|\n| 12 | a\\|b | N/A | |\n");
}

static void empty_cells_stay_cells(void **state) {
    (void)state;
    struct strbuf out = {0};
    md_cell_open(&out);
    md_cell_open(&out);
    md_cellf(&out, "x ");
    md_cell_open(&out);
    md_row_end(&out);
    expect(&out, "| | | x | |\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heading_is_a_line_whatever_its_text),
        cmocka_unit_test(a_table_has_a_column_for_every_heading),
        cmocka_unit_test(empty_cells_stay_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
