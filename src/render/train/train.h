/* SPDX-License-Identifier: Apache-2.0 */
/* A training report as text, as markdown, and as JSON. */
#ifndef TTMEM_RENDER_TRAIN_H
#define TTMEM_RENDER_TRAIN_H

#include "analysis/train/train.h"
#include "base/strbuf.h"
#include "base/term.h"

void train_text(struct strbuf *out, const struct train_report *report, const struct term *term);
void train_markdown(struct strbuf *out, const struct train_report *report, const struct term *term);
void train_json(struct strbuf *out, const struct train_report *report, const struct term *term);

struct train_format {
    const char *name;
    void (*render)(struct strbuf *out, const struct train_report *report, const struct term *term);
};

extern const struct train_format train_formats[]; /* ends with a row without a name */

#endif
