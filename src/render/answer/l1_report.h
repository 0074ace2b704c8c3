/* SPDX-License-Identifier: Apache-2.0 */
/* The map of one core's L1: the tightest ops, and one of them from 0 to the top. */
#ifndef TTMEM_RENDER_L1_REPORT_H
#define TTMEM_RENDER_L1_REPORT_H

#include "analysis/run/l1_map.h"
#include "base/strbuf.h"
#include "base/term.h"

struct l1_page {
    const struct run *run;
    const struct l1_map *map;
    const struct l1_op *shown; /* the op whose map is drawn */
    size_t limit;              /* ops listed, 0: all */
};

void l1_report_text(struct strbuf *out, const struct term *term, const struct l1_page *page);
/* According to schemas/l1-map.json. */
void l1_report_json(struct strbuf *out, const struct l1_page *page);

#endif
