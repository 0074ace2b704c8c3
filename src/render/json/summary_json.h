/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a run as one JSON object: `ttmem summary --json`, and <name>_summary.json of a report. */
#ifndef TTMEM_RENDER_SUMMARY_JSON_H
#define TTMEM_RENDER_SUMMARY_JSON_H

#include "analysis/run/overview.h"
#include "base/strbuf.h"

/* A file of a report, and the state that shows whether it is still the one that was written. */
struct summary_file {
    const char *suffix;
    uint64_t bytes, check;
};

struct summary_origin {
    struct slice name; /* of the report */
    struct slice path; /* of the log; empty if it has none */
    const struct summary_file *files;
    size_t file_count;
    size_t ranks; /* number listed, those with the highest DRAM peaks; 0: all */
};

void summary_json(struct strbuf *out, const struct run *run, const struct overview *overview,
                  const struct summary_origin *origin, bool pretty);

#endif
