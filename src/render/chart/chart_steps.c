/* SPDX-License-Identifier: Apache-2.0 */
/* Steps over time, one panel per run: what is in use after each step, how high it went during the step, the highest so far.
 * A run with more steps than its panel has room for shows its head, the steps around the peak and its tail, with marks in
 * between. */
#include <limits.h>
#include <stdio.h>

#include "render/chart/chart.h"
#include "render/chart/chart_axis.h"
#include "base/amounts.h"

enum {
    MOST_PANELS = 60,
    MOST_IN_ONE_COLUMN = 3,
    MOST_COLUMNS = 5,
    GRID_PLOT = 400, /* width of a plot in a grid */
    NARROWEST_STEP = 3,
    GAP_PLACES = 8, /* width of a mark, in steps */
    WIDEST_PLOT = 1180,
    NARROWEST_PLOT = 600, /* with the legend in two lines */
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

/* What is at each position of a panel from the left: a step, or a mark for steps that are left out. */
enum { GAP = -1 };

struct step_row {
    VEC(int64_t) places; /* index of a step, or GAP */
    size_t steps;        /* number drawn */
};

static void add_steps(struct step_row *row, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) vec_push(&row->places, (int64_t)i);
    row->steps += to - from;
}

static void add_gap(struct step_row *row, size_t from, size_t to) {
    for (size_t i = 0; from < to && i < GAP_PLACES; i++) vec_push(&row->places, GAP);
}

/* A third of the room each for the head, the steps around the peak, and the tail. */
static struct step_row row_of(const struct step_panel *panel, size_t room) {
    struct step_row row = {0};
    size_t count = panel->steps.len, third = room > 2 * GAP_PLACES ? (room - 2 * GAP_PLACES) / 3 : 1;
    if (count <= room) {
        add_steps(&row, 0, count);
        return row;
    }
    size_t tail = count - third, from = panel->peak > third / 2 ? panel->peak - third / 2 : 0;
    if (from < third) from = third;
    if (from > tail - third) from = tail - third;
    add_steps(&row, 0, third);
    add_gap(&row, third, from);
    add_steps(&row, from, from + third);
    add_gap(&row, from + third, tail);
    add_steps(&row, tail, count);
    return row;
}

/* Where place `i` of a panel is drawn. */
struct label_place {
    int x, x2, middle;
};

static struct label_place place_of(int left, int width, size_t i, size_t count) {
    struct label_place p = {.x = left + (int)((int64_t)width * (int64_t)i / (int64_t)count),
                            .x2 = left + (int)((int64_t)width * (int64_t)(i + 1) / (int64_t)count)};
    p.middle = (p.x + p.x2) / 2;
    return p;
}

static void draw_step(struct scene *scene, const struct axis *axis, const struct chart_step *step, struct label_place p) {
    int width = p.x2 - p.x, margin = width > 20 ? width / 7 : width > 4 ? 1 : 0;
    scene_rect(scene, p.x + margin, axis_y(axis, top_of(step)), p.x2 - margin, axis->bottom, COLOR_DURING);
    int inner = width > 30 ? margin + width / 9 : margin;
    scene_rect(scene, p.x + inner, axis_y(axis, step->after), p.x2 - inner, axis->bottom, COLOR_AFTER);
}

/* A name under its step: level if it has room, else slanted, else only as many as fit. */
static void draw_name(struct scene *scene, struct slice name, struct label_place p, int edge, int y, bool level) {
    if (level) {
        scene_text(scene, p.middle, y + 16, scene_fit(scene, name, p.x2 - p.x - 6, TEXT_SMALL, false),
                   (struct text_style){.size = TEXT_SMALL, .anchor = ANCHOR_MIDDLE, .color = COLOR_INK});
        return;
    }
    int room = (p.middle - edge - 4) * 100 / 82; /* cos 35: the first names must not leave their panel */
    scene_text(scene, p.middle + 5, y + 12, scene_fit(scene, name, room < NAME_WIDTH ? room : NAME_WIDTH, TEXT_SMALL, false),
               (struct text_style){.size = TEXT_SMALL, .anchor = ANCHOR_END, .color = COLOR_INK, .angle = SLANT});
}

static bool names_are_level(const struct step_panel *panel, int slot) {
    for (size_t i = 0; i < panel->steps.len; i++)
        if (text_width(panel->steps.items[i].name, TEXT_SMALL, false) > slot - 6) return false;
    return true;
}

/* The rise of a step above its column and above lines that would cross it; upright if the column is narrow, left out if a
 * label to the left is in the way. */
static void draw_rise(struct scene *scene, const struct axis *axis, const struct chart_step *step, int64_t limit,
                      struct label_place p, int *free_from) {
    if (step->rise <= 0) return;
    char text[48];
    snprintf(text, sizeof text, "+%s",
             step->rise < 10000 ? figure_milli(step->rise, 2).text : figure_milli(step->rise, 0).text);
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

/* The position of one panel. */
struct grid_cell {
    int x, y; /* of its corner */
    int plot; /* width of its plot */
};

static void draw_peak_line(struct scene *scene, const struct axis *axis, const struct step_panel *panel,
                           const struct step_row *row, int left, int width) {
    int last = axis->bottom;
    for (size_t i = 0; i < row->places.len; i++) {
        if (row->places.items[i] == GAP) continue;
        struct label_place p = place_of(left, width, i, row->places.len);
        int y = axis_y(axis, panel->steps.items[row->places.items[i]].peak);
        if (y != last && i) scene_line(scene, p.x, last, p.x, y, COLOR_SO_FAR, 1, false);
        scene_line(scene, p.x, y, p.x2, y, COLOR_SO_FAR, 1, false);
        last = y;
    }
}

/* Two slanted strokes through the bottom line, and dots in the middle of the plot. */
static void draw_gap(struct scene *scene, const struct axis *axis, struct label_place first, struct label_place last) {
    int middle = (first.x + last.x2) / 2;
    scene_rect(scene, first.x, axis->top, last.x2, axis->bottom + 1, COLOR_PAPER);
    for (int x = middle - 6; x <= middle + 6; x += 12)
        scene_line(scene, x - 3, axis->bottom + 6, x + 3, axis->bottom - 6, COLOR_DIM, 2, false);
    scene_text(scene, middle, (axis->top + axis->bottom) / 2, SLICE("…"),
               (struct text_style){.size = TEXT_TITLE, .bold = true, .anchor = ANCHOR_MIDDLE, .color = COLOR_DIM});
}

static void draw_columns(struct scene *scene, const struct axis *axis, const struct step_panel *panel,
                         const struct step_row *row, int left, int width) {
    size_t count = row->places.len;
    for (size_t i = 0; i < count; i++) {
        struct label_place p = place_of(left, width, i, count);
        if (row->places.items[i] != GAP) draw_step(scene, axis, &panel->steps.items[row->places.items[i]], p);
        else if (row->places.items[i - 1] != GAP) draw_gap(scene, axis, p, place_of(left, width, i + GAP_PLACES - 1, count));
    }
    draw_peak_line(scene, axis, panel, row, left, width);
}

/* If steps are narrow, only as many labels as fit; that of the peak always. */
static void draw_labels(struct scene *scene, const struct axis *axis, const struct step_panel *panel,
                        const struct step_row *row, int edge, int width, bool level) {
    int left = edge + CHART_LEFT, names_free_from = 0, rises_free_from = 0;
    size_t count = row->places.len;
    bool narrow = width / (int)count < NARROWEST_NAME;
    int peak = INT_MIN / 2;
    for (size_t i = 0; narrow && i < count; i++)
        if (row->places.items[i] == (int64_t)panel->peak) peak = place_of(left, width, i, count).middle;
    for (size_t i = 0; i < count; i++) {
        if (row->places.items[i] == GAP) continue;
        const struct chart_step *step = &panel->steps.items[row->places.items[i]];
        struct label_place p = place_of(left, width, i, count);
        if (row->places.items[i] == (int64_t)panel->peak) rises_free_from = names_free_from = 0;
        else if (p.middle > peak - NARROWEST_NAME && p.middle < peak) continue;
        draw_rise(scene, axis, step, panel->limit, p, &rises_free_from);
        if (!level && p.middle < names_free_from) continue;
        names_free_from = p.middle + NARROWEST_NAME;
        draw_name(scene, step->name, p, edge, axis->bottom, level);
    }
}

static void draw_title(struct scene *scene, const struct step_panel *panel, size_t drawn, struct grid_cell cell) {
    char note[80] = "";
    if (drawn < panel->steps.len) snprintf(note, sizeof note, " (%zu of %zu phases)", drawn, panel->steps.len);
    struct strbuf title = {0};
    int room = cell.plot - text_width(slice_from(note), TEXT_PLAIN + 1, true);
    strbuf_add(&title, scene_fit(scene, panel->title, room, TEXT_PLAIN + 1, true));
    strbuf_addz(&title, note);
    scene_text(scene, cell.x + CHART_LEFT, cell.y + 6, strbuf_slice(&title),
               (struct text_style){.size = TEXT_PLAIN + 1, .bold = true, .color = COLOR_INK});
    strbuf_release(&title);
}

/* Returns where the panel ends. */
static int draw_panel(struct scene *scene, const struct step_panel *panel, int64_t most, struct grid_cell cell) {
    struct step_row row = row_of(panel, (size_t)(cell.plot / NARROWEST_STEP));
    int left = cell.x + CHART_LEFT, right = left + cell.plot;
    draw_title(scene, panel, row.steps, cell);
    struct axis axis = {.top = cell.y + 34, .bottom = cell.y + 34 + PLOT_HEIGHT, .most = most};
    axis_draw(scene, &axis, left, right);
    if (!row.steps) return axis.bottom + 30;
    int widest = (int)(row.places.len < WIDEST_PLOT / WIDEST_SLOT ? row.places.len : WIDEST_PLOT / WIDEST_SLOT) * WIDEST_SLOT;
    int width = row.places.len < WIDEST_PLOT / WIDEST_SLOT && widest < cell.plot ? widest : cell.plot;
    bool level = names_are_level(panel, width / (int)row.places.len);
    draw_columns(scene, &axis, panel, &row, left, width);
    if (panel->limit > 0)
        scene_line(scene, left, axis_y(&axis, panel->limit), right, axis_y(&axis, panel->limit), COLOR_LIMIT, 2, true);
    draw_labels(scene, &axis, panel, &row, cell.x, width, level);
    vec_release(&row.places);
    return axis.bottom + (level ? 44 : 40 + NAME_WIDTH * 57 / 100);
}

/* About as many panels across as down. */
static size_t columns_for(size_t panels) {
    size_t columns = 1;
    if (panels <= MOST_IN_ONE_COLUMN) return 1;
    while (columns < MOST_COLUMNS && columns * columns < panels) columns++;
    return columns;
}

static int plot_width(const struct step_chart *chart, size_t columns) {
    int plot = NARROWEST_PLOT;
    for (size_t i = 0; i < chart->panels.len; i++) {
        size_t steps = chart->panels.items[i].steps.len;
        int wanted = steps < WIDEST_PLOT / WIDEST_SLOT ? (int)steps * WIDEST_SLOT : WIDEST_PLOT;
        if (wanted > plot) plot = wanted;
    }
    return columns > 1 ? GRID_PLOT : plot;
}

/* The notes need their place before the panels are drawn, so what is left out is counted first. */
static size_t steps_left_out(const struct step_chart *chart, size_t shown, int plot) {
    size_t left_out = 0;
    for (size_t i = 0; i < shown; i++) {
        struct step_row row = row_of(&chart->panels.items[i], (size_t)(plot / NARROWEST_STEP));
        left_out += chart->panels.items[i].steps.len - row.steps;
        vec_release(&row.places);
    }
    return left_out;
}

static int draw_notes(struct scene *scene, const struct step_chart *chart, struct chart_left_out left_out, int y) {
    char text[160];
    if (left_out.steps) {
        snprintf(text, sizeof text,
                 "%zu phases are left out where the plot is broken (…); the phase that sets the peak is drawn.",
                 left_out.steps);
        y = chart_note(scene, y, text);
    }
    if (left_out.runs) {
        snprintf(text, sizeof text, "The first %zu of %zu are drawn.", chart->panels.len - left_out.runs, chart->panels.len);
        y = chart_note(scene, y, text);
    }
    return y;
}

struct chart_left_out step_chart_draw(struct scene *scene, const struct step_chart *chart) {
    size_t shown = chart->panels.len < MOST_PANELS ? chart->panels.len : MOST_PANELS, columns = columns_for(shown);
    int plot = plot_width(chart, columns), panel_width = CHART_LEFT + plot + CHART_RIGHT;
    scene->width = (int)columns * panel_width;
    const struct legend_item items[] = {
        {"In use after the phase", COLOR_AFTER, false, false},
        {"Highest during the phase, with its segment peak", COLOR_DURING, false, false},
        {"Peak so far", COLOR_SO_FAR, true, false},
        {chart->limit_title, COLOR_LIMIT, true, true},
    };
    struct chart_left_out left_out = {.runs = chart->panels.len - shown, .steps = steps_left_out(chart, shown, plot)};
    int y = chart_head(scene, chart->title, items, sizeof items / sizeof *items);
    y = draw_notes(scene, chart, left_out, y);
    int64_t most = highest(chart);
    for (size_t first = 0, end; first < shown; first = end) {
        int below = y;
        for (end = first; end < shown && end < first + columns; end++) {
            struct grid_cell cell = {.x = (int)(end - first) * panel_width, .y = y, .plot = plot};
            int bottom = draw_panel(scene, &chart->panels.items[end], most, cell);
            if (bottom > below) below = bottom;
        }
        y = below;
    }
    scene->height = y;
    return left_out;
}
