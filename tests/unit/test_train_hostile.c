/* SPDX-License-Identifier: Apache-2.0 */
/* Training summaries that mislead: peaks outside the passes, figures beyond reason, cut ends, more than a picture can hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "analysis/train/train.h"
#include "render/train/train.h"
#include "render/train/train_chart.h"

#define HEAD "=== Memory Usage Summary ===\n\n"
#define DRAM(segment, allocated, freed, change, peak, current)                                                              \
    "  DRAM: Segment Peak " segment " MB, Allocations " allocated " MB, Deallocations " freed " MB, Segment Change " change \
    " MB\n  DRAM: Cumulative Peak " peak " MB, Cumulative Current " current " MB\n"
#define NO_L1 "  L1: Peak CB 0.00 MB, Peak Buffer 0.00 MB, Peak Total 0.00 MB\n"
#define TOTALS(peak, usage) "\n=== Final Totals ===\nOverall DRAM Peak: " peak " MB, Final DRAM Usage: " usage " MB\n\n"
#define DEVICE "Available Device Memory: 12288 MB\n"
#define SMALL \
    HEAD "--- MODEL_CREATION ---\n" DRAM("10.00", "10.00", "0.00", "+10.00", "10.00", "10.00") NO_L1 TOTALS("10.00", "10.00")

struct run {
    struct train_log log;
    struct train_report report;
    const struct train_result *first;
    struct strbuf out;
};

static struct run *run_of(const char *text) {
    static struct run run;
    run = (struct run){0};
    train_parse(&run.log, SLICE("train.log"), slice_from(text));
    train_analyze(&run.report, &run.log, &(struct train_options){0});
    run.first = run.report.results.items;
    return &run;
}

static const char *text_of(struct run *run) {
    strbuf_clear(&run->out);
    train_text(&run->out, &run->report, &(struct term){.utf8 = true});
    return strbuf_text(&run->out);
}

static const char *json_of(struct run *run) {
    strbuf_clear(&run->out);
    train_json(&run->out, &run->report, &(struct term){0});
    return strbuf_text(&run->out);
}

static void done(struct run *run) {
    train_report_release(&run->report);
    train_log_release(&run->log);
    strbuf_release(&run->out);
}

static bool offers(const struct train_result *r, enum train_advice_kind kind) {
    for (size_t i = 0; i < r->advice.len; i++)
        if (r->advice.items[i].kind == kind) return true;
    return false;
}

static void a_peak_outside_the_passes_gets_no_advice_about_activations(void **state) {
    (void)state;
    struct run *run = run_of(DEVICE HEAD "--- MODEL_CREATION ---\n" DRAM(
        "12500.00", "12500.00", "10500.00", "+2000.00", "12500.00",
        "2000.00") "--- FORWARD_PASS ---\n" DRAM("900.00", "1000.00", "200.00", "+800.00", "12500.00",
                                                 "2800.00") "--- BACKWARD_PASS ---\n" DRAM("2000.00", "1800.00", "100.00",
                                                                                           "+1700.00", "12500.00", "4500.00")
                                 TOTALS("12500.00", "4500.00"));
    assert_false(offers(run->first, ADVICE_RECOMPUTE));
    assert_false(offers(run->first, ADVICE_BATCH));
    assert_false(offers(run->first, ADVICE_ACCUMULATE));
    assert_true(offers(run->first, ADVICE_CHIP));
    assert_non_null(strstr(text_of(run), "do not touch this peak: MODEL_CREATION sets it"));
    assert_non_null(strstr(json_of(run), "\"kind\": \"peak_outside_passes\""));
    done(run);
}

static void a_folded_pass_at_the_peak_is_a_pass(void **state) {
    (void)state;
    struct run *run = run_of(DEVICE HEAD "--- FORWARD_PASS_micro_0 ---\n" DRAM(
        "9000.00", "9000.00", "0.00", "+9000.00", "9000.00",
        "9000.00") "--- BACKWARD_PASS_micro_0 ---\n" DRAM("4000.00", "4000.00", "9000.00", "-5000.00", "13000.00", "4000.00")
                                 TOTALS("13000.00", "4000.00"));
    assert_true(offers(run->first, ADVICE_BATCH));
    assert_false(offers(run->first, ADVICE_OUTSIDE_PASSES));
    /* 13000 - 9000 + 9000 / 2 = 8500 */
    assert_non_null(
        strstr(text_of(run), "smaller batch: 1/2 of the present one, 4000.00 + 9000.00 / 2 = 8500.00 MB of 12288.00 MB"));
    done(run);
}

static void a_peak_inside_the_forward_pass_may_shrink_by_more_than_its_activations(void **state) {
    (void)state;
    struct run *run = run_of(DEVICE HEAD "--- MODEL_CREATION ---\n" DRAM(
        "5000.00", "5000.00", "0.00", "+5000.00", "5000.00",
        "5000.00") "--- FORWARD_PASS ---\n" DRAM("9000.00", "1000.00", "800.00", "+200.00", "14000.00", "5200.00")
                                 TOTALS("14000.00", "5200.00"));
    /* 9000 in the pass, 200 stay: 8800 for a while */
    assert_non_null(strstr(text_of(run), "smaller batch: at least the 200.00 MB activations shrink; the 8800.00 MB"));
    assert_null(strstr(text_of(run), "smaller batch: not enough"));
    done(run);
}

static void a_summary_that_was_cut_does_not_claim_to_fit(void **state) {
    (void)state;
    struct run *run = run_of(DEVICE HEAD "--- MODEL_CREATION ---\n" DRAM("10.00", "10.00", "0.00", "+10.00", "10.00", "10.00"));
    assert_non_null(strstr(json_of(run), "\"fits\": null"));
    done(run);
    run = run_of(DEVICE HEAD
                 "--- MODEL_CREATION ---\n" DRAM("13000.00", "13000.00", "0.00", "+13000.00", "13000.00", "13000.00"));
    assert_non_null(strstr(json_of(run), "\"fits\": false"));
    done(run);
    run = run_of(DEVICE SMALL);
    assert_non_null(strstr(json_of(run), "\"fits\": true"));
    done(run);
}

#define QUADRILLION "1000000000000000000.00"

static void a_figure_too_large_to_be_read_is_null_and_the_next_summary_keeps_its_name(void **state) {
    (void)state;
    struct run *run = run_of(DEVICE "huge\n" HEAD "--- MODEL_CREATION ---\n" DRAM(QUADRILLION, QUADRILLION, "0.00",
                                                                                  "+" QUADRILLION, QUADRILLION, QUADRILLION)
                                 NO_L1 TOTALS(QUADRILLION, QUADRILLION) "small\n" SMALL);
    assert_int_equal(run->report.results.len, 2);
    assert_int_equal(run->first->summary->too_large, 7); /* all but the deallocations, and both totals */
    assert_true(slice_equal(run->report.results.items[1].name, SLICE("small")));
    const char *json = json_of(run);
    assert_non_null(strstr(json, "\"peak_bytes\": null"));
    assert_non_null(strstr(json, "\"fits\": null"));
    assert_non_null(strstr(json, "\"cumulative_peak_bytes\": null"));
    assert_non_null(strstr(text_of(run), "Peak DRAM Usage     too large to be read"));
    done(run);
}

static void a_wrapped_l1_counter_is_no_amount(void **state) {
    (void)state;
    struct run *run = run_of(DEVICE HEAD "--- MODEL_CREATION ---\n" DRAM(
        "10.00", "10.00", "0.00", "+10.00", "10.00",
        "10.00") "  L1: Peak CB 17592186044415.98 MB, Peak Buffer 0.50 MB, Peak Total 17592186044415.99 MB\n" TOTALS("10.00",
                                                                                                                     "10.00"));
    assert_non_null(strstr(text_of(run), "      wrapped\n"));
    assert_null(strstr(text_of(run), "17592186044415"));
    const char *json = json_of(run);
    assert_non_null(strstr(json, "\"peak_cb_bytes\": null"));
    assert_non_null(strstr(json, "\"peak_buffer_bytes\": 524288"));
    assert_non_null(strstr(json, "\"peak_total_bytes\": null"));
    done(run);
}

static void columns_stay_apart_whatever_the_amounts(void **state) {
    (void)state;
    struct run *run = run_of(DEVICE HEAD "--- MODEL_CREATION ---\n" DRAM(
        "9999999999999.99", "9999999999999.99", "9999999999999.99", "+0.00", "9999999999999.99", "9999999999999.99")
                                 NO_L1 TOTALS("9999999999999.99", "0.00"));
    assert_non_null(strstr(text_of(run), " 9999999999999.99 9999999999999.99 9999999999999.99 "));
    done(run);
}

/* 12 banks of 1,070,773,184 B: 1 GiB less a barrier of 32 B, the profiler's 1,920,000 B, 32 B and 1 MiB of prints */
enum { N150 = 12254027 };

static void only_a_real_header_row_names_the_device(void **state) {
    (void)state;
    static const struct {
        const char *line;
        int64_t device;
    } rows[] = {
        {"      memory  32,640 MB\n", 32640000}, {"memory  77 MB\n", N150},      {"      memory   77 MB\n", N150},
        {"      memory  77 MB free\n", N150},    {"      memory 77 MB\n", N150}, {"      memory  77 MB of 99 MB\n", N150},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        snprintf(text, sizeof text, "%sname\n%s", rows[i].line, SMALL);
        struct run *run = run_of(text);
        assert_int_equal(run->first->device, rows[i].device);
        done(run);
    }
}

static void a_device_of_no_memory_is_not_told(void **state) {
    (void)state;
    struct run *run = run_of("run 7\nAvailable Device Memory: 0 MB\n" SMALL);
    assert_int_equal(run->first->device_from, DEVICE_DEFAULT);
    assert_true(run->log.device_is_zero);
    assert_true(slice_equal(run->first->name, SLICE("run 7")));
    done(run);
}

static void what_does_not_fit_uses_more_than_nothing(void **state) {
    (void)state;
    struct run run = {0};
    train_parse(&run.log, SLICE("train.log"), SLICE(SMALL));
    train_analyze(&run.report, &run.log, &(struct train_options){.has_device = true, .device_bytes = 1});
    assert_false(run.report.results.items[0].fits);
    assert_true(run.report.results.items[0].usage_pct > 100000);
    done(&run);
}

static bool has_text(const struct scene *scene, const char *part) {
    for (size_t i = 0; i < scene->shapes.len; i++)
        if (scene->shapes.items[i].kind == SHAPE_TEXT &&
            slice_find(scene->shapes.items[i].text, slice_from(part)) != SLICE_NONE)
            return true;
    return false;
}

/* `count` steps of 10 MB, the one at `peak` of 11000 MB, named step-<i>. */
static struct step_panel panel_of(struct arena *names, size_t count, size_t peak) {
    struct step_panel panel = {.title = SLICE("run"), .limit = 12288000, .peak = peak};
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "step-%zu", i);
        struct chart_step step = {.name = arena_copy(names, slice_from(name)), .rise = i == peak ? 11000000 : 10000};
        step.peak = i >= peak ? 11000000 : 10000;
        vec_push(&panel.steps, step);
    }
    return panel;
}

static void the_phase_at_the_peak_is_drawn_however_many_there_are(void **state) {
    (void)state;
    static const size_t counts[] = {401, 1003, 20000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        const size_t peaks[] = {0, 120, 140, counts[c] / 2, counts[c] - 131, counts[c] - 1};
        for (size_t k = 0; k < sizeof peaks / sizeof *peaks; k++) {
            struct arena names = {0};
            struct step_chart chart = {.limit_title = "limit"};
            vec_push(&chart.panels, panel_of(&names, counts[c], peaks[k]));
            struct scene scene = {0};
            struct chart_left_out left_out = step_chart_draw(&scene, &chart);
            assert_true(left_out.steps > 0 && left_out.steps < counts[c]);
            char name[32];
            snprintf(name, sizeof name, "step-%zu", peaks[k]);
            if (!has_text(&scene, name)) fail_msg("%s of %zu is not drawn", name, counts[c]);
            assert_true(has_text(&scene, "+11000"));
            assert_true(has_text(&scene, "phases are left out"));
            scene_release(&scene);
            step_chart_release(&chart);
            arena_release(&names);
        }
    }
}

static void many_summaries_stand_in_a_grid(void **state) {
    (void)state;
    for (size_t panels = 4; panels <= 40; panels += 6) {
        struct arena names = {0};
        struct step_chart chart = {.limit_title = "limit"};
        for (size_t i = 0; i < panels; i++) vec_push(&chart.panels, panel_of(&names, 5, 2));
        struct scene scene = {0};
        struct chart_left_out left_out = step_chart_draw(&scene, &chart);
        assert_int_equal(left_out.runs, 0);
        assert_int_equal(left_out.steps, 0);
        assert_true(scene.height < 2 * scene.width && scene.width < 3 * scene.height);
        for (size_t i = 0; i < scene.shapes.len; i++)
            assert_true(scene.shapes.items[i].x <= scene.width && scene.shapes.items[i].y <= scene.height);
        scene_release(&scene);
        step_chart_release(&chart);
        arena_release(&names);
    }
}

static const struct chart_series two_series[] = {{"a", 0x112233, "#", "#"}, {"b", 0x445566, "+", "+"}};

static struct bar_chart bars_of(const int64_t *values, int64_t total, struct slice first, struct slice second) {
    struct bar_chart chart = {.series = two_series, .series_len = 2, .limit_title = "limit"};
    vec_push(&chart.bars, ((struct chart_bar){.name = first, .values = values, .total = total, .limit = 1000000}));
    vec_push(&chart.bars, ((struct chart_bar){.name = second, .values = values, .total = total, .limit = 1000000}));
    return chart;
}

#define LONG_NAME "a configuration with a name that takes much more room than there is under one bar of the picture, batch "

static void names_that_differ_at_their_ends_stay_apart(void **state) {
    (void)state;
    const int64_t values[] = {500000, 200000};
    struct bar_chart chart = bars_of(values, 700000, SLICE(LONG_NAME "16"), SLICE(LONG_NAME "64"));
    struct scene scene = {0};
    bar_chart_draw(&scene, &chart);
    assert_true(has_text(&scene, "16") && has_text(&scene, "64") && has_text(&scene, "a configuration") &&
                has_text(&scene, "…"));
    struct strbuf out = {0};
    bar_chart_print(&out, &chart, &(struct term){.utf8 = true});
    assert_non_null(strstr(strbuf_text(&out), "a configuratio…ure, batch 16"));
    assert_non_null(strstr(strbuf_text(&out), "batch 64"));
    strbuf_release(&out);
    scene_release(&scene);
    bar_chart_release(&chart);
}

static void parts_above_the_peak_are_marked(void **state) {
    (void)state;
    const int64_t values[] = {500000, 200000};
    struct bar_chart chart = bars_of(values, 400000, SLICE("x"), SLICE("y"));
    struct scene scene = {0};
    bar_chart_draw(&scene, &chart);
    assert_true(has_text(&scene, "The parts exceed the peak"));
    assert_true(has_text(&scene, "peak 400.00 MB"));
    assert_true(has_text(&scene, "parts +300.00 MB"));
    struct strbuf out = {0};
    bar_chart_print(&out, &chart, &(struct term){.utf8 = true});
    assert_non_null(strstr(strbuf_text(&out), "the parts exceed the peak"));
    strbuf_release(&out);
    scene_release(&scene);
    bar_chart_release(&chart);
    chart = bars_of(values, 700000, SLICE("x"), SLICE("y"));
    scene = (struct scene){0};
    bar_chart_draw(&scene, &chart);
    assert_false(has_text(&scene, "exceed"));
    scene_release(&scene);
    bar_chart_release(&chart);
}

static void a_peak_that_is_not_known_is_not_drawn_as_zero(void **state) {
    (void)state;
    const int64_t values[] = {500000, 200000};
    struct bar_chart chart = bars_of(values, 0, SLICE("x"), SLICE("y"));
    chart.bars.items[0].total_unknown = chart.bars.items[1].total_unknown = true;
    struct scene scene = {0};
    bar_chart_draw(&scene, &chart);
    assert_true(has_text(&scene, "peak not known"));
    assert_false(has_text(&scene, "0.00 MB"));
    assert_false(has_text(&scene, "exceed"));
    scene_release(&scene);
    bar_chart_release(&chart);
}

static void the_device_stands_in_front_of_the_bars(void **state) {
    (void)state;
    const int64_t values[] = {900000, 700000};
    struct bar_chart chart = bars_of(values, 1600000, SLICE("x"), SLICE("y"));
    struct scene scene = {0};
    bar_chart_draw(&scene, &chart);
    size_t last_bar = 0, limit = 0;
    for (size_t i = 0; i < scene.shapes.len; i++) {
        const struct shape *shape = &scene.shapes.items[i];
        if (shape->kind == SHAPE_RECT && (shape->color == 0x112233 || shape->color == 0x445566)) last_bar = i;
        if (shape->kind == SHAPE_LINE && shape->color == 0xff0000) limit = i;
    }
    assert_true(last_bar > 0 && limit > last_bar);
    scene_release(&scene);
    bar_chart_release(&chart);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peak_outside_the_passes_gets_no_advice_about_activations),
        cmocka_unit_test(a_folded_pass_at_the_peak_is_a_pass),
        cmocka_unit_test(a_peak_inside_the_forward_pass_may_shrink_by_more_than_its_activations),
        cmocka_unit_test(a_summary_that_was_cut_does_not_claim_to_fit),
        cmocka_unit_test(a_figure_too_large_to_be_read_is_null_and_the_next_summary_keeps_its_name),
        cmocka_unit_test(a_wrapped_l1_counter_is_no_amount),
        cmocka_unit_test(columns_stay_apart_whatever_the_amounts),
        cmocka_unit_test(only_a_real_header_row_names_the_device),
        cmocka_unit_test(a_device_of_no_memory_is_not_told),
        cmocka_unit_test(what_does_not_fit_uses_more_than_nothing),
        cmocka_unit_test(the_phase_at_the_peak_is_drawn_however_many_there_are),
        cmocka_unit_test(many_summaries_stand_in_a_grid),
        cmocka_unit_test(names_that_differ_at_their_ends_stay_apart),
        cmocka_unit_test(parts_above_the_peak_are_marked),
        cmocka_unit_test(a_peak_that_is_not_known_is_not_drawn_as_zero),
        cmocka_unit_test(the_device_stands_in_front_of_the_bars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
