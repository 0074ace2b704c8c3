/* SPDX-License-Identifier: Apache-2.0 */
/* What stands out in a run, and the report for agents. Expected values follow by arithmetic from the logs written here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/run/fragmentation.h"
#include "analysis/run/live.h"
#include "analysis/run/op_mix.h"
#include "analysis/run/op_padding.h"
#include "analysis/run/report_figures.h"
#include "analysis/run/thresholds.h"
#include "analysis/run/top_ops.h"
#include "model/read.h"
#include "base/amounts.h"
#include "render/format/markdown.h"
#include "render/markdown/report_md.h"
#include "render/markdown/tokens.h"

#define TILED(shape, tiles)                                                               \
    "tensor<" shape "xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<" tiles \
    "x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>"
#define PADDED TILED("8x1000", "1x32") /* 16000 bytes in 32 tiles of 2048: 65536 */
#define WHOLE TILED("64x64", "2x2")    /* 8192 bytes, no padding */

static void line(struct strbuf *log, const char *text) { strbuf_addf(log, "RuntimeTTNN |    DEBUG | %s\n", text); }

static void add_op(struct strbuf *log, unsigned result, const char *name, const char *type, const char *location) {
    strbuf_addf(log, "RuntimeTTNN |    DEBUG | Executing operation: %%%u = \"%s\"(%%arg0) : (%s) -> %s loc(\"%s\")\n", result,
                name, type, type, location);
}

static void add_pool(struct strbuf *log, const char *pool, unsigned banks, unsigned total, unsigned allocated,
                     unsigned free_bytes, unsigned largest) {
    strbuf_addf(log,
                "Always |     INFO | Device %s memory state: MemoryView{numBanks: %u, totalBytesPerBank: %u.%03u MB, "
                "totalBytesAllocatedPerBank: "
                "%u.%03u MB, totalBytesFreePerBank: %u.%03u MB, largestContiguousBytesFreePerBank: %u.%03u MB}\n",
                pool, banks, total / 1000, total % 1000, allocated / 1000, allocated % 1000, free_bytes / 1000,
                free_bytes % 1000, largest / 1000, largest % 1000);
}

/* Banks of 100 MB; figures in thousandths. */
static void add_block(struct strbuf *log, const char *op_type, unsigned allocated, unsigned largest) {
    strbuf_addf(log, "Always |     INFO | Device memory state before operation %s\n", op_type);
    add_pool(log, "DRAM", 12, 100000, allocated, 100000 - allocated, largest);
    add_pool(log, "L1", 64, 1270, 0, 1270, 1270);
    add_pool(log, "TRACE", 12, 0, 0, 0, 0);
}

static void read_log(struct strbuf *log, struct run *run) {
    *run = (struct run){0};
    struct run_feed *feed = run_feed_new(run);
    run_feed_bytes(feed, strbuf_slice(log));
    run_feed_finish(feed);
    strbuf_release(log);
}

/* Three records: #0 leaves 12 MB, #1 shows 15 MB only before the deallocate after it, #2 is followed by nothing. */
static void small_run(struct run *run) {
    struct strbuf log = {0};
    line(&log, "Starting execution of program: main");
    add_op(&log, 0, "ttnn.add", PADDED, "first");
    add_block(&log, "EltwiseBinaryOp", 10000, 90000);
    add_op(&log, 1, "ttnn.relu", WHOLE, "second");
    add_block(&log, "EltwiseUnaryOp", 12000, 80000);
    line(&log, "Executing operation: \"ttnn.deallocate\"(%0) <{force = false}> : (" PADDED ") -> () loc(\"second\")");
    add_block(&log, "DeallocateOp", 15000, 60000);
    add_op(&log, 2, "ttir.add", PADDED, "third");
    add_block(&log, "EltwiseBinaryOp", 11000, 70000);
    line(&log, "Finished execution of program: main");
    read_log(&log, run);
    assert_int_equal(run->records.len, 3);
}

static void a_record_reaches_the_highest_state_up_to_the_next_record(void **state) {
    (void)state;
    struct run run;
    small_run(&run);
    uint32_t *reached = records_reached(&run, POOL_DRAM);
    assert_int_equal(reached[0], 12000);
    assert_int_equal(reached[1], 15000);
    assert_int_equal(reached[2], 11000);
    free(reached);
    run_release(&run);
}

static void check_row(const struct top_ops *top, size_t row, uint32_t record, int64_t value) {
    assert_true(row < top->rows.len);
    assert_int_equal(top->rows.items[row].record, record);
    assert_int_equal(top->rows.items[row].value, value);
}

static void top_ops_are_largest_first(void **state) {
    (void)state;
    struct run run;
    struct top_ops top;
    small_run(&run);
    top_ops_find(&run, TOP_DRAM, 2, NULL, &top);
    assert_int_equal(top.rows.len, 2);
    assert_int_equal(top.candidates, 3);
    check_row(&top, 0, 1, 15000);
    check_row(&top, 1, 0, 12000);
    top_ops_release(&top);
    top_ops_find(&run, TOP_GROWTH, 10, NULL, &top);
    assert_int_equal(top.rows.len, 2);
    check_row(&top, 0, 1, 3000);
    check_row(&top, 1, 0, 2000);
    top_ops_release(&top);
    top_ops_find(&run, TOP_L1, 10, NULL, &top); /* nothing in L1: nothing to list */
    assert_int_equal(top.rows.len, 0);
    top_ops_release(&top);
    run_release(&run);
}

static void padding_counts_results_that_have_some_and_ties_keep_their_order(void **state) {
    (void)state;
    struct run run;
    struct top_ops top;
    small_run(&run);
    top_ops_find(&run, TOP_PADDING, 0, NULL, &top);
    assert_int_equal(top.rows.len, 2);
    check_row(&top, 0, 0, 65536 - 16000);
    check_row(&top, 1, 2, 65536 - 16000);
    struct op_padding padding = op_padding(&run, &run.ops.items[run.steps.items[run.records.items[0]].op]);
    assert_int_equal(padding.logical_bytes, 16000);
    assert_int_equal(padding.padded_bytes, 65536);
    top_ops_release(&top);
    run_release(&run);
}

enum { MANY = 700 };

static unsigned scattered(unsigned i) { return 1 + i * 7919 % 211; }

/* A limit drops rows on the way; the outcome is that of sorting all. */
static void a_limit_gives_the_front_of_the_whole_list(void **state) {
    (void)state;
    struct strbuf log = {0};
    struct run run;
    for (unsigned i = 0; i < MANY; i++) {
        add_op(&log, i, "ttnn.add", WHOLE, "x");
        add_block(&log, "EltwiseBinaryOp", i ? scattered(i - 1) : 1, 1000);
    }
    read_log(&log, &run);
    assert_int_equal(run.records.len, MANY);
    struct top_ops all, few;
    top_ops_find(&run, TOP_DRAM, 0, NULL, &all);
    assert_int_equal(all.rows.len, MANY);
    for (size_t i = 0; i + 1 < all.rows.len; i++) {
        const struct top_op *a = &all.rows.items[i], *b = &all.rows.items[i + 1];
        assert_true(a->value > b->value || (a->value == b->value && a->record < b->record));
        if (a->record < MANY - 1) assert_int_equal(a->value, scattered(a->record));
    }
    static const size_t limits[] = {1, 7, 64, 400};
    for (size_t k = 0; k < 4; k++) {
        top_ops_find(&run, TOP_DRAM, limits[k], NULL, &few);
        assert_int_equal(few.rows.len, limits[k]);
        assert_int_equal(few.candidates, MANY);
        for (size_t i = 0; i < few.rows.len; i++) check_row(&few, i, all.rows.items[i].record, all.rows.items[i].value);
        top_ops_release(&few);
    }
    top_ops_release(&all);
    run_release(&run);
}

static void fragmentation_is_worst_where_free_and_largest_are_farthest_apart(void **state) {
    (void)state;
    struct run run;
    struct fragmentation pools[POOL_COUNT];
    small_run(&run);
    fragmentation_find(&run, pools);
    const struct fragmentation *dram = &pools[POOL_DRAM];
    /* gaps: 90-90, 88-80, 85-60, 89-70 */
    assert_true(dram->seen);
    assert_int_equal(free_gap(&dram->worst), 25000);
    assert_int_equal(dram->worst.free, 85000);
    assert_int_equal(dram->worst.after_record, 1);
    assert_int_equal(dram->tightest.largest, 60000);
    assert_true(pools[POOL_L1].seen);
    assert_int_equal(free_gap(&pools[POOL_L1].worst), 0);
    assert_int_equal(pools[POOL_L1].worst.after_record, NONE);
    assert_false(pools[POOL_TRACE].seen);
    assert_false(pools[POOL_L1_SMALL].seen);
    run_release(&run);
}

static void a_cut_pool_line_says_nothing_about_fragmentation(void **state) {
    (void)state;
    struct strbuf log = {0};
    struct run run;
    struct fragmentation pools[POOL_COUNT];
    add_op(&log, 0, "ttnn.add", WHOLE, "x");
    add_block(&log, "EltwiseBinaryOp", 10000, 90000);
    add_op(&log, 1, "ttnn.add", WHOLE, "x");
    strbuf_addz(&log,
                "Always |     INFO | Device memory state before operation EltwiseBinaryOp\n"
                "Always |     INFO | Device DRAM memory state: MemoryView{numBanks: 12, totalBytesPerBank: 100.000 MB, "
                "totalBytesAllocatedPerBank: 50.000 MB, totalBytesFreePerBank: 50.000 MB, largestCont\n");
    read_log(&log, &run);
    fragmentation_find(&run, pools);
    assert_int_equal(free_gap(&pools[POOL_DRAM].worst), 0);
    assert_int_equal(pools[POOL_DRAM].tightest.largest, 90000);
    run_release(&run);
}

/* A target is to be below its percentage, a problem begins above it. */
static void targets_are_missed_at_their_percentage_and_problems_begin_above(void **state) {
    (void)state;
    static const struct {
        enum metric metric;
        uint64_t part, whole;
        unsigned percent; /* 0: none */
    } rows[] = {
        {METRIC_DRAM, 799, 1000, 0},    {METRIC_DRAM, 800, 1000, 80},
        {METRIC_DRAM, 801, 1000, 80},   {METRIC_DRAM, 900, 1000, 80},
        {METRIC_DRAM, 901, 1000, 90},   {METRIC_L1, 899, 1000, 0},
        {METRIC_L1, 900, 1000, 90},     {METRIC_L1, 950, 1000, 90},
        {METRIC_L1, 901, 1000, 90},     {METRIC_L1, 951, 1000, 95},
        {METRIC_PADDING, 500, 1000, 0}, {METRIC_PADDING, 501, 1000, 50},
        {METRIC_DRAM, 5, 0, 0},         {METRIC_PADDING, UINT64_MAX, UINT64_MAX / 2, 50},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct threshold *t = threshold_crossed(rows[i].metric, rows[i].part, rows[i].whole);
        assert_int_equal(t ? t->percent : 0, rows[i].percent);
    }
}

static void a_percentage_beside_a_limit_is_told_from_it(void **state) {
    (void)state;
    static const struct {
        uint64_t part, whole;
        unsigned percent;
        const char *text;
    } rows[] = {{80, 100, 80, "80.0%"},
                {8004, 10000, 80, "80.04%"},
                {929, 1000, 90, "92.9%"},
                {900001, 1000000, 90, "90.0001%"},
                {3672001, 4080000, 90, "90.00002%"},
                {5, 0, 90, "0.0%"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strbuf out = {0};
        add_percent_beside(&out, rows[i].part, rows[i].whole, rows[i].percent);
        assert_string_equal(strbuf_text(&out), rows[i].text);
        strbuf_release(&out);
    }
}

static void kinds_of_ops_are_counted_by_their_last_name(void **state) {
    (void)state;
    struct run run;
    struct overview overview;
    struct op_mix mix;
    small_run(&run);
    overview_make(&run, &overview);
    op_mix_make(&run, &overview, &mix);
    assert_int_equal(mix.kinds.len, 2);
    assert_true(slice_equal(mix.kinds.items[0].name, SLICE("add")));
    assert_int_equal(mix.kinds.items[0].records, 2);
    assert_true(slice_equal(mix.kinds.items[1].name, SLICE("relu")));
    assert_true(slice_equal(op_short_name(SLICE("odd.")), SLICE("odd.")));
    op_mix_release(&mix);
    overview_release(&overview);
    run_release(&run);
}

static void what_is_not_attributed_may_be_negative(void **state) {
    (void)state;
    struct live_set set = {.sum = {.per_bank_bytes = 3 * 1048576}};
    assert_int_equal(live_unattributed(&set, 10000), 7000);
    assert_int_equal(live_unattributed(&set, 2500), -500);
}

static void text_of_a_log_stays_in_its_cell(void **state) {
    (void)state;
    static const struct {
        const char *given;
        size_t most;
        const char *shown;
    } rows[] = {
        {"a|b", 0, "a\\|b"},
        {"a\\|b", 0, "a\\\\\\|b"},
        {"`x`", 0, "\\`x\\`"},
        {"<script>alert(1)</script>", 0, "&lt;script>alert(1)&lt;/script>"},
        {"&lt;", 0, "\\&lt;"},
        {"![i](http://h)", 0, "![i]\\(http://h)"},
        {"[i](http://h)", 0, "\\[i]\\(http://h)"},
        {"309|Model[model]|Layer[model.layers.29](x)", 0, "309\\|Model[model]\\|Layer[model.layers.29]\\(x)"},
        {"[a]: http://h", 0, "\\[a]: http://h"},
        {"x[^1]", 0, "x\\[^1]"},
        {"**b**", 0, "\\*\\*b\\*\\*"},
        {"-1|x", 0, "-1\\|x"},
        {"l__self___fc_weight", 0, "l__self___fc_weight"},
        {"__init__ a_ _b", 0, "\\_\\_init\\_\\_ a\\_ \\_b"},
        {"~~gone~~", 0, "\\~\\~gone\\~\\~"},
        {"a\nb\rc\td\x1b[0m", 0,
         "a b\xef\xbf\xbd"
         "c d\xef\xbf\xbd[0m"},
        {"bad \xff\xc3 utf8", 0, "bad \xef\xbf\xbd\xef\xbf\xbd utf8"},
        {"right\xe2\x80\xaeleft", 0, "right\xef\xbf\xbdleft"},
        {"0123456789", 10, "0123456789"},
        {"01234567890", 10, "0123456..."},
        {"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 4, "\xc3\xa4..."},
        {"||||||", 5, "\\|\\|..."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strbuf out = {0};
        md_text(&out, slice_from(rows[i].given), rows[i].most);
        assert_string_equal(strbuf_text(&out), rows[i].shown);
        strbuf_release(&out);
    }
}

static void text_at_the_start_of_an_item_opens_no_block(void **state) {
    (void)state;
    static const char *const rows[][2] = {{"# h", "\\# h"},   {"> q", "\\> q"},     {"- i", "\\- i"}, {"matmul", "matmul"},
                                          {"1. i", "1\\. i"}, {"12) i", "12\\) i"}, {"1x", "1x"},     {"", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strbuf out = {0};
        md_item(&out, slice_from(rows[i][0]), 60);
        assert_string_equal(strbuf_text(&out), rows[i][1]);
        strbuf_release(&out);
    }
}

/* Inside a code span nothing but backticks has a meaning: a longer fence takes it from them. */
static void a_code_span_holds_any_text(void **state) {
    (void)state;
    static const char *const rows[][2] = {{"ttmem op a.log 1", "`ttmem op a.log 1`"},
                                          {"a`b", "``a`b``"},
                                          {"a``b`", "``` a``b` ```"},
                                          {"'a|b' *c*", "`'a|b' *c*`"},
                                          {"a\nb\x1b", "`a b\xef\xbf\xbd`"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strbuf out = {0};
        md_code(&out, slice_from(rows[i][0]), false);
        assert_string_equal(strbuf_text(&out), rows[i][1]);
        strbuf_release(&out);
    }
}

static void a_code_span_in_a_cell_does_not_end_it(void **state) {
    (void)state;
    struct strbuf out = {0};
    md_code(&out, SLICE("a|b"), true);
    assert_string_equal(strbuf_text(&out), "`a\\|b`");
    strbuf_release(&out);
}

/* Long hostile names everywhere, thresholds crossed, a failure: the longest report there can be. */
static void hostile_run(struct run *run) {
    struct strbuf log = {0};
    char name[400], place[400];
    memset(name, '|', sizeof name);
    memset(place, '`', sizeof place);
    name[399] = place[399] = '\0';
    for (unsigned i = 0; i < 40; i++) {
        char op[500];
        snprintf(op, sizeof op, "ttnn.%u%s", i, name);
        add_op(&log, i, op, PADDED, place);
        add_block(&log, "SomeOp", 95000 + i, 100);
    }
    strbuf_addz(&log,
                "2026-06-11 13:22:58.447 | critical |          Always | TT_FATAL: Out of Memory: Not enough space to allocate "
                "167772160 B DRAM "
                "buffer across 12 banks, where each bank needs to store 13983744 B, but bank size is 1071821792 B (allocated: "
                "1016636448 B, "
                "free: 55185344 B, largest free block: 8713184 B) (assert.hpp:104)\n");
    read_log(&log, run);
}

static void a_report_never_exceeds_the_tokens_asked_for(void **state) {
    (void)state;
    struct run run;
    struct overview overview;
    struct report_figures figures;
    char name[300];
    hostile_run(&run);
    overview_make(&run, &overview);
    report_figures_make(&run, &overview, &figures);
    memset(name, '*', sizeof name);
    struct report_request request = {.name = slice_of(name, sizeof name), .path = "a.log"};
    struct strbuf whole = {0};
    report_md(&whole, &run, &overview, &figures, &request);
    assert_true(tokens_of(strbuf_slice(&whole)) > 3000);
    for (uint64_t n = REPORT_TOKENS_MIN; n < tokens_of(strbuf_slice(&whole)) + 50; n += 23) {
        struct strbuf text = {0};
        request.max_tokens = n;
        report_md(&text, &run, &overview, &figures, &request);
        assert_true(tokens_of(strbuf_slice(&text)) <= n);
        struct slice s = strbuf_slice(&text);
        assert_true(slice_find(s, SLICE("# Memory Profile: ")) == 0);
        assert_true(slice_find(s, SLICE("Out of DRAM: fragmented")) != SLICE_NONE);
        assert_int_equal(slice_find(s, SLICE("*Left out to stay within")) != SLICE_NONE, tokens_of(strbuf_slice(&whole)) > n);
        strbuf_release(&text);
    }
    strbuf_release(&whole);
    report_figures_release(&figures);
    overview_release(&overview);
    run_release(&run);
}

/* Every row of every table has as many cells as its head. */
static void hostile_names_break_no_table(void **state) {
    (void)state;
    struct run run;
    struct overview overview;
    struct report_figures figures;
    struct strbuf text = {0};
    hostile_run(&run);
    overview_make(&run, &overview);
    report_figures_make(&run, &overview, &figures);
    struct report_request request = {.name = SLICE("x"), .path = "a.log"};
    report_md(&text, &run, &overview, &figures, &request);
    struct slice rest = strbuf_slice(&text);
    size_t cells = 0, rows = 0;
    while (rest.len) {
        size_t end = slice_find_byte(rest, '\n'), bars = 0;
        struct slice one = slice_take(rest, end);
        rest = slice_skip(rest, end + 1);
        if (!slice_starts(one, SLICE("|"))) {
            cells = 0;
            continue;
        }
        for (size_t i = 0; i < one.len; i++) {
            if (one.ptr[i] == '\\') i++;
            else bars += one.ptr[i] == '|';
        }
        if (!cells) cells = bars;
        assert_int_equal(bars, cells);
        rows++;
    }
    assert_true(rows > 30);
    strbuf_release(&text);
    report_figures_release(&figures);
    overview_release(&overview);
    run_release(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_percentage_beside_a_limit_is_told_from_it),
        cmocka_unit_test(a_record_reaches_the_highest_state_up_to_the_next_record),
        cmocka_unit_test(top_ops_are_largest_first),
        cmocka_unit_test(padding_counts_results_that_have_some_and_ties_keep_their_order),
        cmocka_unit_test(a_limit_gives_the_front_of_the_whole_list),
        cmocka_unit_test(fragmentation_is_worst_where_free_and_largest_are_farthest_apart),
        cmocka_unit_test(a_cut_pool_line_says_nothing_about_fragmentation),
        cmocka_unit_test(targets_are_missed_at_their_percentage_and_problems_begin_above),
        cmocka_unit_test(kinds_of_ops_are_counted_by_their_last_name),
        cmocka_unit_test(what_is_not_attributed_may_be_negative),
        cmocka_unit_test(text_of_a_log_stays_in_its_cell),
        cmocka_unit_test(text_at_the_start_of_an_item_opens_no_block),
        cmocka_unit_test(a_code_span_holds_any_text),
        cmocka_unit_test(a_code_span_in_a_cell_does_not_end_it),
        cmocka_unit_test(a_report_never_exceeds_the_tokens_asked_for),
        cmocka_unit_test(hostile_names_break_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
