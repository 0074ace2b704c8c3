/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a log file, as text and as JSON. */
#ifndef TTMEM_RENDER_INFO_H
#define TTMEM_RENDER_INFO_H

#include "base/term.h"
#include "model/census.h"

void info_text(struct strbuf *out, const struct term *term, const struct census *census, const char *path);
void info_json(struct strbuf *out, const struct census *census, const char *path);

#endif
