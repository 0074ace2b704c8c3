/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a run for a terminal. */
#ifndef TTMEM_RENDER_SUMMARY_TEXT_H
#define TTMEM_RENDER_SUMMARY_TEXT_H

#include "analysis/run/overview.h"
#include "base/term.h"

struct summary_source {
    struct slice name;
    const char *path;
};

void summary_text(struct strbuf *out, const struct term *term, const struct run *run, const struct overview *overview,
                  const struct summary_source *source);

#endif
