/* The summary of a run as one JSON object: `ttmem summary --json`, and <name>_summary.json of a report. */
#ifndef TTMEM_RENDER_SUMMARY_JSON_H
#define TTMEM_RENDER_SUMMARY_JSON_H

#include "analysis/overview.h"
#include "base/strbuf.h"

enum { SCHEMA_VERSION = 2 };

void summary_json(struct strbuf *out, const struct run *run, const struct overview *overview, struct slice name, bool pretty);

#endif
