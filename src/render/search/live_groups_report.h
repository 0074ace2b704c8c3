/* SPDX-License-Identifier: Apache-2.0 */
/* What is alive, in groups: as text and as JSON. */
#ifndef TTMEM_RENDER_LIVE_GROUPS_REPORT_H
#define TTMEM_RENDER_LIVE_GROUPS_REPORT_H

#include "analysis/search/live_groups.h"
#include "base/term.h"
#include "render/answer/live_report.h"

/* The groups at one point, one line each; returns how many were left out. */
size_t live_groups_text(struct strbuf *out, const struct term *term, const struct run *run, const struct live_place *place);

/* The value of "groups", then the member "left_out". */
void live_groups_json(struct json *j, const struct run *run, const struct live_place *place);

#endif
