/* SPDX-License-Identifier: Apache-2.0 */
/* The holes in the free memory of a pool, and what is between them, as text and as a member of JSON; nothing if addresses
 * are unknown. */
#ifndef TTMEM_RENDER_HOLES_REPORT_H
#define TTMEM_RENDER_HOLES_REPORT_H

#include "base/json_write.h"
#include "base/term.h"
#include "model/run.h"

void holes_report_text(struct strbuf *out, const struct term *term, const struct run *run, uint32_t step, enum pool pool);
void holes_report_json(struct json *j, const struct run *run, uint32_t step, enum pool pool);

#endif
