/* SPDX-License-Identifier: Apache-2.0 */
/* The report for agents: markdown with fixed headings, tables and number formats (docs/agents.md), within a number of tokens
 * if requested. The same run and request give the same bytes. */
#ifndef TTMEM_RENDER_REPORT_MD_H
#define TTMEM_RENDER_REPORT_MD_H

#include "analysis/run/overview.h"
#include "analysis/run/report_figures.h"
#include "base/strbuf.h"

enum { REPORT_TOKENS_MIN = 500 }; /* title, summary line, first failure and the list of what was left out always fit */

struct report_request {
    struct slice name;   /* of the report */
    const char *path;    /* of the log, for the commands that dig deeper */
    uint64_t max_tokens; /* 0: no limit; at least REPORT_TOKENS_MIN */
};

void report_md(struct strbuf *out, const struct run *run, const struct overview *overview, const struct report_figures *figures,
               const struct report_request *request);

#endif
