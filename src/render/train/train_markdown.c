/* SPDX-License-Identifier: Apache-2.0 */
#include "base/amounts.h"
#include "render/format/markdown.h"
#include "render/train/train.h"
#include "render/train/train_words.h"

static void flush(struct strbuf *out, struct strbuf *sentence) {
    md_text(out, strbuf_slice(sentence), 0);
    strbuf_clear(sentence);
}

static void size_table(struct strbuf *out, const struct train_result *r) {
    struct train_size activations;
    struct train_size_row rows[TRAIN_SIZE_ROWS];
    train_size_rows(r, &activations, rows);
    md_table(out, SLICE("|>actual MB|>expected MB|>difference"));
    for (size_t i = 0; i < TRAIN_SIZE_ROWS; i++) {
        const struct train_size *size = rows[i].size;
        md_cellf(out, "%s", rows[i].title);
        md_cellf(out, "%s", size->has_actual ? figure_milli(size->actual, 2).text : "-");
        md_cellf(out, "%s", size->has_expected ? figure_milli(size->expected, 2).text : "-");
        if (size->has_difference) md_cellf(out, "%s %%", figure_change(size->difference_pct, 2).text);
        else md_cellf(out, "-");
        md_row_end(out);
    }
    if (!r->has_peak) return;
    md_cellf(out, "Peak DRAM Usage");
    md_cellf(out, "%s", figure_milli(r->peak, 2).text);
    md_cellf(out, "%s (device)", figure_milli(r->device, 2).text);
    md_cellf(out, "%s %% used", figure_milli(r->usage_pct, 2).text);
    md_row_end(out);
}

static void part_table(struct strbuf *out, const struct train_result *r) {
    strbuf_addc(out, '\n');
    md_table(out, SLICE("part of the peak|>MB|>share"));
    for (enum train_part part = TRAIN_PARTS; part-- > 0;) {
        md_cellf(out, "%s", train_part_rows[part].title);
        md_cellf(out, "%s", figure_milli(r->parts[part], 2).text);
        md_cellf(out, "%s %%", figure_percent(r->parts[part], r->peak > 0 ? (uint64_t)r->peak : 0, 2).text);
        md_row_end(out);
    }
}

static void phase_table(struct strbuf *out, const struct train_result *r) {
    struct strbuf headings = {0};
    strbuf_addz(&headings, "phase");
    for (size_t c = 0; c < TRAIN_FIGURES; c++) strbuf_addf(&headings, "|>%s", train_columns[c].title);
    strbuf_addc(out, '\n');
    md_table(out, strbuf_slice(&headings));
    strbuf_release(&headings);
    for (size_t i = 0; i < r->summary->phases.len; i++) {
        const struct train_phase *phase = &r->summary->phases.items[i];
        md_cell_open(out);
        md_code(out, train_phase_name(phase->name), true);
        for (size_t c = 0; c < TRAIN_FIGURES; c++) md_cellf(out, "%s", train_figure_text(phase, train_columns[c].figure).text);
        md_row_end(out);
    }
}

/* First, worst and sums of the phases that repeat. */
static void fold_table(struct strbuf *out, const struct train_result *r) {
    bool begun = false;
    for (size_t i = 0; i < r->folds.len; i++) {
        const struct train_fold *fold = &r->folds.items[i];
        if (fold->count == 1) continue;
        if (!begun) {
            strbuf_addc(out, '\n');
            md_table(out, SLICE("folded phase|>times|>first segment peak|>worst segment peak|>allocated|>freed|>change"));
        }
        begun = true;
        const struct train_phase *first = &r->summary->phases.items[fold->first],
                                 *worst = &r->summary->phases.items[fold->worst];
        md_cell_open(out);
        md_code(out, train_phase_name(fold->name), true);
        md_cellf(out, "%zu", fold->count);
        md_cellf(out, "%s", train_figure_text(first, TRAIN_SEGMENT_PEAK).text);
        md_cellf(out, "%s", train_figure_text(worst, TRAIN_SEGMENT_PEAK).text);
        md_cellf(out, "%s", figure_milli(fold->allocations, 2).text);
        md_cellf(out, "%s", figure_milli(fold->deallocations, 2).text);
        md_cellf(out, "%s", figure_change(fold->change, 2).text);
        md_row_end(out);
    }
}

static void sentences(struct strbuf *out, const struct train_result *r, struct strbuf *s) {
    if (r->has_peak) {
        strbuf_addz(out, "\n- It ");
        say_fit(out, r);
        strbuf_addz(out, ".\n");
    }
    if (r->has_peak_phase) {
        strbuf_addz(out, "- The peak is set by ");
        say_peak_phase(s, r);
        flush(out, s);
        strbuf_addz(out, ".\n");
    }
    if (r->peak_is_lower_bound)
        strbuf_addz(out, r->summary->has_totals
                             ? "- The overall peak is too large to be one; the peak is the highest that could be read.\n"
                             : "- The summary has no final totals: it was cut, and the peak is the highest one up to there.\n");
    if (r->parts_excess) strbuf_addf(out, "- The parts exceed the peak by %s MB.\n", figure_milli(r->parts_excess, 2).text);
    for (size_t i = 0; i < r->advice.len; i++) {
        strbuf_addz(out, r->advice.items[i].kind == ADVICE_OUTSIDE_PASSES ? "- Note: " : "- To make it fit, ");
        say_advice(s, r, &r->advice.items[i]);
        flush(out, s);
        strbuf_addz(out, ".\n");
    }
    for (size_t i = 0; i < r->disagreements.len; i++) {
        strbuf_addz(out, "- Does not follow from the lines before: ");
        say_disagreement(s, &r->disagreements.items[i]);
        flush(out, s);
        strbuf_addz(out, ".\n");
    }
}

void train_markdown(struct strbuf *out, const struct train_report *report, const struct term *term) {
    (void)term;
    struct strbuf s = {0};
    md_heading(out, 1, SLICE("Training memory"));
    for (size_t i = 0; i < report->comparisons.len; i++) {
        strbuf_addz(out, i ? "- " : "\n- ");
        say_comparison(&s, report, &report->comparisons.items[i]);
        flush(out, &s);
        strbuf_addc(out, '\n');
    }
    for (size_t i = 0; i < report->results.len; i++) {
        const struct train_result *r = &report->results.items[i];
        strbuf_addc(out, '\n');
        md_heading(out, 2, r->name);
        strbuf_addc(out, '\n');
        if (r->summary->parameters.known)
            strbuf_addf(out, "%s parameters, ", figure_grouped((uint64_t)r->summary->parameters.value).text);
        say_device(out, r);
        strbuf_addz(out, ", ");
        md_code(out, r->summary->file, false);
        strbuf_addf(out, " line %llu\n\n", (unsigned long long)r->summary->line);
        size_table(out, r);
        sentences(out, r, &s);
        if (r->has_peak) part_table(out, r);
        if (r->summary->phases.len) phase_table(out, r);
        fold_table(out, r);
    }
    strbuf_release(&s);
}
