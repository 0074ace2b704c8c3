/* SPDX-License-Identifier: Apache-2.0 */
/* What libttmem prints, the training report reads back to the same numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "parse/foreign/train.h"
#include "usage/summary.h"

#define MB(n) ((int64_t)(n)*1048576)

static void a_printed_summary_is_read_back(void **state) {
    (void)state;
    const struct usage_line lines[] = {{SLICE("ENTRY"), 0, 0, 0, 0, 0, 0},
                                       {SLICE("MODEL_CREATION"), MB(2112), MB(4203), MB(2098), 304087, 0, 304087},
                                       {SLICE("FORWARD_PASS_micro_0"), MB(7642), MB(7767), MB(125), 985661, 1048576, 2034237},
                                       {SLICE("BACKWARD_PASS_micro_0"), MB(500), MB(13392), MB(18929), 0, 0, 0}};
    static const int64_t expected[4][TRAIN_FIGURES] = {{0},
                                                       {2112000, 4203000, 2098000, 2105000, 2112000, 2105000, 290, 0, 290},
                                                       {7642000, 7767000, 125000, 7642000, 9747000, 9747000, 940, 1000, 1940},
                                                       {500000, 13392000, 18929000, -5537000, 10247000, 4210000, 0, 0, 0}};
    struct strbuf text = {0};
    usage_summary(&text, lines, 4);
    struct train_log log = {0};
    train_parse(&log, SLICE("printed"), strbuf_slice(&text));
    strbuf_release(&text);
    assert_int_equal(log.summaries.len, 1);
    const struct train_summary *s = &log.summaries.items[0];
    assert_int_equal(s->phases.len, 4);
    for (size_t p = 0; p < 4; p++) {
        assert_true(slice_equal(s->phases.items[p].name, lines[p].name));
        for (enum train_figure f = 0; f < TRAIN_FIGURES; f++) {
            assert_true(train_has(&s->phases.items[p], f));
            assert_int_equal(s->phases.items[p].mb[f], expected[p][f]);
        }
    }
    assert_int_equal(s->overall_peak.value, 10247000);
    assert_int_equal(s->final_usage.value, 4210000);
    train_log_release(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_printed_summary_is_read_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
