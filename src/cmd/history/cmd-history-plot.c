/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem history plot: a measure over time, in the terminal, as SVG or as a page. */
#include <string.h>

#include "cmd/line/emit.h"
#include "cmd/history/history_options.h"

static const struct trend_limit default_limit = {.is_share = true, .amount = 2000};

static void as_text(struct strbuf *out, const struct term *term, const struct trends *trends) {
    for (size_t i = 0; i < trends->list.len; i++) {
        if (i) strbuf_addc(out, '\n');
        trend_text(out, term, &trends->list.items[i]);
    }
}

static int as_pictures(struct strbuf *out, const struct trends *trends, const char *title, bool page, struct err *err) {
    if (!page && trends->list.len > 1)
        return err_set(err, ERR_USAGE, "an SVG holds one picture and there are %zu models: choose one with --model",
                       trends->list.len);
    struct scene *scenes = mem_zalloc(trends->list.len + 1, sizeof *scenes);
    for (size_t i = 0; i < trends->list.len; i++) trend_draw(&scenes[i], &trends->list.items[i]);
    if (page) scenes_html(out, slice_from(title), scenes, trends->list.len);
    else scene_svg(out, &scenes[0]);
    for (size_t i = 0; i < trends->list.len; i++) scene_release(&scenes[i]);
    free(scenes);
    return 0;
}

static int plot(struct invocation *inv, const struct history_series *series, const struct measure *measure, struct err *err) {
    const char *format = args_text(&inv->args, "format");
    bool text = !format || strcmp(format, "text") == 0;
    struct strbuf out = {0};
    struct trends trends;
    if (!series->points.len)
        return err_set(err, ERR_LACKS, "no run that matches has the measure '%s'; ttmem history list shows the runs",
                       measure->name);
    trends_make(&trends, series, measure, &default_limit);
    int rc = 0;
    if (text) as_text(&out, &inv->work.out, &trends);
    else rc = as_pictures(&out, &trends, measure->name, strcmp(format, "html") == 0, err);
    if (rc == 0) rc = emit_answer(inv, strbuf_slice(&out), text, err);
    trends_release(&trends);
    strbuf_release(&out);
    return rc;
}

static int run(struct invocation *inv, struct err *err) {
    struct history_filter filter;
    struct history_series series = {0};
    struct strbuf scratch = {0};
    const struct measure *measure = history_measure(&inv->args, err);
    int rc = measure ? history_filter_of(&inv->args, 0, &filter, &scratch, err) : -1;
    struct store *store = rc == 0 ? history_store_open(&inv->work, false, err) : NULL;
    rc = store ? history_series(store, measure, &filter, &series, err) : -1;
    if (rc == 0) rc = plot(inv, &series, measure, err);
    if (rc == 0) rc = history_whole(store, err);
    history_close(store);
    history_series_release(&series);
    strbuf_release(&scratch);
    return rc;
}

static const struct option options[] = {
    {"measure", 0, OPTION_TEXT, "NAME", "what to plot (dram.peak); ttmem check --help lists the measures"},
    {"format", 0, OPTION_TEXT, "text|svg|html", "form of the result (text)"},
    HISTORY_FILTER_OPTIONS,
    OPTION_STORE,
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_history_plot = {
    .name = "history plot",
    .summary = "Draw a measure over time",
    .synopsis = "[--measure NAME] [--format text|svg|html] [--model NAME] [--branch NAME] [--since AGE] [-o FILE] [options]",
    .example = "ttmem history plot --measure dram.peak --format html -o trend.html",
    .options = options,
    .run = run,
};
