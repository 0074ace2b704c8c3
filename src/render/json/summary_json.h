/* The summary of a run as one JSON object: `ttmem summary --json`, and <name>_summary.json of a report. */
#ifndef TTMEM_RENDER_SUMMARY_JSON_H
#define TTMEM_RENDER_SUMMARY_JSON_H

#include "analysis/run/overview.h"
#include "base/strbuf.h"

enum { SCHEMA_VERSION = 2 };

struct summary_origin {
    struct slice name; /* of the report */
    struct slice path; /* of the log; empty when it has none */
};

void summary_json(struct strbuf *out, const struct run *run, const struct overview *overview,
                  const struct summary_origin *origin, bool pretty);

#endif
