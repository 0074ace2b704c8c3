/* SPDX-License-Identifier: Apache-2.0 */
/* The state that the files writing the summary share. */
#ifndef TTMEM_RENDER_SUMMARY_SHEET_H
#define TTMEM_RENDER_SUMMARY_SHEET_H

#include "analysis/run/overview.h"
#include "base/amounts.h"
#include "base/term.h"

enum { LABEL = 10 };

struct summary_sheet {
    struct strbuf *out;
    const struct term *term;
    const struct run *run;
    const struct overview *o;
    const struct summary_source *source;
};

static inline void add_count(struct summary_sheet *p, uint64_t n, const char *one, const char *many) {
    strbuf_addf(p->out, "%s %s", figure_grouped(n).text, n == 1 ? one : many);
}

static inline void label(struct summary_sheet *p, const char *text) { strbuf_addf(p->out, "  %-*s", LABEL, text); }

/* "#12 ttnn.add", with its place if requested. */
void summary_add_op(struct summary_sheet *p, uint32_t record, bool with_location);

/* What was recorded beside the log: the end of a killed process, memory of the host, the KV cache, Inspector's buffers. */
void summary_killed_line(struct summary_sheet *p);
void summary_host_line(struct summary_sheet *p);
void summary_kv_line(struct summary_sheet *p);
void summary_inspector_lines(struct summary_sheet *p);
void summary_estimated_line(struct summary_sheet *p); /* for a predicted run */

#endif
