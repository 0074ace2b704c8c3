/* SPDX-License-Identifier: Apache-2.0 */
/* Everything about one record: as text for people, and as JSON. */
#ifndef TTMEM_RENDER_OP_REPORT_H
#define TTMEM_RENDER_OP_REPORT_H

#include "base/strbuf.h"
#include "base/term.h"
#include "render/json/records_json.h"

void op_report_text(struct strbuf *out, const struct term *term, const struct output_job *job, uint32_t record);

/* {"schema_version", "op", "pools", "operation": element of operations.json, "memory": element of memory.json} */
void op_report_json(struct strbuf *out, const struct output_job *job, uint32_t record);

#endif
