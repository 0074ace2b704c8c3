/* SPDX-License-Identifier: Apache-2.0 */
#include "testing.h"

#include "analysis/compare/budget.h"
#include "analysis/compare/diff.h"
#include "analysis/compare/diff_parts.h"

/* A run of one pool: 1000 MB per bank, 800 MB at the peak, never less than 100 MB free in one block. */
static void make_run(struct footprint *f, uint32_t peak) {
    *f = (struct footprint){0};
    f->pools[POOL_DRAM] = (struct footprint_pool){.seen = true,
                                                  .banks = 12,
                                                  .total = 1000000,
                                                  .peak = peak,
                                                  .after_op = NONE,
                                                  .free_seen = true,
                                                  .largest_free = 100000,
                                                  .largest_free_op = NONE,
                                                  .gap_op = NONE};
}

static enum judgement_state judge(enum rule_kind kind, const char *text, uint32_t peak, uint32_t base) {
    struct budget budget = {0};
    struct footprint run, baseline;
    struct err err = {0};
    make_run(&run, peak);
    make_run(&baseline, base);
    assert_int_equal(budget_add(&budget, kind, slice_from(text), &err), 0);
    struct judgement j = budget_judge(&budget.rules.items[0], &run, base ? &baseline : NULL);
    budget_release(&budget);
    return j.state;
}

static void a_share_is_of_the_bank(void **state) {
    (void)state;
    assert_int_equal(judge(RULE_MAX, "dram.peak=80%", 800000, 0), JUDGED_OK);
    assert_int_equal(judge(RULE_MAX, "dram.peak=80%", 800001, 0), JUDGED_BREACH);
    assert_int_equal(judge(RULE_MAX, "dram.peak 79.9%", 800000, 0), JUDGED_BREACH);
}

static void an_amount_is_in_powers_of_1024(void **state) {
    (void)state;
    assert_int_equal(judge(RULE_MIN, "dram.largest_free=100MB", 800000, 0), JUDGED_OK);
    assert_int_equal(judge(RULE_MIN, "dram.largest_free=104857601B", 800000, 0), JUDGED_BREACH);
}

static void a_sign_compares_with_the_baseline(void **state) {
    (void)state;
    assert_int_equal(judge(RULE_MAX, "dram.peak=+1%", 808000, 800000), JUDGED_OK);
    assert_int_equal(judge(RULE_MAX, "dram.peak=+1%", 808001, 800000), JUDGED_BREACH);
    assert_int_equal(judge(RULE_MAX, "dram.peak=+8MB", 808000, 800000), JUDGED_OK);
    assert_int_equal(judge(RULE_MAX, "dram.peak=-1%", 793000, 800000), JUDGED_BREACH);
    assert_int_equal(judge(RULE_MAX, "dram.peak=+1%", 800000, 0), JUDGED_NOT);
}

static void what_the_run_does_not_tell_is_not_passed(void **state) {
    (void)state;
    assert_int_equal(judge(RULE_MAX, "l1.peak=90%", 1, 0), JUDGED_NOT);
    assert_int_equal(judge(RULE_MAX, "padding.dram=50%", 1, 0), JUDGED_NOT);
    assert_int_equal(judge(RULE_MAX, "growth_per_pass=0", 1, 0), JUDGED_NOT);
    assert_int_equal(judge(RULE_MAX, "never_freed=0", 1, 0), JUDGED_NOT);
}

/* A log that ends inside a program shows ops that ran; more may have. A count above the limit is above it all the same. */
static void counts_of_a_cut_log_are_lower_bounds(void **state) {
    (void)state;
    static const struct {
        enum rule_kind kind;
        const char *rule;
        enum judgement_state wanted;
    } cases[] = {{RULE_MAX, "ops=3", JUDGED_NOT},
                 {RULE_MAX, "ops=2", JUDGED_BREACH},
                 {RULE_MIN, "ops=3", JUDGED_OK},
                 {RULE_MIN, "ops=4", JUDGED_NOT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct footprint run;
        struct budget budget = {0};
        struct err err = {0};
        make_run(&run, 800000);
        run.op_count = 3;
        run.ends_early = true;
        assert_int_equal(budget_add(&budget, cases[i].kind, slice_from(cases[i].rule), &err), 0);
        assert_int_equal(budget_judge(&budget.rules.items[0], &run, NULL).state, cases[i].wanted);
        budget_release(&budget);
        footprint_release(&run);
    }
}

static void nonsense_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "dram.peek=1%",
                                      "dram.peak",
                                      "dram.peak=",
                                      "dram.peak=lots",
                                      "dram.peak=1%x",
                                      "dram.peak>1%",
                                      "ops=3MB",
                                      "dram.peak=99999999999999999999%"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct budget budget = {0};
        struct err err = {0};
        assert_int_equal(budget_add(&budget, RULE_MAX, slice_from(bad[i]), &err), -1);
        assert_int_equal(err.code, ERR_USAGE);
        budget_release(&budget);
    }
}

static void a_condition_breaks_when_it_holds(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum judgement_state wanted;
    } cases[] = {{"dram.peak > 800MB", JUDGED_OK},
                 {"dram.peak >= 800MB", JUDGED_BREACH},
                 {"dram.largest_free<100MB", JUDGED_OK},
                 {"dram.largest_free <= 100MB", JUDGED_BREACH},
                 {"dram.peak > +0%", JUDGED_BREACH}};
    struct footprint run, baseline;
    make_run(&run, 800000);
    make_run(&baseline, 799999);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct budget budget = {0};
        struct err err = {0};
        assert_int_equal(budget_add_condition(&budget, slice_from(cases[i].text), &err), 0);
        assert_int_equal(budget_judge(&budget.rules.items[0], &run, &baseline).state, cases[i].wanted);
        budget_release(&budget);
    }
    struct budget budget = {0};
    struct err err = {0};
    assert_int_equal(budget_add_condition(&budget, SLICE("dram.peak = 3"), &err), -1);
    assert_int_equal(budget_add_condition(&budget, SLICE("dram.peak >> 3"), &err), -1);
    assert_int_equal(budget_add_condition(&budget, SLICE("dram.peak >== 3"), &err), -1);
    budget_release(&budget);
}

static void sections_apply_to_runs_of_their_name(void **state) {
    (void)state;
    static const char text[] =
        "# for every model\n"
        "max dram.peak 80%   # of the bank\n"
        "no-failure\n"
        "\n"
        "[llama*]\n"
        "max dram.peak = 90%\r\n"
        "min dram.largest_free 64MB\n"
        "[model resnet]\n"
        "max l1.peak 50%\n";
    struct budget llama = {0}, resnet = {0};
    struct err err = {0};
    assert_int_equal(budget_read(&llama, slice_from(text), "budget", SLICE("llama-70b"), &err), 0);
    assert_int_equal(llama.rules.len, 3);
    assert_int_equal(llama.rules.items[0].amount, 90000);
    assert_int_equal(llama.rules.items[0].line, 6);
    assert_int_equal(llama.rules.items[1].kind, RULE_NO_FAILURE);
    assert_int_equal(budget_read(&resnet, slice_from(text), "budget", SLICE("resnet"), &err), 0);
    assert_int_equal(resnet.rules.len, 3);
    assert_int_equal(resnet.rules.items[0].amount, 80000);
    budget_release(&llama);
    budget_release(&resnet);
}

static void a_mistake_in_a_file_names_its_line_also_in_other_sections(void **state) {
    (void)state;
    struct budget budget = {0};
    struct err err = {0};
    assert_int_equal(budget_read(&budget, SLICE("max dram.peak 1%\n[other]\nmaximum x\n"), "b", SLICE("this"), &err), -1);
    assert_true(strncmp(err.text, "b:3:", 4) == 0);
    budget_release(&budget);
}

static void growth_is_measured_behind_the_first_pass(void **state) {
    (void)state;
    int64_t growth;
    assert_false(footprint_growth(&(struct footprint_program){.passes = 1, .first = 5, .last = 5}, &growth));
    assert_true(footprint_growth(&(struct footprint_program){.passes = 2, .first = 100, .second = 130, .last = 130}, &growth));
    assert_int_equal(growth, 30);
    assert_true(footprint_growth(&(struct footprint_program){.passes = 5, .first = 0, .second = 100, .last = 130}, &growth));
    assert_int_equal(growth, 10);
    /* less than one part each is still a leak */
    assert_true(footprint_growth(&(struct footprint_program){.passes = 1002, .first = 0, .second = 100, .last = 101}, &growth));
    assert_int_equal(growth, 1);
    /* a slope with bounds takes their place: nothing where they include 0 */
    struct footprint_program noisy = {.passes = 30,
                                      .first = 0,
                                      .second = 0,
                                      .last = 200,
                                      .slope = {.known = true, .per_step = 7000, .low = -50, .high = 9000}};
    assert_true(footprint_growth(&noisy, &growth));
    assert_int_equal(growth, 0);
    noisy.slope.rises = true;
    noisy.slope.low = 6000;
    assert_true(footprint_growth_bytes(&noisy, &growth));
    assert_int_equal(growth, 7000);
}

/* 1000 x 2048 in tiles of 32 x 32 is stored as 1024 x 2048. */
static struct footprint_type type_of(struct footprint *f, const char *shape, const char *dtype, const char *layout,
                                     uint64_t logical, uint64_t padded) {
    return (struct footprint_type){.shape = strtab_id(&f->strings, slice_from(shape)),
                                   .dtype = strtab_id(&f->strings, slice_from(dtype)),
                                   .layout = strtab_id(&f->strings, slice_from(layout)),
                                   .logical_bytes = logical,
                                   .padded_bytes = padded,
                                   .per_bank_bytes = padded / 8};
}

static void the_parts_of_a_change_add_up_to_it(void **state) {
    (void)state;
    struct footprint f = {0};
    struct footprint_type bf16 = type_of(&f, "1000x2048", "bf16", "tile", 1000 * 2048 * 2, 1024 * 2048 * 2);
    struct footprint_type f32 = type_of(&f, "1000x2048", "f32", "tile", 1000 * 2048 * 4, 1024 * 2048 * 4);
    struct footprint_type rows = type_of(&f, "1000x2048", "bf16", "row major", 1000 * 2048 * 2, 1000 * 2048 * 2);
    struct footprint_type larger = type_of(&f, "2000x2048", "bf16", "tile", 2000 * 2048 * 2, 2016 * 2048 * 2);
    struct footprint_type both = type_of(&f, "2000x2048", "f32", "tile", 2000 * 2048 * 4, 2016 * 2048 * 4);
    int64_t by[CAUSE_COUNT] = {0};
    diff_split(&f, &bf16, &f, &f32, false, by);
    assert_int_equal(by[CAUSE_DTYPE], 1024 * 2048 * 2 / 8);
    memset(by, 0, sizeof by);
    diff_split(&f, &bf16, &f, &rows, false, by);
    assert_int_equal(by[CAUSE_LAYOUT], -24 * 2048 * 2 / 8);
    memset(by, 0, sizeof by);
    diff_split(&f, &bf16, &f, &larger, false, by); /* 1000 rows more, 16 rows of padding in place of 24 */
    assert_int_equal(by[CAUSE_SHAPE], 1000 * 2048 * 2 / 8);
    assert_int_equal(by[CAUSE_PADDING], -8 * 2048 * 2 / 8);
    memset(by, 0, sizeof by);
    diff_split(&f, &bf16, &f, &both, false, by);
    int64_t sum = 0;
    for (unsigned i = 0; i < CAUSE_COUNT; i++) sum += by[i];
    assert_int_equal(sum, (int64_t)both.per_bank_bytes - (int64_t)bf16.per_bank_bytes);
    assert_int_equal(by[CAUSE_SHAPE], 1000 * 2048 * 2 / 8);
    assert_int_equal(by[CAUSE_DTYPE], 2000 * 2048 * 2 / 8);
    /* nearly all of a bias is padding: a matrix in its place is not made out to be less padding */
    struct footprint_type bias = type_of(&f, "1x512", "bf16", "tile", 512 * 2, 32 * 512 * 2);
    struct footprint_type matrix = type_of(&f, "512x512", "bf16", "tile", 512 * 512 * 2, 512 * 512 * 2);
    memset(by, 0, sizeof by);
    diff_split(&f, &bias, &f, &matrix, false, by);
    assert_int_equal(by[CAUSE_SHAPE], 511 * 512 * 2 / 8);
    assert_int_equal(by[CAUSE_PADDING], -31 * 512 * 2 / 8);
    footprint_release(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_is_of_the_bank),
        cmocka_unit_test(an_amount_is_in_powers_of_1024),
        cmocka_unit_test(a_sign_compares_with_the_baseline),
        cmocka_unit_test(what_the_run_does_not_tell_is_not_passed),
        cmocka_unit_test(counts_of_a_cut_log_are_lower_bounds),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(a_condition_breaks_when_it_holds),
        cmocka_unit_test(sections_apply_to_runs_of_their_name),
        cmocka_unit_test(a_mistake_in_a_file_names_its_line_also_in_other_sections),
        cmocka_unit_test(growth_is_measured_behind_the_first_pass),
        cmocka_unit_test(the_parts_of_a_change_add_up_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
