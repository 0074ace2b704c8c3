/* SPDX-License-Identifier: Apache-2.0 */
#include "render/train/train_chart.h"

#include "render/train/train_words.h"

#define LIMIT_TITLE "Device Memory Limit"

/* From the bottom up, in the order and the colours of tt-train's histogram. */
static const struct chart_series series[TRAIN_PARTS] = {
    [PART_OTHER] = {"Other", 0xcccccc, "░", "."},
    [PART_MODEL] = {"Model Parameters", 0x4da6b8, "█", "#"},
    [PART_GRADIENTS_OVERHEAD] = {"Gradients Overhead", 0xe789ab, "▞", "x"},
    [PART_OPTIMIZER] = {"Optimizer State", 0xcec0fa, "▓", "="},
    [PART_ACTIVATIONS] = {"Activations", 0xe38a42, "▒", "+"},
};

void train_peak_chart(struct bar_chart *chart, const struct train_report *report, struct slice title) {
    *chart = (struct bar_chart){.title = title, .series = series, .series_len = TRAIN_PARTS, .limit_title = LIMIT_TITLE};
    for (size_t i = 0; i < report->results.len; i++) {
        const struct train_result *r = &report->results.items[i];
        vec_push(&chart->bars, ((struct chart_bar){.name = r->name,
                                                   .values = r->parts,
                                                   .total = r->peak > 0 ? r->peak : 0,
                                                   .total_unknown = !r->has_peak,
                                                   .limit = r->device,
                                                   .share = r->usage_pct}));
    }
}

static int64_t shown(int64_t n) { return n > 0 ? n : 0; }

void train_timeline_chart(struct step_chart *chart, const struct train_report *report, struct slice title) {
    *chart = (struct step_chart){.title = title, .limit_title = LIMIT_TITLE};
    for (size_t i = 0; i < report->results.len; i++) {
        const struct train_result *r = &report->results.items[i];
        struct step_panel panel = {.title = r->name, .limit = r->device, .peak = r->has_peak_phase ? r->peak_phase : 0};
        int64_t peak = 0;
        for (size_t k = 0; k < r->summary->phases.len; k++) {
            const struct train_phase *phase = &r->summary->phases.items[k];
            int64_t rise = train_has(phase, TRAIN_SEGMENT_PEAK) ? shown(phase->mb[TRAIN_SEGMENT_PEAK]) : 0;
            int64_t before = shown(r->before[k]), after = shown(r->before[k + 1]);
            if (before + rise > peak) peak = before + rise;
            if (train_has(phase, TRAIN_CUMULATIVE_PEAK)) peak = shown(phase->mb[TRAIN_CUMULATIVE_PEAK]);
            vec_push(&panel.steps, ((struct chart_step){train_phase_name(phase->name), before, rise, after, peak}));
        }
        vec_push(&chart->panels, panel);
    }
}
