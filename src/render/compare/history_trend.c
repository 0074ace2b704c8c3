/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <time.h>

#include "render/compare/budget.h"
#include "render/chart/chart_axis.h"
#include "render/compare/history.h"

enum { CELLS = 72, ROWS = 10, WIDTH = 960, HEIGHT = 320, COLOR_TREND = 0x1d63c4 };

void add_time(struct strbuf *out, int64_t microseconds, bool exact) {
    time_t seconds = (time_t)(microseconds / 1000000);
    struct tm parts;
    char text[40];
    if (!gmtime_r(&seconds, &parts)) return;
    strbuf_add(out, slice_of(text, strftime(text, sizeof text, exact ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%d %H:%M", &parts)));
}

void add_run_id(struct strbuf *out, int64_t id) {
    char text[20];
    snprintf(text, sizeof text, "%015llx", (unsigned long long)id);
    strbuf_add(out, slice_of(text, 10));
}

static int64_t highest(const struct trend *t) {
    int64_t most = 1;
    for (size_t i = 0; i < t->count; i++)
        if (t->points[i].value > most) most = t->points[i].value;
    return most;
}

static size_t bounds(const struct trend *t) {
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) count += t->points[i].at_least;
    return count;
}

/* The highest of the points that share a column, so that a peak is never hidden. */
static int64_t column_value(const struct trend *t, size_t column, size_t columns) {
    size_t first = column * t->count / columns, end = (column + 1) * t->count / columns;
    int64_t most = t->points[first].value;
    for (size_t i = first; i < end || i == first; i++)
        if (t->points[i].value > most) most = t->points[i].value;
    return most;
}

void trend_text(struct strbuf *out, const struct term *term, const struct trend *t) {
    static const char *const eighths[] = {" ",
                                          "\xe2\x96\x81",
                                          "\xe2\x96\x82",
                                          "\xe2\x96\x83",
                                          "\xe2\x96\x84",
                                          "\xe2\x96\x85",
                                          "\xe2\x96\x86",
                                          "\xe2\x96\x87",
                                          "\xe2\x96\x88"};
    size_t columns = t->count < CELLS ? t->count : CELLS;
    int64_t most = highest(t);
    term_tone(out, term, TONE_BOLD);
    term_text(out, term, t->model.len ? t->model : SLICE("(no model)"), 0);
    term_tone(out, term, TONE_PLAIN);
    strbuf_addf(out, "  %s, %zu %s", t->measure->name, t->count, t->count == 1 ? "run" : "runs");
    if (bounds(t)) strbuf_addf(out, ", %zu of them at least: not every op was measured, or the run failed", bounds(t));
    strbuf_addc(out, '\n');
    for (unsigned row = ROWS; row-- > 0;) {
        struct strbuf label = {0};
        if (row == ROWS - 1) measure_amount(&label, t->measure, most);
        strbuf_fill(out, ' ', label.len < 14 ? 14 - label.len : 0);
        strbuf_add(out, strbuf_slice(&label));
        strbuf_addc(out, ' ');
        for (size_t c = 0; c < columns; c++) {
            int64_t value = column_value(t, c, columns);
            int64_t fill = value > 0 ? (int64_t)((__int128)value * ROWS * 8 / most) - (int64_t)row * 8 : 0;
            unsigned part = fill <= 0 ? 0 : fill >= 8 ? 8 : (unsigned)fill;
            strbuf_addz(out, term->utf8 ? eighths[part] : part >= 4 ? "#" : part ? "." : " ");
        }
        strbuf_addc(out, '\n');
        strbuf_release(&label);
    }
    strbuf_fill(out, ' ', 15);
    if (t->count) {
        add_time(out, t->points[0].added, false);
        strbuf_addz(out, "  to  ");
        add_time(out, t->points[t->count - 1].added, false);
        strbuf_addz(out, t->points[t->count - 1].at_least ? "  last at least " : "  last ");
        measure_amount(out, t->measure, t->points[t->count - 1].value);
    }
    strbuf_addc(out, '\n');
}

static int x_of(const struct trend *t, size_t i) {
    int room = WIDTH - CHART_LEFT - CHART_RIGHT;
    return CHART_LEFT + (t->count > 1 ? (int)((int64_t)room * (int64_t)i / (int64_t)(t->count - 1)) : room / 2);
}

/* Amounts on the axis are thousandths of a MB; counts are shown as they are. */
static int64_t axis_value(const struct measure *measure, int64_t value) {
    return measure->is_count ? value * 1000 : (int64_t)((__int128)value * 1000 / 1048576);
}

void trend_draw(struct scene *scene, const struct trend *t) {
    static const struct legend_item items[] = {{"value", COLOR_TREND, true, false}, {"rose and stayed", COLOR_BAD, true, true}};
    struct strbuf text = {0};
    scene->width = WIDTH;
    scene->height = HEIGHT;
    scene_rect(scene, 0, 0, WIDTH, HEIGHT, COLOR_PAPER);
    strbuf_add(&text, t->model.len ? t->model : SLICE("(no model)"));
    strbuf_addf(&text, ": %s, %s", t->measure->name, t->measure->is_count ? "count" : "MB");
    if (bounds(t)) strbuf_addf(&text, "; %zu of %zu runs at least", bounds(t), t->count);
    int top = chart_head(scene, strbuf_slice(&text), items, t->rise_count ? 2 : 1);
    struct axis axis = {top + 8, HEIGHT - 40, axis_value(t->measure, highest(t))};
    axis_draw(scene, &axis, CHART_LEFT, WIDTH - CHART_RIGHT);
    for (size_t i = 0; i < t->count; i++) {
        int x = x_of(t, i), y = axis_y(&axis, axis_value(t->measure, t->points[i].value));
        /* steps: a value holds until the next one */
        if (i + 1 < t->count) {
            int next = axis_y(&axis, axis_value(t->measure, t->points[i + 1].value)), x2 = x_of(t, i + 1);
            scene_line(scene, x, y, x2, y, COLOR_TREND, 2, false);
            scene_line(scene, x2, y, x2, next, COLOR_TREND, 2, false);
        }
        if (t->count <= 200) scene_rect(scene, x - 2, y - 2, x + 3, y + 3, COLOR_TREND);
    }
    for (size_t i = 0; i < t->rise_count; i++) {
        int x = x_of(t, t->rises[i].at);
        scene_line(scene, x, axis.top, x, axis.bottom, COLOR_BAD, 1, true);
        strbuf_clear(&text);
        add_run_id(&text, t->points[t->rises[i].at].id);
        label_on_paper(scene, x + 4, axis.top + 12, strbuf_slice(&text),
                       (struct text_style){.size = TEXT_SMALL, .color = COLOR_BAD});
    }
    for (unsigned end = 0; end < 2 && t->count > end; end++) {
        size_t i = end ? t->count - 1 : 0;
        strbuf_clear(&text);
        add_time(&text, t->points[i].added, false);
        scene_text(scene, x_of(t, i), HEIGHT - 16, strbuf_slice(&text),
                   (struct text_style){.size = TEXT_SMALL, .color = COLOR_DIM, .anchor = end ? ANCHOR_END : ANCHOR_START});
    }
    strbuf_release(&text);
}
