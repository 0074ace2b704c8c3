/* SPDX-License-Identifier: Apache-2.0 */
/* Weights that are held more than once: as text and as JSON. */
#ifndef TTMEM_RENDER_DUPLICATES_REPORT_H
#define TTMEM_RENDER_DUPLICATES_REPORT_H

#include "analysis/search/duplicates.h"
#include "base/strbuf.h"
#include "base/term.h"

struct duplicates_page {
    const struct run *run;
    const struct duplicates *duplicates;
    size_t limit; /* 0: all */
};

void duplicates_text(struct strbuf *out, const struct term *term, const struct duplicates_page *page);

/* "0.168 MB per bank held more than once: 1 prepared twice, 2 copies in f32 of a bf16 weight; largest head.w"; false: none. */
bool duplicates_line(struct strbuf *out, const struct term *term, const struct run *run, const struct duplicates *duplicates);

/* According to schemas/duplicates.json. */
void duplicates_json(struct strbuf *out, const struct duplicates_page *page);

#endif
