/* SPDX-License-Identifier: Apache-2.0 */
/* The ops that stand out by one measure: as text and as JSON. */
#ifndef TTMEM_RENDER_TOP_REPORT_H
#define TTMEM_RENDER_TOP_REPORT_H

#include "analysis/run/top_ops.h"
#include "base/strbuf.h"
#include "base/term.h"

void top_report_text(struct strbuf *out, const struct term *term, const struct run *run, enum top_by by,
                     const struct top_ops *top);

/* {"schema_version", "by", "measure", "ops": [{"place", "op", ...}], "left_out"} */
void top_report_json(struct strbuf *out, const struct run *run, enum top_by by, const struct top_ops *top);

/* Ops that were found, in order, with memory after them; `first`: only the first was requested; `by_tensor`: found by a
 * tensor among their operands or results. */
void found_ops_text(struct strbuf *out, const struct term *term, const struct run *run, const struct top_ops *found, bool first,
                    bool by_tensor);
void found_ops_json(struct strbuf *out, const struct run *run, const struct top_ops *found);

#endif
