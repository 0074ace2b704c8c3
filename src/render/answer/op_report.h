/* SPDX-License-Identifier: Apache-2.0 */
/* Everything about one record: as text and as JSON. */
#ifndef TTMEM_RENDER_OP_REPORT_H
#define TTMEM_RENDER_OP_REPORT_H

#include "base/strbuf.h"
#include "base/term.h"
#include "render/json/records_json.h"

void op_report_text(struct strbuf *out, const struct term *term, const struct output_job *job, uint32_t record);

/* schemas/op.json */
void op_report_json(struct strbuf *out, const struct output_job *job, uint32_t record);

/* The op as its input prints it; inputs other than logs and modules have no such text. */
struct slice op_report_ir_text(const struct run *run, const struct op *op);

/* The tensor that the step made as its nth result; NULL: it is not on the device, a view, or unknown. */
const struct tensor *op_report_result(const struct run *run, const struct step *step, uint32_t result);

#endif
