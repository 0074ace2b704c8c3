/* SPDX-License-Identifier: Apache-2.0 */
/* The charts in a terminal: one line per bar or step, drawn from the left. */
#include "base/utf8.h"
#include "render/chart/chart.h"
#include "base/amounts.h"

enum { LEAST_CELLS = 20, MOST_CELLS = 72, NAME = 28, FIGURES = 24, COLUMNS_OF_A_PIPE = 120 };

static unsigned cells_for(const struct term *term) {
    unsigned columns = term->columns ? term->columns : COLUMNS_OF_A_PIPE;
    unsigned others = NAME + FIGURES + 4;
    unsigned cells = columns > others + LEAST_CELLS ? columns - others : LEAST_CELLS;
    return cells < MOST_CELLS ? cells : MOST_CELLS;
}

static void name_cell(struct strbuf *out, const struct term *term, struct slice name) {
    struct strbuf clean = {0};
    utf8_add_printable(&clean, name, !term->utf8);
    size_t start = out->len;
    utf8_add_shortened(out, strbuf_slice(&clean), NAME, term->utf8 ? SLICE("…") : SLICE("..."));
    size_t used = utf8_width(slice_of(out->data + start, out->len - start));
    strbuf_fill(out, ' ', (used < NAME ? NAME - used : 0) + 2);
    strbuf_release(&clean);
}

static void use_color(struct strbuf *out, const struct term *term, uint32_t color) {
    if (term->color) strbuf_addf(out, "\x1b[38;2;%u;%u;%um", color >> 16 & 255, color >> 8 & 255, color & 255);
}

static unsigned cell_of(int64_t value, int64_t most, unsigned cells) {
    if (value <= 0 || most <= 0) return 0;
    return (unsigned)(((__int128)value * cells + most / 2) / most);
}

static void limit_cell(struct strbuf *out, const struct term *term) {
    term_tone(out, term, TONE_BAD);
    strbuf_addz(out, term->utf8 ? "┊" : "|");
    term_tone(out, term, TONE_PLAIN);
}

static void figures(struct strbuf *out, const struct term *term, const struct chart_bar *bar) {
    struct figure text = {"-"};
    if (!bar->total_unknown) text = figure_milli(bar->total, 2);
    strbuf_fill(out, ' ', strlen(text.text) < 11 ? 11 - strlen(text.text) : 1);
    strbuf_addz(out, text.text);
    if (bar->limit <= 0 || bar->total_unknown) return;
    text = figure_milli(bar->share, 2);
    strbuf_fill(out, ' ', strlen(text.text) < 9 ? 9 - strlen(text.text) : 1);
    bool over = bar->total > bar->limit;
    if (over) term_tone(out, term, TONE_BAD);
    strbuf_addf(out, "%s %%", text.text);
    if (over) term_tone(out, term, TONE_PLAIN);
}

static void print_bar(struct strbuf *out, const struct bar_chart *chart, const struct chart_bar *bar, const struct term *term,
                      int64_t most, unsigned cells) {
    unsigned at = 0, limit = bar->limit > 0 ? cell_of(bar->limit, most, cells) : cells + 1;
    int64_t sum = 0;
    for (size_t s = 0; s < chart->series_len; s++) {
        sum += bar->values[s];
        use_color(out, term, chart->series[s].color);
        for (unsigned end = cell_of(sum, most, cells); at < end; at++) {
            if (at == limit) {
                limit_cell(out, term);
                use_color(out, term, chart->series[s].color);
            } else {
                strbuf_addz(out, term->color && term->utf8 ? "█"
                                 : term->utf8              ? chart->series[s].fill
                                                           : chart->series[s].ascii_fill);
            }
        }
    }
    term_tone(out, term, TONE_PLAIN);
    for (; at <= cells; at++) {
        if (at == limit) limit_cell(out, term);
        else strbuf_addc(out, ' ');
    }
}

void bar_chart_print(struct strbuf *out, const struct bar_chart *chart, const struct term *term) {
    unsigned cells = cells_for(term);
    int64_t most = 1;
    for (size_t i = 0; i < chart->bars.len; i++) {
        const struct chart_bar *bar = &chart->bars.items[i];
        int64_t sum = 0;
        for (size_t s = 0; s < chart->series_len; s++) sum += bar->values[s];
        if (sum > most) most = sum;
        if (bar->limit > most) most = bar->limit;
    }
    if (chart->title.len) {
        term_tone(out, term, TONE_BOLD);
        term_text(out, term, chart->title, 0);
        term_tone(out, term, TONE_PLAIN);
        strbuf_addc(out, '\n');
    }
    bool any_exceeds = false;
    for (size_t i = 0; i < chart->bars.len; i++) {
        name_cell(out, term, chart->bars.items[i].name);
        print_bar(out, chart, &chart->bars.items[i], term, most, cells);
        figures(out, term, &chart->bars.items[i]);
        bool exceeds = bar_excess(chart, &chart->bars.items[i]) > 0;
        any_exceeds |= exceeds;
        strbuf_addz(out, exceeds ? " *\n" : "\n");
    }
    for (size_t s = 0, at = 0; s < chart->series_len; s++) {
        size_t width = strlen(chart->series[s].title) + 4;
        if (s && term->columns && at + width > term->columns) {
            strbuf_addc(out, '\n');
            at = 0;
        }
        at += width;
        use_color(out, term, chart->series[s].color);
        strbuf_addz(out, term->color && term->utf8 ? "█" : term->utf8 ? chart->series[s].fill : chart->series[s].ascii_fill);
        term_tone(out, term, TONE_PLAIN);
        strbuf_addf(out, " %s  ", chart->series[s].title);
    }
    strbuf_addc(out, '\n');
    limit_cell(out, term);
    strbuf_addf(out, " %s\n", chart->limit_title);
    if (any_exceeds) strbuf_addz(out, "* the parts exceed the peak; the figure is the peak\n");
}

static void print_step(struct strbuf *out, const struct chart_step *step, int64_t most, int64_t limit_value, unsigned cells,
                       const struct term *term) {
    unsigned after = cell_of(step->after, most, cells), top = cell_of(step->before + step->rise, most, cells);
    unsigned peak = cell_of(step->peak, most, cells), limit = limit_value > 0 ? cell_of(limit_value, most, cells) : cells + 1;
    for (unsigned at = 0; at <= cells; at++) {
        if (at == limit) limit_cell(out, term);
        else if (at < after) strbuf_addz(out, term->utf8 ? "█" : "#");
        else if (at < top) strbuf_addz(out, term->utf8 ? "░" : "-");
        else if (at == peak && peak > top) strbuf_addz(out, term->utf8 ? "│" : "!");
        else strbuf_addc(out, ' ');
    }
    struct figure text = figure_milli(step->after, 2);
    strbuf_fill(out, ' ', strlen(text.text) < 11 ? 11 - strlen(text.text) : 1);
    strbuf_addz(out, text.text);
    text = figure_change(step->rise, 2);
    strbuf_fill(out, ' ', strlen(text.text) < 11 ? 11 - strlen(text.text) : 1);
    strbuf_addf(out, "%s\n", text.text);
}

void step_chart_print(struct strbuf *out, const struct step_chart *chart, const struct term *term) {
    unsigned cells = cells_for(term);
    int64_t most = 1;
    for (size_t i = 0; i < chart->panels.len; i++) {
        const struct step_panel *panel = &chart->panels.items[i];
        if (panel->limit > most) most = panel->limit;
        for (size_t k = 0; k < panel->steps.len; k++) {
            const struct chart_step *step = &panel->steps.items[k];
            if (step->before + step->rise > most) most = step->before + step->rise;
            if (step->peak > most) most = step->peak;
            if (step->after > most) most = step->after;
        }
    }
    for (size_t i = 0; i < chart->panels.len; i++) {
        const struct step_panel *panel = &chart->panels.items[i];
        if (i) strbuf_addc(out, '\n');
        term_tone(out, term, TONE_BOLD);
        term_text(out, term, panel->title, 0);
        term_tone(out, term, TONE_PLAIN);
        strbuf_addc(out, '\n');
        strbuf_fill(out, ' ', NAME + 3 + cells);
        strbuf_addz(out, "   in use MB    peak in it\n");
        for (size_t k = 0; k < panel->steps.len; k++) {
            name_cell(out, term, panel->steps.items[k].name);
            print_step(out, &panel->steps.items[k], most, panel->limit, cells, term);
        }
    }
    strbuf_addz(out, term->utf8 ? "█ in use after the phase  ░ highest during it  │ peak so far  "
                                : "# in use after the phase  - highest during it  ! peak so far  ");
    limit_cell(out, term);
    strbuf_addf(out, " %s\n", chart->limit_title);
}
