/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"
#include "base/amounts.h"
#include "render/train/train.h"
#include "render/train/train_words.h"

enum { LABEL = 18, AMOUNT = 13, PERCENT = 13, BAR = 32, PHASE = 30, COLUMN = 13 };

/* Columns of the phase table; those with a higher number give way first on a narrow terminal. */
static const struct phase_column {
    enum train_figure figure;
    unsigned gives_way;
} phase_columns[] = {
    {TRAIN_SEGMENT_PEAK, 0},    {TRAIN_ALLOCATIONS, 2},        {TRAIN_DEALLOCATIONS, 2}, {TRAIN_CHANGE, 1},
    {TRAIN_CUMULATIVE_PEAK, 0}, {TRAIN_CUMULATIVE_CURRENT, 0}, {TRAIN_L1_TOTAL, 3},
};

enum { PHASE_COLUMNS = sizeof phase_columns / sizeof *phase_columns, GIVE_WAY_STEPS = 4 };

const struct train_format train_formats[] = {
    {"text", train_text}, {"markdown", train_markdown}, {"json", train_json}, {NULL, NULL}};

static void pad_left(struct strbuf *out, const char *text, size_t width) {
    size_t len = utf8_width(slice_from(text));
    strbuf_fill(out, ' ', len < width ? width - len : 1); /* columns never touch */
    strbuf_addz(out, text);
}

static void pad_right(struct strbuf *out, const struct term *term, struct slice text, size_t width) {
    size_t start = out->len;
    term_text(out, term, text, width);
    size_t used = utf8_width(slice_of(out->data + start, out->len - start));
    strbuf_fill(out, ' ', used < width ? width - used : 0);
}

static void label(struct strbuf *out, const char *text) { strbuf_addf(out, "  %-*s", LABEL, text); }

/* Moves a sentence with text from the log into the output: made safe, and on a terminal broken at spaces, with further lines
 * indented like the first. */
static void flush(struct strbuf *out, const struct term *term, struct strbuf *sentence, size_t indent) {
    struct strbuf clean = {0};
    term_text(&clean, term, strbuf_slice(sentence), 0);
    strbuf_clear(sentence);
    struct slice rest = strbuf_slice(&clean);
    size_t room = term->columns > indent + 20 ? term->columns - indent : 0;
    while (room && utf8_width(rest) > room) {
        struct slice line = utf8_fit(rest, room);
        while (line.len && line.ptr[line.len - 1] != ' ') line.len--;
        if (!line.len) break;
        strbuf_add(out, slice_of(line.ptr, line.len - 1));
        strbuf_addc(out, '\n');
        strbuf_fill(out, ' ', indent);
        rest = slice_skip(rest, line.len);
    }
    strbuf_add(out, rest);
    strbuf_release(&clean);
}

/* A label and a sentence beside it. */
static void labelled(struct strbuf *out, const struct term *term, const char *name, struct strbuf *sentence) {
    label(out, name);
    strbuf_addz(out, "  ");
    flush(out, term, sentence, LABEL + 4);
    strbuf_addc(out, '\n');
}

static void heading(struct strbuf *out, const struct train_result *r, const struct term *term, struct strbuf *s) {
    term_tone(out, term, TONE_BOLD);
    term_text(out, term, r->name, 0);
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, "\n  ");
    if (r->summary->parameters.known)
        strbuf_addf(out, "%s parameters", figure_grouped((uint64_t)r->summary->parameters.value).text);
    else strbuf_addz(out, "number of parameters not in the log");
    strbuf_addz(out, term_dot(term));
    say_device(out, r);
    strbuf_addz(out, "\n  ");
    strbuf_add(s, r->summary->file);
    strbuf_addf(s, ":%llu", (unsigned long long)r->summary->line);
    term_tone(out, term, TONE_DIM);
    flush(out, term, s, 2);
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, "\n\n");
}

static void size_table(struct strbuf *out, const struct train_result *r, const struct term *term) {
    struct train_size activations;
    struct train_size_row rows[TRAIN_SIZE_ROWS];
    train_size_rows(r, &activations, rows);
    label(out, "");
    pad_left(out, "actual MB", AMOUNT);
    pad_left(out, "expected MB", AMOUNT);
    pad_left(out, "difference", PERCENT);
    strbuf_addc(out, '\n');
    for (size_t i = 0; i < TRAIN_SIZE_ROWS; i++) {
        const struct train_size *size = rows[i].size;
        label(out, rows[i].title);
        pad_left(out, size->has_actual ? figure_milli(size->actual, 2).text : "-", AMOUNT);
        if (size->has_expected) {
            pad_left(out, figure_milli(size->expected, 2).text, AMOUNT);
            pad_left(out, size->has_difference ? figure_change(size->difference_pct, 2).text : "-", PERCENT - 2);
            strbuf_addz(out, size->has_difference ? " %" : "  ");
            term_tone(out, term, TONE_DIM);
            strbuf_addf(out, "   %s", rows[i].theory);
            term_tone(out, term, TONE_PLAIN);
        }
        strbuf_addc(out, '\n');
    }
}

static void fit_lines(struct strbuf *out, const struct train_result *r, const struct term *term, struct strbuf *s) {
    label(out, "Peak DRAM Usage");
    if (!r->has_peak) {
        strbuf_addz(out, r->summary->too_large ? "  too large to be read\n" : "  not in the log\n");
        return;
    }
    pad_left(out, figure_milli(r->peak, 2).text, AMOUNT);
    strbuf_addf(out, "  %s %% of %s MB that can be allocated\n\n", figure_milli(r->usage_pct, 2).text,
                figure_milli(r->device, 2).text);
    term_tone(out, term, r->fits ? TONE_GOOD : TONE_BAD);
    label(out, !r->fits ? r->fits_is_final ? "does not fit" : "may not fit" : r->peak_is_lower_bound ? "fits so far" : "fits");
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, "  ");
    term_bar(out, term, r->peak, r->device, BAR);
    strbuf_addf(out, r->fits ? "  %s MB free\n" : "  %s MB too much\n",
                figure_milli(r->fits ? r->headroom : -r->headroom, 2).text);
    if (r->has_peak_phase) {
        say_peak_phase(s, r);
        labelled(out, term, "set by", s);
    }
    say_parts(s, r);
    if (r->parts_measured) strbuf_addz(s, " (model and optimizer as measured)");
    labelled(out, term, "made of", s);
    if (r->peak_is_lower_bound) {
        strbuf_addz(s, r->summary->has_totals
                           ? "the overall peak is too large to be one; the peak is the highest that could be read"
                           : "the summary has no final totals; the peak is the highest one up to there");
        labelled(out, term, r->summary->has_totals ? "unreadable" : "cut", s);
    }
    for (size_t i = 0; i < r->advice.len; i++) {
        say_advice(s, r, &r->advice.items[i]);
        labelled(out, term, i ? "" : "to make it fit", s);
    }
}

/* The highest number of a column that the terminal has room for. */
static unsigned columns_kept(const struct term *term) {
    for (unsigned kept = GIVE_WAY_STEPS; kept-- > 0;) {
        unsigned width = 2 + PHASE;
        for (size_t c = 0; c < PHASE_COLUMNS; c++) width += phase_columns[c].gives_way <= kept ? COLUMN : 0;
        if (!term->columns || width <= term->columns) return kept;
    }
    return 0;
}

static void phase_line(struct strbuf *out, const struct train_phase *phase, unsigned kept) {
    for (size_t c = 0; c < PHASE_COLUMNS; c++)
        if (phase_columns[c].gives_way <= kept) pad_left(out, train_figure_text(phase, phase_columns[c].figure).text, COLUMN);
    strbuf_addc(out, '\n');
}

static struct figure sum_text(const struct train_fold *fold, enum train_figure figure) {
    if (!(fold->known >> figure & 1)) return (struct figure){""};
    if (figure == TRAIN_CHANGE) return figure_change(fold->change, 2);
    return figure_milli(figure == TRAIN_ALLOCATIONS ? fold->allocations : fold->deallocations, 2);
}

static void name_cells(struct strbuf *out, const struct term *term, struct slice name, const char *which) {
    strbuf_addz(out, "  ");
    pad_right(out, term, name, PHASE - 6);
    strbuf_addf(out, " %s", which);
}

/* A phase that occurs once has a line; one that repeats has its first, its worst and its sums. */
static void fold_lines(struct strbuf *out, const struct train_result *r, const struct train_fold *fold, const struct term *term,
                       struct strbuf *s) {
    const struct train_phase *phases = r->summary->phases.items, *worst = &phases[fold->worst];
    unsigned kept = columns_kept(term);
    if (fold->count == 1) {
        strbuf_addz(out, "  ");
        pad_right(out, term, train_phase_name(phases[fold->first].name), PHASE);
        phase_line(out, &phases[fold->first], kept);
        return;
    }
    strbuf_add(s, train_phase_name(fold->name));
    strbuf_addf(s, " x%zu", fold->count);
    name_cells(out, term, strbuf_slice(s), "first");
    phase_line(out, &phases[fold->first], kept);
    strbuf_clear(s);
    if (!slice_equal(worst->name, fold->name)) {
        strbuf_addz(s, "  ");
        strbuf_add(s, worst->name);
    }
    name_cells(out, term, strbuf_slice(s), "worst");
    phase_line(out, worst, kept);
    strbuf_clear(s);
    name_cells(out, term, SLICE(""), "total");
    for (size_t c = 0; c < PHASE_COLUMNS && phase_columns[c].figure <= TRAIN_CHANGE; c++)
        if (phase_columns[c].gives_way <= kept) pad_left(out, sum_text(fold, phase_columns[c].figure).text, COLUMN);
    strbuf_addc(out, '\n');
}

static void phase_table(struct strbuf *out, const struct train_result *r, const struct term *term, struct strbuf *s) {
    if (!r->folds.len) return;
    unsigned kept = columns_kept(term);
    strbuf_addc(out, '\n');
    term_tone(out, term, TONE_DIM);
    strbuf_addf(out, "  %-*s", PHASE, "phase, MB");
    for (size_t c = 0; c < PHASE_COLUMNS; c++)
        if (phase_columns[c].gives_way <= kept) pad_left(out, train_columns[phase_columns[c].figure].title, COLUMN);
    term_tone(out, term, TONE_PLAIN);
    strbuf_addc(out, '\n');
    for (size_t i = 0; i < r->folds.len; i++) fold_lines(out, r, &r->folds.items[i], term, s);
}

static void disagreement_lines(struct strbuf *out, const struct train_result *r, const struct term *term, struct strbuf *s) {
    if (!r->disagreements.len) return;
    strbuf_addc(out, '\n');
    term_tone(out, term, TONE_WARN);
    strbuf_addf(out, "  %zu %s not follow from the lines before:\n", r->disagreements.len,
                r->disagreements.len == 1 ? "figure does" : "figures do");
    term_tone(out, term, TONE_PLAIN);
    for (size_t i = 0; i < r->disagreements.len; i++) {
        strbuf_addz(out, "    ");
        say_disagreement(s, &r->disagreements.items[i]);
        flush(out, term, s, 4);
        strbuf_addc(out, '\n');
    }
}

void train_text(struct strbuf *out, const struct train_report *report, const struct term *term) {
    struct strbuf sentence = {0};
    strbuf_addf(out, "Found %zu memory usage %s\n", report->results.len, report->results.len == 1 ? "summary" : "summaries");
    for (size_t i = 0; i < report->results.len; i++) {
        const struct train_result *r = &report->results.items[i];
        strbuf_addc(out, '\n');
        heading(out, r, term, &sentence);
        size_table(out, r, term);
        fit_lines(out, r, term, &sentence);
        phase_table(out, r, term, &sentence);
        disagreement_lines(out, r, term, &sentence);
    }
    if (report->comparisons.len) strbuf_addc(out, '\n');
    for (size_t i = 0; i < report->comparisons.len; i++) {
        say_comparison(&sentence, report, &report->comparisons.items[i]);
        flush(out, term, &sentence, 2);
        strbuf_addc(out, '\n');
    }
    strbuf_release(&sentence);
}
