/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an operation line: every part must lie inside the text, locations and types are read on. */
#include <stdint.h>
#include <stdlib.h>

#include "parse/location.h"
#include "parse/location_key.h"
#include "parse/op.h"
#include "parse/type.h"

static void refuse_outside(struct slice text, struct slice part) {
    if (part.len && (part.ptr < text.ptr || part.ptr + part.len > text.ptr + text.len)) abort();
}

static void read_location(struct slice location) {
    struct strbuf name = {0};
    location_display(&name, location);
    location_key(location, NULL);
    strbuf_release(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice text = slice_of((const char *)data, size);
    struct op_text op = {0};
    struct tensor_type type;
    bool named = op_parse(text, &op);
    if (!named && !op.truncated) abort();
    const struct slice parts[] = {op.result,     op.name,          op.callee,      op.properties,
                                  op.attributes, op.operand_types, op.result_type, op.location};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) refuse_outside(text, parts[i]);
    for (size_t i = 0; i < op.operands.len; i++) {
        unsigned index;
        refuse_outside(text, op.operands.items[i].value);
        refuse_outside(text, op.operands.items[i].type);
        refuse_outside(text, op_value_base(op.operands.items[i].value, &index));
        type_parse(op.operands.items[i].type, &type);
    }
    for (size_t i = 0; i < op.result_types.len; i++) {
        refuse_outside(text, op.result_types.items[i]);
        type_parse(op.result_types.items[i], &type);
    }
    read_location(op.location);
    read_location(text);
    op_release(&op);
    return 0;
}
