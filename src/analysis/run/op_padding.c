/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/op_padding.h"

struct op_padding op_padding(const struct run *run, const struct op *op) {
    struct op_padding most = {.type = NONE};
    for (unsigned i = 0; i < op->result_count; i++) {
        uint32_t id = run->refs.items[op->first_ref + op->operand_count + i].type;
        const struct tensor_type *type = &run->types.items[id];
        if (!tensor_on_device(type) || !type->logical_known) continue;
        uint64_t padded = tensor_padded_bytes(type, &run->geometry);
        if (padded <= type->logical_bytes || padded - type->logical_bytes <= op_padding_bytes(&most)) continue;
        most = (struct op_padding){id, type->logical_bytes, padded};
    }
    return most;
}
