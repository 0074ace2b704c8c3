/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a run as text and JSON, and the line about all of them in summaries. */
#ifndef TTMEM_RENDER_RANKS_REPORT_H
#define TTMEM_RENDER_RANKS_REPORT_H

#include "analysis/compare/rank_whys.h"
#include "base/term.h"

struct ranks_page {
    const struct run *run;
    const struct rank_rows *rows;
    const struct rank_diff *why;  /* from the median rank to the highest; NULL: they do not differ */
    const struct rank_whys *whys; /* the same for all odd ranks; NULL: not requested */
    size_t limit;                 /* rows shown; 0: all */
};

void ranks_text(struct strbuf *out, const struct term *term, const struct ranks_page *page);
void ranks_json(struct strbuf *out, const struct ranks_page *page);

/* "32 ranks: 30 between 412.300 and 415.000 MB, ranks 1,7 488.100 (+18 %) from #812 on"; raw: the caller escapes it. Nothing
 * for fewer than two ranks with a peak. */
void ranks_line(struct strbuf *out, const struct ranks_page *page);

/* "from #812 ttnn.all_gather on rank 1,7 holds 72.000 MB more than rank 1,0"; raw; nothing if unknown. */
void ranks_start_line(struct strbuf *out, const struct ranks_page *page);

#endif
