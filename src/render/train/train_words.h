/* SPDX-License-Identifier: Apache-2.0 */
/* What the text and the markdown of a training report share: columns, the rows of sizes, sentences. Sentences contain
 * unescaped names from the log; the caller escapes the whole sentence. */
#ifndef TTMEM_RENDER_TRAIN_WORDS_H
#define TTMEM_RENDER_TRAIN_WORDS_H

#include "analysis/train/train.h"
#include "base/strbuf.h"

struct train_column {
    enum train_figure figure;
    const char *key;   /* in JSON */
    const char *title; /* in tables */
};

extern const struct train_column train_columns[TRAIN_FIGURES];

struct train_part_row {
    const char *key;
    const char *title;
};

extern const struct train_part_row train_part_rows[TRAIN_PARTS];

struct train_size_row {
    const char *title;
    const char *theory;
    const struct train_size *size;
};

enum { TRAIN_SIZE_ROWS = 4 };

/* Model, optimizer, activations, gradients, in that order. `activations` is storage for its row. */
void train_size_rows(const struct train_result *r, struct train_size *activations, struct train_size_row rows[TRAIN_SIZE_ROWS]);

/* The figure, with its sign if it is a change, "-" if it was not printed, "wrapped" if it is impossible. */
struct figure train_figure_text(const struct train_phase *phase, enum train_figure figure);

struct slice train_phase_name(struct slice name); /* a word for a phase without a header */

void say_device(struct strbuf *out, const struct train_result *r);
void say_fit(struct strbuf *out, const struct train_result *r);
void say_peak_phase(struct strbuf *out, const struct train_result *r);
void say_parts(struct strbuf *out, const struct train_result *r);
void say_advice(struct strbuf *out, const struct train_result *r, const struct train_advice *advice);
void say_disagreement(struct strbuf *out, const struct train_disagreement *d);
void say_comparison(struct strbuf *out, const struct train_report *report, const struct train_comparison *c);

#endif
