/* Steps over time, a panel per run: what is in use after each step, how high it went during the step, the highest so far. */
#include <stdio.h>

#include "render/chart.h"
#include "render/chart_axis.h"
#include "render/figures.h"

enum {
    MOST_PANELS = 60,
    MOST_STEPS = 400,
    WIDEST_PLOT = 1180,
    NARROWEST_PLOT = 600, /* the legend in two lines */
    WIDEST_SLOT = 150,
    NARROWEST_NAME = 23, /* slanted names this far apart do not touch */
    PLOT_HEIGHT = 260,
    NAME_WIDTH = 170,
    SLANT = -35,
    COLOR_AFTER = 0x4da6b8,
    COLOR_DURING = 0xf3d3b8,
    COLOR_SO_FAR = 0x59636e,
};

void step_chart_release(struct step_chart *chart) {
    for (size_t i = 0; i < chart->panels.len; i++) vec_release(&chart->panels.items[i].steps);
    vec_release(&chart->panels);
}

static int64_t top_of(const struct chart_step *step) { return step->before + step->rise; }

static int64_t highest(const struct step_chart *chart) {
    int64_t most = 1000;
    for (size_t i = 0; i < chart->panels.len; i++) {
        const struct step_panel *panel = &chart->panels.items[i];
        if (panel->limit > most) most = panel->limit;
        for (size_t k = 0; k < panel->steps.len; k++) {
            const struct chart_step *step = &panel->steps.items[k];
            if (top_of(step) > most) most = top_of(step);
            if (step->after > most) most = step->after;
            if (step->peak > most) most = step->peak;
        }
    }
    return most + most / 6;
}

/* Where step `i` of a panel is drawn. */
struct place {
    int x, x2, middle;
};

static struct place place_of(int left, int width, size_t i, size_t count) {
    struct place p = {.x = left + (int)((int64_t)width * (int64_t)i / (int64_t)count),
                      .x2 = left + (int)((int64_t)width * (int64_t)(i + 1) / (int64_t)count)};
    p.middle = (p.x + p.x2) / 2;
    return p;
}

static void draw_step(struct scene *scene, const struct axis *axis, const struct chart_step *step, struct place p) {
    int width = p.x2 - p.x, margin = width > 20 ? width / 7 : width > 4 ? 1 : 0;
    scene_rect(scene, p.x + margin, axis_y(axis, top_of(step)), p.x2 - margin, axis->bottom, COLOR_DURING);
    int inner = width > 30 ? margin + width / 9 : margin;
    scene_rect(scene, p.x + inner, axis_y(axis, step->after), p.x2 - inner, axis->bottom, COLOR_AFTER);
}

/* A name under its step: level where it has room, else slanted, else only as many as have room. */
static void draw_name(struct scene *scene, struct slice name, struct place p, int y, bool level) {
    if (level) {
        scene_text(scene, p.middle, y + 16, scene_fit(scene, name, p.x2 - p.x - 6, TEXT_SMALL, false),
                   (struct text_style){.size = TEXT_SMALL, .anchor = ANCHOR_MIDDLE, .color = COLOR_INK});
        return;
    }
    int room = (p.middle - 4) * 100 / 82; /* cos 35: the first names must not leave the picture */
    scene_text(scene, p.middle + 5, y + 12, scene_fit(scene, name, room < NAME_WIDTH ? room : NAME_WIDTH, TEXT_SMALL, false),
               (struct text_style){.size = TEXT_SMALL, .anchor = ANCHOR_END, .color = COLOR_INK, .angle = SLANT});
}

static bool names_are_level(const struct step_panel *panel, size_t shown, int slot) {
    for (size_t i = 0; i < shown; i++)
        if (text_width(panel->steps.items[i].name, TEXT_SMALL, false) > slot - 6) return false;
    return true;
}

/* The rise of a step above its column; above the lines that would cross it; upright where the column is narrow, left out where
 * a label to the left is in the way. */
static void draw_rise(struct scene *scene, const struct axis *axis, const struct chart_step *step, int64_t limit,
                      struct place p, int *free_from) {
    if (step->rise <= 0) return;
    char text[48];
    snprintf(text, sizeof text, "+%s", step->rise < 10000 ? fixed2(step->rise).text : rounded(step->rise).text);
    int level = text_width(slice_from(text), TEXT_SMALL, false);
    bool upright = level > p.x2 - p.x - 2;
    int half = upright ? 7 : level / 2;
    if (p.middle - half < *free_from) return;
    *free_from = p.middle + half;
    int64_t top = top_of(step) > step->after ? top_of(step) : step->after;
    int lines[] = {axis_y(axis, step->peak), axis_y(axis, limit)}, height = upright ? level : TEXT_SMALL;
    int y = axis_y(axis, top) - 5;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < 2; i++)
            if (lines[i] <= y + 3 && lines[i] >= y - height - 2) y = lines[i] - 5;
    if (upright)
        scene_text(scene, p.middle + 4, y, slice_from(text),
                   (struct text_style){.size = TEXT_SMALL, .color = COLOR_INK, .angle = -90});
    else
        label_on_paper(scene, p.middle, y, slice_from(text),
                       (struct text_style){.size = TEXT_SMALL, .anchor = ANCHOR_MIDDLE, .color = COLOR_INK});
}

static void draw_peak_line(struct scene *scene, const struct axis *axis, const struct step_panel *panel, size_t shown, int left,
                           int width) {
    int last = axis->bottom;
    for (size_t i = 0; i < shown; i++) {
        struct place p = place_of(left, width, i, shown);
        int y = axis_y(axis, panel->steps.items[i].peak);
        if (y != last && i) scene_line(scene, p.x, last, p.x, y, COLOR_SO_FAR, 1, false);
        scene_line(scene, p.x, y, p.x2, y, COLOR_SO_FAR, 1, false);
        last = y;
    }
}

static int draw_panel(struct scene *scene, const struct step_panel *panel, int64_t most, int y) {
    const int plot = scene->width - CHART_LEFT - CHART_RIGHT;
    size_t shown = panel->steps.len < MOST_STEPS ? panel->steps.len : MOST_STEPS;
    struct strbuf title = {0};
    strbuf_add(&title, panel->title);
    if (shown < panel->steps.len) strbuf_addf(&title, " (the first %zu of %zu phases)", shown, panel->steps.len);
    scene_text(scene, CHART_LEFT, y + 6, scene_fit(scene, strbuf_slice(&title), plot, TEXT_PLAIN + 1, true),
               (struct text_style){.size = TEXT_PLAIN + 1, .bold = true, .color = COLOR_INK});
    strbuf_release(&title);
    struct axis axis = {.top = y + 34, .bottom = y + 34 + PLOT_HEIGHT, .most = most};
    axis_draw(scene, &axis, CHART_LEFT, CHART_LEFT + plot);
    if (!shown) return axis.bottom + 30;
    int width = shown < WIDEST_PLOT / WIDEST_SLOT ? (int)shown * WIDEST_SLOT : plot;
    int slot = width / (int)shown;
    bool level = names_are_level(panel, shown, slot);
    for (size_t i = 0; i < shown; i++) draw_step(scene, &axis, &panel->steps.items[i], place_of(CHART_LEFT, width, i, shown));
    draw_peak_line(scene, &axis, panel, shown, CHART_LEFT, width);
    if (panel->limit > 0)
        scene_line(scene, CHART_LEFT, axis_y(&axis, panel->limit), CHART_LEFT + plot, axis_y(&axis, panel->limit), COLOR_LIMIT,
                   2, true);
    int names_free_from = 0, rises_free_from = 0;
    for (size_t i = 0; i < shown; i++) {
        struct place p = place_of(CHART_LEFT, width, i, shown);
        draw_rise(scene, &axis, &panel->steps.items[i], panel->limit, p, &rises_free_from);
        if (!level && p.middle < names_free_from) continue;
        names_free_from = p.middle + NARROWEST_NAME;
        draw_name(scene, panel->steps.items[i].name, p, axis.bottom, level);
    }
    return axis.bottom + (level ? 44 : 40 + NAME_WIDTH * 57 / 100);
}

void step_chart_draw(struct scene *scene, const struct step_chart *chart) {
    size_t shown = chart->panels.len < MOST_PANELS ? chart->panels.len : MOST_PANELS;
    int plot = NARROWEST_PLOT;
    for (size_t i = 0; i < shown; i++) {
        size_t steps = chart->panels.items[i].steps.len;
        int wanted = steps < WIDEST_PLOT / WIDEST_SLOT ? (int)steps * WIDEST_SLOT : WIDEST_PLOT;
        if (wanted > plot) plot = wanted;
    }
    scene->width = CHART_LEFT + plot + CHART_RIGHT;
    const struct legend_item items[] = {
        {"In use after the phase", COLOR_AFTER, false, false},
        {"Highest during the phase, with its segment peak", COLOR_DURING, false, false},
        {"Peak so far", COLOR_SO_FAR, true, false},
        {chart->limit_title, COLOR_LIMIT, true, true},
    };
    int y = chart_head(scene, chart->title, items, sizeof items / sizeof *items);
    int64_t most = highest(chart);
    for (size_t i = 0; i < shown; i++) y = draw_panel(scene, &chart->panels.items[i], most, y);
    if (shown < chart->panels.len) {
        char text[96];
        snprintf(text, sizeof text, "The first %zu of %zu are drawn.", shown, chart->panels.len);
        scene_text(scene, CHART_LEFT, y, slice_from(text), (struct text_style){.size = TEXT_PLAIN, .color = COLOR_DIM});
        y += 20;
    }
    scene->height = y;
}
