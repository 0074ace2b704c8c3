/* SPDX-License-Identifier: Apache-2.0 */
/* Training summaries: reading, folding, comparing with theory, checking, fitting, drawing. */
#include "testing.h"

#include <unistd.h>

#include "analysis/train/train.h"
#include "base/size.h"
#include "render/train/train.h"
#include "render/train/train_chart.h"

static struct train_log log_of(const char *text) {
    struct train_log log = {0};
    train_parse(&log, SLICE("train.log"), slice_from(text));
    return log;
}

static struct train_report report_of(const struct train_log *log, struct train_options options) {
    struct train_report report = {0};
    train_analyze(&report, log, &options);
    return report;
}

static void done(struct train_log *log, struct train_report *report) {
    train_report_release(report);
    train_log_release(log);
}

static void sizes_are_read_as_people_type_them(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"12884901888", 12884901888},
                {"12GB", 12884901888},
                {"12 GiB", 12884901888},
                {"1863.25MB", 1953759232},
                {"969369600*2", 1938739200},
                {"969369600 * 2", 1938739200},
                {"0.5*12GB", 6442450944},
                {"1.2e10", 12000000000},
                {"12884901888.0", 12884901888},
                {"1,000", 1000},
                {"3k", 3072},
                {"7b", 7},
                {"18446744073709551615", UINT64_MAX},
                {"1.5", 2}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t bytes = 0;
        if (!size_read(slice_from(good[i].text), &bytes)) fail_msg("%s is a size", good[i].text);
        assert_int_equal(bytes, good[i].bytes);
    }
    static const char *const bad[] = {"",           "GB",   "12XB",  "1*", "*2", "1 2", "-1", "18446744073709551616",
                                      "99999999TB", "1e99", "1e-99", "nan"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t bytes;
        if (size_read(slice_from(bad[i]), &bytes)) fail_msg("%s is no size", bad[i]);
    }
}

/* The text of MemoryUsageTracker::print_memory_usage, figure by figure. */
#define PRINTED                                                                                              \
    "=== Memory Usage Summary ===\n\n"                                                                       \
    "--- MODEL_CREATION ---\n"                                                                               \
    "  DRAM: Segment Peak 12.34 MB, Allocations 20.01 MB, Deallocations 10.02 MB, Segment Change +9.99 MB\n" \
    "  DRAM: Cumulative Peak 12.34 MB, Cumulative Current 9.99 MB\n"                                         \
    "  L1: Peak CB 0.29 MB, Peak Buffer 0.01 MB, Peak Total 0.30 MB\n"                                       \
    "--- any name, really ---\n"                                                                             \
    "  DRAM: Segment Peak 0.00 MB, Allocations 1.00 MB, Deallocations 5.50 MB, Segment Change -4.50 MB\n"    \
    "  DRAM: Cumulative Peak 12.34 MB, Cumulative Current 5.49 MB\n"                                         \
    "  L1: Peak CB 0.00 MB, Peak Buffer 0.00 MB, Peak Total 0.00 MB\n\n"                                     \
    "=== Final Totals ===\n"                                                                                 \
    "Overall DRAM Peak: 12.34 MB, Final DRAM Usage: 5.49 MB\n\n"

static void every_printed_figure_is_read_back(void **state) {
    (void)state;
    struct train_log log = log_of(PRINTED);
    assert_int_equal(log.summaries.len, 1);
    const struct train_summary *s = &log.summaries.items[0];
    assert_int_equal(s->phases.len, 2);
    static const int64_t expected[2][TRAIN_FIGURES] = {{12340, 20010, 10020, 9990, 12340, 9990, 290, 10, 300},
                                                       {0, 1000, 5500, -4500, 12340, 5490, 0, 0, 0}};
    for (size_t p = 0; p < 2; p++)
        for (enum train_figure f = 0; f < TRAIN_FIGURES; f++) {
            assert_true(train_has(&s->phases.items[p], f));
            assert_int_equal(s->phases.items[p].mb[f], expected[p][f]);
        }
    assert_true(slice_equal(s->phases.items[1].name, SLICE("any name, really")));
    assert_int_equal(s->phases.items[1].line, 7);
    assert_int_equal(s->overall_peak.value, 12340);
    assert_int_equal(s->final_usage.value, 5490);
    train_log_release(&log);
}

/* A prefix of the text never gives a figure that the whole text does not give. */
static void a_cut_summary_is_read_as_far_as_it_goes(void **state) {
    (void)state;
    struct train_log whole = log_of(PRINTED);
    for (size_t len = 0; len < sizeof PRINTED; len++) {
        struct train_log cut = {0};
        train_parse(&cut, SLICE("cut"), slice_of(PRINTED, len));
        assert_true(cut.summaries.len <= 1);
        for (size_t p = 0; cut.summaries.len && p < cut.summaries.items[0].phases.len; p++) {
            const struct train_phase *seen = &cut.summaries.items[0].phases.items[p],
                                     *full = &whole.summaries.items[0].phases.items[p];
            assert_true(slice_equal(seen->name, full->name));
            for (enum train_figure f = 0; f < TRAIN_FIGURES; f++)
                if (train_has(seen, f)) assert_int_equal(seen->mb[f], full->mb[f]);
        }
        train_log_release(&cut);
    }
    train_log_release(&whole);
    struct train_log cut = log_of("--- A ---\n  DRAM: Segment Peak 5.00 MB, Allocations 123");
    assert_true(train_has(&cut.summaries.items[0].phases.items[0], TRAIN_SEGMENT_PEAK));
    assert_false(train_has(&cut.summaries.items[0].phases.items[0], TRAIN_ALLOCATIONS));
    train_log_release(&cut);
}

static void ranks_and_foreign_lines_do_not_mix(void **state) {
    (void)state;
    struct train_log log = log_of(
        "[1,0]<stdout>:Total parameters: 1,000\n[1,1]<stdout>:Total parameters: 2,000\n"
        "[1,0]<stdout>:=== Memory Usage Summary ===\n[1,1]<stdout>:\x1b[1m=== Memory Usage Summary ===\x1b[0m\n"
        "[1,0]<stdout>:--- A ---\n[1,1]<stdout>:--- B ---\n"
        "[1,0]<stdout>:  DRAM: Segment Peak 1.00 MB, Allocations 1.00 MB, Deallocations 0.00 MB, Segment Change +1.00 MB\n"
        "[1,1]<stdout>:12:00 | INFO |   DRAM: Segment Peak 2.00 MB, Allocations 2.00 MB, Deallocations 0.00 MB, Segment Change "
        "+2.00 MB\n"
        "[1,0]<stdout>:--- Logging error ---\n[1,0]<stdout>:step 3 loss 2.5, 7 MB\n"
        "[1,0]<stdout>:  DRAM: Cumulative Peak 1.00 MB, Cumulative Current 1.00 MB\n"
        "[1,1]<stdout>:  DRAM: Cumulative Peak 2.00 MB, Cumulative Current 2.00 MB\n"
        "[1,1]<stdout>:Overall DRAM Peak: 2.00 MB, Final DRAM Usage: 2.00 MB\n[1,0]<stdout>:Overall DRAM Peak: 1.00 MB\n");
    assert_int_equal(log.summaries.len, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct train_summary *s = &log.summaries.items[i];
        assert_int_equal(s->rank, i);
        assert_int_equal(s->parameters.value, 1000 * (i + 1));
        assert_int_equal(s->phases.len, 1);
        assert_int_equal(s->phases.items[0].mb[TRAIN_CUMULATIVE_CURRENT], 1000 * (i + 1));
        assert_int_equal(s->overall_peak.value, 1000 * (i + 1));
    }
    train_log_release(&log);
}

static void a_wrapped_line_is_joined(void **state) {
    (void)state;
    struct train_log log = log_of(
        "=== Memory Usage Summary ===\n--- A ---\n  DRAM: Segment Peak 1.25 MB, Allocations\n  2.50 MB, Deallocations 0.50 MB, "
        "Segment\n"
        "  Change +2.00 MB\n  DRAM: Cumulative Peak 1.25 MB, Cumulative Current 2.00 MB\nOverall DRAM Peak: 1.25 MB\n");
    const struct train_phase *phase = &log.summaries.items[0].phases.items[0];
    assert_int_equal(log.summaries.items[0].phases.len, 1);
    assert_int_equal(phase->mb[TRAIN_ALLOCATIONS], 2500);
    assert_int_equal(phase->mb[TRAIN_CHANGE], 2000);
    assert_int_equal(phase->mb[TRAIN_CUMULATIVE_CURRENT], 2000);
    train_log_release(&log);
}

static void context_lines_old_and_new_are_understood(void **state) {
    (void)state;
    struct train_log log = log_of("Available Device Memory: 12258 MB\nTotal parameters: 1234\nfirst\n" PRINTED
                                  "      params  5,678\n      memory  32,640 MB\nsecond\n" PRINTED "third\n" PRINTED);
    assert_int_equal(log.summaries.len, 3);
    static const int64_t parameters[] = {1234, 5678, 5678}, device[] = {12258000, 32640000, 32640000};
    static const char *const names[] = {"first", "second", "third"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(log.summaries.items[i].parameters.value, parameters[i]);
        assert_int_equal(log.summaries.items[i].device_mb.value, device[i]);
        assert_true(slice_equal(log.summaries.items[i].name, slice_from(names[i])));
    }
    train_log_release(&log);
}

static void names_fold_by_micro_step_and_sequence(void **state) {
    (void)state;
    static const char *const rows[][2] = {{"FORWARD_PASS", "FORWARD_PASS"},
                                          {"FORWARD_PASS_micro_3", "FORWARD_PASS"},
                                          {"FORWARD_PASS_micro_12__000042", "FORWARD_PASS"},
                                          {"embedding__1234567", "embedding"},
                                          {"layer__12", "layer__12"},
                                          {"step_7", "step_7"},
                                          {"_micro_1", "_micro_1"},
                                          {"__000001", "__000001"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(slice_equal(train_fold_name(slice_from(rows[i][0])), slice_from(rows[i][1])));
}

static void tinyllama_gives_the_published_figures(void **state) {
    (void)state;
    struct strbuf text = file_text("tests/data/train/tinyllama.log");
    struct train_log log = {0};
    train_parse(&log, SLICE("tinyllama.log"), strbuf_slice(&text));
    strbuf_release(&text); /* nothing may point into it */
    struct train_report report =
        report_of(&log, (struct train_options){.has_device = true, .device_bytes = (uint64_t)12 << 30});
    assert_int_equal(report.results.len, 2);
    const struct train_result *efficient = &report.results.items[0], *standard = &report.results.items[1];
    assert_int_equal(efficient->model.difference_pct, 770);
    assert_int_equal(efficient->optimizer.difference_pct, 300);
    assert_int_equal(efficient->gradients.difference_pct, 380);
    assert_int_equal(efficient->usage_pct, 67370);
    assert_true(efficient->fits);
    assert_int_equal(standard->usage_pct, 127500);
    assert_false(standard->fits);
    assert_int_equal(efficient->activations, 192950);
    assert_int_equal(efficient->parts[PART_GRADIENTS_OVERHEAD], 2513690);
    /* 8278.65 - (1848.93 + 3697.85 + 192.95 + 2513.69) */
    assert_int_equal(efficient->parts[PART_OTHER], 25230);
    assert_int_equal(report.comparisons.len, 1);
    assert_int_equal(report.comparisons.items[0].saved, 7388000);
    assert_int_equal(report.comparisons.items[0].lower, 0);
    assert_int_equal(efficient->disagreements.len + standard->disagreements.len, 0);
    /* 15666.65 - 9636.02 = 6030.63 stay; half of the activations more is 10848.64, and 12288 - 6030.63 may stay */
    assert_int_equal(standard->advice.items[0].result, 6257370);
    assert_int_equal(standard->advice.items[1].divisor, 2);
    assert_int_equal(standard->advice.items[1].result, 10848640);
    /* accumulation keeps 7427.02 - 5571.88 = 1855.14 of gradients: 6030.63 + 1855.14 + 9636.02 / 3 */
    assert_int_equal(standard->advice.items[2].divisor, 3);
    assert_int_equal(standard->advice.items[2].result, 11097777);
    done(&log, &report);
}

static void real_logs_account_for_every_micro_step(void **state) {
    (void)state;
    static const struct {
        const char *file;
        int64_t peak, gradients, other;
        const char *peak_phase;
    } rows[] = {{"train/gradient_accumulation_after_fix.log", 16573970, 2104920, 2104920, "BACKWARD_PASS_micro_1"},
                {"train/gradient_accumulation_before_fix.log", 14469050, 0, 0, "BACKWARD_PASS"}};
    if (access(shared_path(rows[0].file), R_OK) != 0) skip();
    for (size_t i = 0; i < 2; i++) {
        struct strbuf text = file_text(shared_path(rows[i].file));
        struct train_log log = {0};
        train_parse(&log, SLICE("real"), strbuf_slice(&text));
        struct train_report report = report_of(&log, (struct train_options){0});
        const struct train_result *r = &report.results.items[0];
        assert_int_equal(report.results.len, 1);
        assert_int_equal(r->peak, rows[i].peak);
        assert_int_equal(r->gradients.actual, rows[i].gradients);
        assert_int_equal(r->summary->phases.len, 12);
        assert_true(slice_equal(r->summary->phases.items[r->peak_phase].name, slice_from(rows[i].peak_phase)));
        assert_int_equal(r->folds.len, 6);
        assert_int_equal(r->folds.items[3].count, 4);
        assert_int_equal(r->folds.items[4].count, 4);
        assert_int_equal(r->disagreements.len, 0);
        /* of the step at the peak: model 2104.53 + optimizer 4207.27 + activations 7641.25 + overhead 516.00 + the gradients
         * kept */
        assert_int_equal(r->activations, 7641250);
        assert_int_equal(r->parts[PART_OTHER], rows[i].other);
        done(&log, &report);
        strbuf_release(&text);
    }
}

#define PHASE(name, peak, allocated, freed, change, highest, current)                                        \
    "--- " name " ---\n  DRAM: Segment Peak " peak " MB, Allocations " allocated " MB, Deallocations " freed \
    " MB, Segment Change " change " MB\n  DRAM: Cumulative Peak " highest " MB, Cumulative Current " current " MB\n"

/* Two micro steps on 100 MB of model and 200 of optimizer: 400 MB of activations each, 50 more on the way back. Gradients that
 * stay (100 MB) are in use when the second begins; dropped ones are not. */
static void micro_steps_are_accounted_for(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t peak, gradients;
        const char *peak_phase;
    } rows[] = {
        {"=== Memory Usage Summary ===\n" PHASE("MODEL_CREATION", "100.00", "100.00", "0.00", "+100.00", "100.00", "100.00")
             PHASE("OPTIMIZER_CREATION", "200.00", "200.00", "0.00", "+200.00", "300.00", "300.00")
                 PHASE("FORWARD_PASS_micro_0", "400.00", "400.00", "0.00", "+400.00", "700.00", "700.00")
                     PHASE("BACKWARD_PASS_micro_0", "50.00", "150.00", "450.00", "-300.00", "750.00", "400.00")
                         PHASE("FORWARD_PASS_micro_1", "400.00", "400.00", "0.00", "+400.00", "800.00", "800.00")
                             PHASE("BACKWARD_PASS_micro_1", "50.00", "150.00", "550.00", "-400.00", "850.00", "400.00"),
         850000, 100000, "BACKWARD_PASS_micro_1"},
        {"=== Memory Usage Summary ===\n" PHASE("MODEL_CREATION", "100.00", "100.00", "0.00", "+100.00", "100.00", "100.00")
             PHASE("OPTIMIZER_CREATION", "200.00", "200.00", "0.00", "+200.00", "300.00", "300.00")
                 PHASE("FORWARD_PASS_micro_0", "400.00", "400.00", "0.00", "+400.00", "700.00", "700.00")
                     PHASE("BACKWARD_PASS_micro_0", "50.00", "150.00", "550.00", "-400.00", "750.00", "300.00")
                         PHASE("FORWARD_PASS_micro_1", "400.00", "400.00", "0.00", "+400.00", "750.00", "700.00")
                             PHASE("BACKWARD_PASS_micro_1", "40.00", "150.00", "550.00", "-400.00", "750.00", "300.00"),
         750000, 0, "BACKWARD_PASS_micro_0"},
    };
    for (size_t i = 0; i < 2; i++) {
        struct train_log log = log_of(rows[i].text);
        struct train_report report = report_of(&log, (struct train_options){0});
        const struct train_result *r = &report.results.items[0];
        assert_int_equal(report.results.len, 1);
        assert_int_equal(r->peak, rows[i].peak);
        assert_int_equal(r->gradients.actual, rows[i].gradients);
        assert_int_equal(r->summary->phases.len, 6);
        assert_true(slice_equal(r->summary->phases.items[r->peak_phase].name, slice_from(rows[i].peak_phase)));
        assert_int_equal(r->folds.len, 4);
        assert_int_equal(r->folds.items[2].count, 2);
        assert_int_equal(r->folds.items[3].count, 2);
        assert_int_equal(r->disagreements.len, 0);
        assert_int_equal(r->activations, 400000);
        /* 850 - (100 + 200 + 400 + 50): the gradients that were kept */
        assert_int_equal(r->parts[PART_OTHER], rows[i].gradients);
        done(&log, &report);
    }
}

static void a_figure_that_does_not_follow_is_reported_once_with_its_line(void **state) {
    (void)state;
    struct train_log log = log_of(
        "=== Memory Usage Summary ===\n--- A ---\n  DRAM: Segment Peak 10.00 MB, Allocations 10.00 MB, Deallocations 0.00 MB, "
        "Segment Change +10.00 MB\n"
        "  DRAM: Cumulative Peak 10.02 MB, Cumulative Current 10.50 MB\n--- B ---\n"
        "  DRAM: Segment Peak 5.00 MB, Allocations 5.00 MB, Deallocations 1.00 MB, Segment Change +4.00 MB\n"
        "  DRAM: Cumulative Peak 15.50 MB, Cumulative Current 14.50 MB\nOverall DRAM Peak: 15.53 MB, Final DRAM Usage: 14.50 "
        "MB\n");
    struct train_report report = report_of(&log, (struct train_options){0});
    const struct train_result *r = &report.results.items[0];
    assert_int_equal(r->disagreements.len, 2);
    assert_int_equal(r->disagreements.items[0].line, 4);
    assert_string_equal(r->disagreements.items[0].what, "cumulative_current");
    assert_int_equal(r->disagreements.items[0].recomputed, 10000);
    assert_int_equal(r->disagreements.items[1].line, 8);
    assert_string_equal(r->disagreements.items[1].what, "overall_peak");
    done(&log, &report);
}

static bool texts_meet(const struct shape *a, const struct shape *b) {
    const struct shape *both[] = {a, b};
    int left[2], right[2];
    for (int i = 0; i < 2; i++) {
        int width = text_width(both[i]->text, both[i]->size, both[i]->bold);
        left[i] = both[i]->x - (both[i]->anchor == ANCHOR_MIDDLE ? width / 2 : both[i]->anchor == ANCHOR_END ? width : 0);
        right[i] = left[i] + width;
    }
    bool apart = left[0] >= right[1] || left[1] >= right[0];
    return !apart && a->y - a->size < b->y - 2 && b->y - b->size < a->y - 2;
}

static void labels_do_not_meet_whatever_the_amounts(void **state) {
    (void)state;
    struct train_report report = {0};
    uint32_t seed = 7;
    for (int i = 0; i < 47; i++) {
        struct train_result r = {.name = SLICE("a configuration with quite a long name, batch 64"),
                                 .has_peak = true,
                                 .device = i % 3 ? 12288000 : 32640000};
        for (enum train_part p = 0; p < TRAIN_PARTS; p++) {
            seed = seed * 1664525 + 1013904223;
            r.parts[p] = (int64_t)(seed >> 12) % (i % 2 ? 60000 : 6000000);
            r.peak += r.parts[p];
        }
        r.usage_pct = train_percent(r.peak, r.device);
        vec_push(&report.results, r);
    }
    struct bar_chart chart;
    train_peak_chart(&chart, &report, SLICE("many"));
    struct scene scene = {0};
    bar_chart_draw(&scene, &chart);
    for (size_t a = 0; a < scene.shapes.len; a++)
        for (size_t b = a + 1; b < scene.shapes.len; b++)
            if (scene.shapes.items[a].kind == SHAPE_TEXT && scene.shapes.items[b].kind == SHAPE_TEXT &&
                texts_meet(&scene.shapes.items[a], &scene.shapes.items[b]))
                fail_msg("\"%.*s\" meets \"%.*s\"", SLICE_FMT(scene.shapes.items[a].text),
                         SLICE_FMT(scene.shapes.items[b].text));
    scene_release(&scene);
    bar_chart_release(&chart);
    vec_release(&report.results);
}

static void names_from_the_log_cannot_break_out(void **state) {
    (void)state;
    struct train_log log = log_of(
        "</text><script>alert(1)</script> | *x*\n=== Memory Usage Summary ===\n--- a|b`c\x1b]0;t\x07 ---\n"
        "  DRAM: Segment Peak 1.00 MB, Allocations 1.00 MB, Deallocations 0.00 MB, Segment Change +1.00 MB\n");
    struct train_report report = report_of(&log, (struct train_options){0});
    struct strbuf out = {0};
    struct step_chart steps;
    struct scene scene = {0};
    train_timeline_chart(&steps, &report, SLICE("<t>"));
    step_chart_draw(&scene, &steps);
    scenes_html(&out, SLICE("<t>"), &scene, 1);
    assert_null(strstr(strbuf_text(&out), "<script>"));
    assert_null(strstr(strbuf_text(&out), "<t>"));
    strbuf_clear(&out);
    train_markdown(&out, &report, &(struct term){0});
    assert_null(strstr(strbuf_text(&out), "<script>"));
    assert_null(strstr(strbuf_text(&out), "`a|b"));
    strbuf_clear(&out);
    train_text(&out, &report, &(struct term){.utf8 = true});
    assert_null(strchr(strbuf_text(&out), '\x1b'));
    assert_null(strchr(strbuf_text(&out), '\x07'));
    strbuf_release(&out);
    scene_release(&scene);
    step_chart_release(&steps);
    done(&log, &report);
}

static void same_phases(const struct train_summary *a, const struct train_summary *b) {
    assert_int_equal(a->phases.len, b->phases.len);
    for (size_t i = 0; i < a->phases.len; i++) {
        const struct train_phase *x = &a->phases.items[i], *y = &b->phases.items[i];
        assert_true(slice_equal(x->name, y->name));
        assert_int_equal(x->line, y->line);
        assert_int_equal(x->known, y->known);
        assert_memory_equal(x->mb, y->mb, sizeof x->mb);
    }
}

/* However the bytes of a stream arrive: also a name that stands in an earlier piece than its summary. */
static void pieces_of_any_size_read_like_the_whole(void **state) {
    (void)state;
    static const char *const paths[] = {"tests/data/train/tinyllama.log", "examples/training.log"};
    static const size_t sizes[] = {1, 2, 7, 100, 1000, 4096, 1 << 20};
    for (size_t k = 0; k < COUNT_OF(paths) * COUNT_OF(sizes); k++) {
        struct strbuf text = file_text(paths[k / COUNT_OF(sizes)]);
        size_t size = sizes[k % COUNT_OF(sizes)];
        assert_true(text.len > 100);
        struct train_log whole = {0}, pieces = {0};
        train_parse(&whole, SLICE("log"), strbuf_slice(&text));
        struct train_reader *reader = train_reader_new(&pieces, SLICE("log"));
        for (size_t at = 0; at < text.len; at += size) {
            struct slice piece = slice_take(slice_skip(strbuf_slice(&text), at), size);
            memcpy(train_reader_room(reader, piece.len), piece.ptr, piece.len);
            train_reader_took(reader, piece.len);
        }
        train_reader_finish(reader);
        assert_int_equal(pieces.lines, whole.lines);
        assert_int_equal(pieces.summaries.len, whole.summaries.len);
        assert_true(whole.summaries.len > 0);
        for (size_t i = 0; i < whole.summaries.len; i++) {
            assert_true(slice_equal(pieces.summaries.items[i].name, whole.summaries.items[i].name));
            assert_int_equal(pieces.summaries.items[i].line, whole.summaries.items[i].line);
            assert_int_equal(pieces.summaries.items[i].overall_peak.value, whole.summaries.items[i].overall_peak.value);
            same_phases(&pieces.summaries.items[i], &whole.summaries.items[i]);
        }
        train_log_release(&whole);
        train_log_release(&pieces);
        strbuf_release(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_any_size_read_like_the_whole),
        cmocka_unit_test(sizes_are_read_as_people_type_them),
        cmocka_unit_test(every_printed_figure_is_read_back),
        cmocka_unit_test(a_cut_summary_is_read_as_far_as_it_goes),
        cmocka_unit_test(ranks_and_foreign_lines_do_not_mix),
        cmocka_unit_test(a_wrapped_line_is_joined),
        cmocka_unit_test(context_lines_old_and_new_are_understood),
        cmocka_unit_test(names_fold_by_micro_step_and_sequence),
        cmocka_unit_test(tinyllama_gives_the_published_figures),
        cmocka_unit_test(real_logs_account_for_every_micro_step),
        cmocka_unit_test(micro_steps_are_accounted_for),
        cmocka_unit_test(a_figure_that_does_not_follow_is_reported_once_with_its_line),
        cmocka_unit_test(labels_do_not_meet_whatever_the_amounts),
        cmocka_unit_test(names_from_the_log_cannot_break_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
