/* SPDX-License-Identifier: Apache-2.0 */
/* Findings for programs that show them beside the source: SARIF 2.1.0 (code scanning, editors) and GitLab's code quality. */
#ifndef TTMEM_RENDER_FINDINGS_H
#define TTMEM_RENDER_FINDINGS_H

#include "base/json_write.h"
#include "base/slice.h"

/* One row per kind of finding; the ids never change. */
struct ci_rule {
    const char *id, *name, *text, *help;
    bool is_error;
};

struct ci_finding {
    unsigned rule; /* index of its row */
    struct slice message;
    struct slice path;  /* relative to the root of the checkout, or absolute; empty: unknown */
    uint32_t line;      /* 0: unknown */
    struct slice scope; /* distinguishes findings with the same text, such as a function; may be empty */
    bool is_figure;     /* the message has figures of one run, so it does not identify the finding */
};

struct ci_findings {
    const struct ci_rule *rules;
    size_t rule_count;
    const struct ci_finding *items; /* worst first, because consumers cut the end */
    size_t count;
};

void findings_sarif(struct json *j, const struct ci_findings *findings, const char *version);

/* Every entry needs a file: a finding without one is shown at `fallback`. */
void findings_code_quality(struct json *j, const struct ci_findings *findings, struct slice fallback);

#endif
