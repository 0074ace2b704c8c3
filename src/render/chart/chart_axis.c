/* SPDX-License-Identifier: Apache-2.0 */
#include "render/chart/chart_axis.h"

#include "base/amounts.h"

int axis_y(const struct axis *axis, int64_t value) {
    if (axis->most <= 0 || value <= 0) return axis->bottom;
    return axis->bottom - (int)((__int128)value * (axis->bottom - axis->top) / axis->most);
}

/* 1, 2 or 5 times a power of ten MB, for about six lines. */
static int64_t tick_step(int64_t most) {
    static const int64_t leads[] = {1, 2, 5};
    for (int64_t power = 10; power < most; power *= 10)
        for (size_t i = 0; i < 3; i++)
            if (power * leads[i] >= most / 6) return power * leads[i];
    return most > 10 ? most : 10;
}

void axis_draw(struct scene *scene, const struct axis *axis, int x, int x2) {
    int64_t step = tick_step(axis->most);
    for (int64_t value = 0; value <= axis->most; value += step) {
        int y = axis_y(axis, value);
        scene_line(scene, x, y, x2, y, value ? COLOR_GRID : COLOR_DIM, 1, false);
        struct figure text = step % 1000 ? figure_milli(value, 2) : figure_grouped((uint64_t)value / 1000);
        scene_text(scene, x - 8, y + 4, slice_from(text.text),
                   (struct text_style){.size = TEXT_SMALL, .anchor = ANCHOR_END, .color = COLOR_DIM});
    }
    scene_text(scene, x - 8, axis->top - 8, SLICE("MB"),
               (struct text_style){.size = TEXT_SMALL, .anchor = ANCHOR_END, .color = COLOR_DIM});
}

int chart_head(struct scene *scene, struct slice title, const struct legend_item *items, size_t count) {
    int y = CHART_EDGE;
    if (title.len) {
        struct slice fitted = scene_fit(scene, title, scene->width - 2 * CHART_EDGE, TEXT_TITLE, true);
        scene_text(scene, CHART_EDGE, y + TEXT_TITLE - 3, fitted,
                   (struct text_style){.size = TEXT_TITLE, .bold = true, .color = COLOR_INK});
        y += TEXT_TITLE + 14;
    }
    int x = CHART_EDGE;
    for (size_t i = 0; i < count; i++) {
        struct slice text = slice_from(items[i].title);
        int width = 28 + text_width(text, TEXT_PLAIN, false);
        if (x + width > scene->width - CHART_EDGE && x > CHART_EDGE) {
            x = CHART_EDGE;
            y += 20;
        }
        if (items[i].is_line) scene_line(scene, x, y + 6, x + 20, y + 6, items[i].color, 2, items[i].dashed);
        else scene_rect(scene, x + 4, y, x + 16, y + 12, items[i].color);
        scene_text(scene, x + 24, y + 10, text, (struct text_style){.size = TEXT_PLAIN, .color = COLOR_INK});
        x += width + 12;
    }
    return y + 34;
}

int chart_note(struct scene *scene, int y, const char *text) {
    scene_text(scene, CHART_EDGE, y - 2, scene_fit(scene, slice_from(text), scene->width - 2 * CHART_EDGE, TEXT_PLAIN, false),
               (struct text_style){.size = TEXT_PLAIN, .color = COLOR_DIM});
    return y + 24;
}

void label_on_paper(struct scene *scene, int x, int y, struct slice text, struct text_style style) {
    int width = text_width(text, style.size, style.bold);
    int left = style.anchor == ANCHOR_MIDDLE ? x - width / 2 : style.anchor == ANCHOR_END ? x - width : x;
    scene_rect(scene, left - 1, y - style.size, left + width + 1, y + 3, COLOR_PAPER);
    scene_text(scene, x, y, text, style);
}
