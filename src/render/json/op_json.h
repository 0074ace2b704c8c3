/* SPDX-License-Identifier: Apache-2.0 */
/* The part of an operations.json element that depends only on the op's text. */
#ifndef TTMEM_RENDER_OP_JSON_H
#define TTMEM_RENDER_OP_JSON_H

#include "base/json_write.h"
#include "model/run.h"
#include "parse/op.h"

/* Members result ... loc, before the members of the record. `scratch` is reused. */
void op_json_head(struct json *j, const struct run *run, const struct op *op, struct slice text, struct op_text *scratch);

/* Members results and loc_full, after them; `scratch` is as op_json_head left it. */
void op_json_tail(struct json *j, const struct run *run, const struct op *op, const struct op_text *scratch);

/* Member "attributes": properties and attributes as printed. */
void json_member_op_attributes(struct json *j, const struct op_text *text);

/* null, or the object that describes where a tensor is and how large. */
void layout_json(struct json *j, const struct run *run, const struct tensor_type *type);

#endif
