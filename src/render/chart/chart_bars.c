/* SPDX-License-Identifier: Apache-2.0 */
/* Stacked bars in rows on a common scale; every bar has its total, its share of the limit and its name. */
#include <stdio.h>

#include "render/chart/chart.h"
#include "render/chart/chart_axis.h"
#include "base/amounts.h"

enum {
    BARS_PER_ROW = 10,
    MOST_ROWS = 48,
    SLOT = 148,
    BAR = 68,
    PLOT_HEIGHT = 380,
    NAME_LINES = 3,
    NAME_LINE = 15,
    ROW_GAP = 44,
    LEAST_WIDTH = 620,
    LABEL_HEIGHT = 13,
    MOST_SERIES = 16,
};

struct side_label {
    int at; /* where the segment is */
    int y;  /* where the label goes */
    char text[40];
};

void bar_chart_release(struct bar_chart *chart) { vec_release(&chart->bars); }

int64_t bar_excess(const struct bar_chart *chart, const struct chart_bar *bar) {
    int64_t sum = 0;
    for (size_t i = 0; i < chart->series_len; i++) sum += bar->values[i];
    return sum > bar->total && !bar->total_unknown ? sum - bar->total : 0;
}

static int64_t stack_height(const struct bar_chart *chart, const struct chart_bar *bar) {
    int64_t sum = 0;
    for (size_t i = 0; i < chart->series_len; i++) sum += bar->values[i];
    return sum > bar->total ? sum : bar->total;
}

static int64_t highest(const struct bar_chart *chart) {
    int64_t most = 1000;
    for (size_t i = 0; i < chart->bars.len; i++) {
        const struct chart_bar *bar = &chart->bars.items[i];
        int64_t height = stack_height(chart, bar);
        if (height > most) most = height;
        if (bar->limit > most) most = bar->limit;
    }
    return most + most / 6; /* room for the totals */
}

/* Labels of segments too flat for a label inside, moved apart: from the bottom up, then back down from the top edge. */
static void spread(struct side_label *labels, size_t count, const struct axis *axis) {
    for (size_t i = 0; i < count; i++) {
        labels[i].y = labels[i].at + 4 < axis->bottom - 3 ? labels[i].at + 4 : axis->bottom - 3;
        if (i && labels[i].y > labels[i - 1].y - LABEL_HEIGHT) labels[i].y = labels[i - 1].y - LABEL_HEIGHT;
    }
    int floor = axis->top + 10;
    for (size_t i = count; i-- > 0; floor = labels[i].y + LABEL_HEIGHT)
        if (labels[i].y < floor) labels[i].y = floor;
}

/* "1849 MB", with decimals below 1 MB, without the unit if a bar has no room for it. */
static void segment_text(char *out, size_t size, int64_t value) {
    struct figure amount = value < 1000 ? figure_milli(value, 2) : figure_milli(value, 0);
    snprintf(out, size, "%s MB", amount.text);
    if (text_width(slice_from(out), TEXT_SMALL, false) > BAR - 4) snprintf(out, size, "%s", amount.text);
}

/* The extent of a bar's segment; none is too thin to see. */
struct span {
    int top, bottom;
};

static struct span span_of(const struct axis *axis, int64_t below, int64_t value) {
    struct span span = {.top = axis_y(axis, below + value), .bottom = axis_y(axis, below)};
    if (value > 0 && span.top == span.bottom) span.top--;
    return span;
}

static void segments(struct scene *scene, const struct bar_chart *chart, const struct chart_bar *bar, const struct axis *axis,
                     int x) {
    int64_t sum = 0;
    for (size_t i = 0; i < chart->series_len; sum += bar->values[i++]) {
        struct span span = span_of(axis, sum, bar->values[i]);
        scene_rect(scene, x, span.top, x + BAR, span.bottom - (span.bottom - span.top > 4), chart->series[i].color);
    }
    if (bar_excess(chart, bar)) {
        int y = axis_y(axis, bar->total);
        scene_line(scene, x - 8, y, x + BAR + 8, y, COLOR_INK, 2, false);
    }
}

/* The middle of a segment, moved away from a line that crosses the label, if the segment has room. */
static int label_middle(struct span span, int line) {
    int middle = (span.top + span.bottom) / 2;
    if (line < middle - 8 || line > middle + 8) return middle;
    if (line - 2 * LABEL_HEIGHT > span.top) return line - LABEL_HEIGHT;
    if (line + 2 * LABEL_HEIGHT < span.bottom) return line + LABEL_HEIGHT;
    return middle;
}

/* The amount in each segment, or beside it if it is flat. Returns the top of the highest label beside the bar, or the bottom
 * of the plot. */
static int segment_labels(struct scene *scene, const struct bar_chart *chart, const struct chart_bar *bar,
                          const struct axis *axis, int x) {
    struct side_label labels[MOST_SERIES];
    size_t count = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < chart->series_len; sum += bar->values[i++]) {
        if (bar->values[i] <= 0) continue;
        struct span span = span_of(axis, sum, bar->values[i]);
        struct side_label label = {.at = (span.top + span.bottom) / 2};
        segment_text(label.text, sizeof label.text, bar->values[i]);
        if (span.bottom - span.top >= LABEL_HEIGHT + 3)
            scene_text(scene, x + BAR / 2, label_middle(span, axis_y(axis, bar->limit)) + 4, slice_from(label.text),
                       (struct text_style){.size = TEXT_SMALL, .anchor = ANCHOR_MIDDLE, .color = COLOR_INK});
        else if (count < MOST_SERIES) labels[count++] = label;
    }
    spread(labels, count, axis);
    for (size_t i = 0; i < count; i++) {
        struct slice text = slice_from(labels[i].text);
        scene_line(scene, x + BAR + 1, labels[i].at, x + BAR + 5, labels[i].y - 4, COLOR_DIM, 1, false);
        label_on_paper(scene, x + BAR + 7, labels[i].y, text, (struct text_style){.size = TEXT_SMALL - 1, .color = COLOR_INK});
    }
    return count ? labels[count - 1].y - LABEL_HEIGHT : axis->bottom;
}

/* Two lines over the bar and above `above`, three if the parts exceed the total; moved above the limit's line if that would
 * cross them. */
static void total_label(struct scene *scene, const struct bar_chart *chart, const struct chart_bar *bar,
                        const struct axis *axis, int middle, int above) {
    int64_t excess = bar_excess(chart, bar);
    const int height = excess ? 47 : 32;
    int bottom = axis_y(axis, stack_height(chart, bar)) - 6;
    if (bottom > above - 2) bottom = above - 2;
    int line = axis_y(axis, bar->limit);
    if (bar->limit > 0 && line > bottom - height - 2 && line < bottom + 6) bottom = line - 6;
    bool over = bar->limit > 0 && bar->total > bar->limit;
    char text[80];
    if (excess) {
        snprintf(text, sizeof text, "parts +%s MB", figure_milli(excess, 2).text);
        label_on_paper(scene, middle, bottom - 30, slice_from(text),
                       (struct text_style){.size = TEXT_SMALL, .anchor = ANCHOR_MIDDLE, .color = COLOR_BAD});
    }
    if (bar->total_unknown) {
        label_on_paper(scene, middle, bottom, SLICE("peak not known"),
                       (struct text_style){.size = TEXT_PLAIN, .anchor = ANCHOR_MIDDLE, .color = COLOR_DIM});
        return;
    }
    snprintf(text, sizeof text, excess ? "peak %s MB" : "%s MB", figure_milli(bar->total, 2).text);
    label_on_paper(
        scene, middle, bottom - 15, slice_from(text),
        (struct text_style){.size = TEXT_PLAIN, .bold = true, .anchor = ANCHOR_MIDDLE, .color = over ? COLOR_BAD : COLOR_INK});
    if (bar->limit <= 0) return;
    snprintf(text, sizeof text, "%s %% of %s", figure_milli(bar->share, 2).text, figure_milli(bar->limit, 0).text);
    label_on_paper(scene, middle, bottom, slice_from(text),
                   (struct text_style){.size = TEXT_SMALL, .anchor = ANCHOR_MIDDLE, .color = over ? COLOR_BAD : COLOR_DIM});
}

/* Where a line of the name ends: after the last space that fits, else after the last _ - or /, else where it is full. */
static size_t line_end(struct slice name, int width) {
    size_t full = 1, space = 0, sign = 0;
    for (size_t i = 1; i <= name.len && text_width(slice_take(name, i), TEXT_PLAIN, false) <= width; i++) {
        if (i < name.len && ((unsigned char)name.ptr[i] & 0xc0) == 0x80) continue;
        full = i;
        if (name.ptr[i - 1] == ' ') space = i;
        if (strchr("_-/", name.ptr[i - 1])) sign = i;
    }
    return space ? space : sign ? sign : full;
}

static int lines_of(struct slice name, int width) {
    int lines = 0;
    for (; name.len; lines++) {
        bool last = text_width(name, TEXT_PLAIN, false) <= width;
        name = last ? slice_of(NULL, 0) : slice_trim(slice_skip(name, line_end(name, width)));
    }
    return lines;
}

/* The name in up to three lines, shortened in the middle until it fits them. */
static void name_label(struct scene *scene, struct slice name, int middle, int y, int width) {
    int room = NAME_LINES * width;
    struct slice rest = scene_fit(scene, name, room, TEXT_PLAIN, false);
    for (; lines_of(rest, width) > NAME_LINES && room > width; room -= TEXT_PLAIN)
        rest = scene_fit(scene, name, room, TEXT_PLAIN, false);
    for (int line = 0; line < NAME_LINES && rest.len; line++, y += NAME_LINE) {
        struct slice part = text_width(rest, TEXT_PLAIN, false) > width ? slice_take(rest, line_end(rest, width)) : rest;
        scene_text(scene, middle, y, slice_trim(part),
                   (struct text_style){.size = TEXT_PLAIN, .anchor = ANCHOR_MIDDLE, .color = COLOR_INK});
        rest = slice_trim(slice_skip(rest, part.len));
    }
}

static int draw_row(struct scene *scene, const struct bar_chart *chart, size_t first, size_t count, int64_t most, int y) {
    struct axis axis = {.top = y, .bottom = y + PLOT_HEIGHT, .most = most};
    int right = scene->width - CHART_RIGHT;
    int slot = SLOT, used = (int)count * SLOT;
    if (count * 2 <= BARS_PER_ROW && used < right - CHART_LEFT && chart->bars.len == count)
        slot = (right - CHART_LEFT) / (int)count;
    axis_draw(scene, &axis, CHART_LEFT, right);
    for (size_t i = 0; i < count; i++)
        segments(scene, chart, &chart->bars.items[first + i], &axis, CHART_LEFT + (int)i * slot + slot / 2 - BAR / 2);
    for (size_t i = 0, end; i < count; i = end) {
        int64_t limit = chart->bars.items[first + i].limit;
        for (end = i + 1; end < count && chart->bars.items[first + end].limit == limit;) end++;
        int y_limit = axis_y(&axis, limit);
        if (limit > 0)
            scene_line(scene, CHART_LEFT + (int)i * slot, y_limit, CHART_LEFT + (int)end * slot, y_limit, COLOR_LIMIT, 2, true);
    }
    for (size_t i = 0; i < count; i++) {
        const struct chart_bar *bar = &chart->bars.items[first + i];
        int middle = CHART_LEFT + (int)i * slot + slot / 2;
        int above = segment_labels(scene, chart, bar, &axis, middle - BAR / 2);
        total_label(scene, chart, bar, &axis, middle, above);
        name_label(scene, bar->name, middle, axis.bottom + 20, slot - 10);
    }
    return axis.bottom + 20 + NAME_LINES * NAME_LINE;
}

struct chart_left_out bar_chart_draw(struct scene *scene, const struct bar_chart *chart) {
    size_t shown = chart->bars.len < BARS_PER_ROW * MOST_ROWS ? chart->bars.len : BARS_PER_ROW * MOST_ROWS;
    size_t across = shown < BARS_PER_ROW ? shown : BARS_PER_ROW;
    scene->width = CHART_LEFT + (int)across * SLOT + CHART_RIGHT;
    if (scene->width < LEAST_WIDTH) scene->width = LEAST_WIDTH;
    struct legend_item items[MOST_SERIES + 1];
    size_t count = 0;
    for (; count < chart->series_len; count++)
        items[count] = (struct legend_item){.title = chart->series[count].title, .color = chart->series[count].color};
    items[count++] = (struct legend_item){.title = chart->limit_title, .color = COLOR_LIMIT, .is_line = true, .dashed = true};
    int y = chart_head(scene, chart->title, items, count) + 14;
    for (size_t i = 0; i < shown; i++)
        if (bar_excess(chart, &chart->bars.items[i])) {
            y = chart_note(scene, y - 14, "The parts exceed the peak where a dark line marks it.") + 14;
            break;
        }
    char text[96];
    snprintf(text, sizeof text, "The first %zu of %zu are drawn.", shown, chart->bars.len);
    if (shown < chart->bars.len) y = chart_note(scene, y - 14, text) + 14;
    int64_t most = highest(chart);
    for (size_t first = 0; first < shown; first += BARS_PER_ROW) {
        size_t left = shown - first;
        y = draw_row(scene, chart, first, left < BARS_PER_ROW ? left : BARS_PER_ROW, most, y);
        if (left > BARS_PER_ROW) y += ROW_GAP - 20;
    }
    scene->height = y + 6;
    return (struct chart_left_out){.runs = chart->bars.len - shown};
}
