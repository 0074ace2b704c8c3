/* SPDX-License-Identifier: Apache-2.0 */
/* What sources and logs add to the report on circular buffers. */
#ifndef TTMEM_RENDER_CB_REPORT_PARTS_H
#define TTMEM_RENDER_CB_REPORT_PARTS_H

#include "cb/show/cb_report.h"

void cb_report_sources(struct doc *doc, const struct cb_report_parts *parts);
void cb_report_log(struct doc *doc, const struct cb_report_parts *parts);

/* Cell texts, valid in `room` until its next use: "64.5 %", "1,393,472". */
struct slice cb_milli1(struct strbuf *room, int64_t milli, const char *unit);
struct slice cb_grouped(struct strbuf *room, uint64_t n);

#endif
