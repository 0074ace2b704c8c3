/* SPDX-License-Identifier: Apache-2.0 */
/* What is freed late: as text and as JSON. */
#ifndef TTMEM_RENDER_LATE_REPORT_H
#define TTMEM_RENDER_LATE_REPORT_H

#include "analysis/search/late.h"
#include "base/strbuf.h"
#include "base/term.h"

struct late_page {
    const struct run *run;
    enum pool pool;
    const struct late *late;
    size_t limit; /* 0: all */
};

void late_report_text(struct strbuf *out, const struct term *term, const struct late_page *page);

/* According to schemas/late.json. */
void late_report_json(struct strbuf *out, const struct late_page *page);

#endif
