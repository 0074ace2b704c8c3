/* SPDX-License-Identifier: Apache-2.0 */
/* What the results of an op take on the device beyond their logical size. */
#ifndef TTMEM_ANALYSIS_OP_PADDING_H
#define TTMEM_ANALYSIS_OP_PADDING_H

#include "model/run.h"

struct op_padding {
    uint32_t type; /* result with the most padding, NONE if no result on the device has any */
    uint64_t logical_bytes, padded_bytes;
};

struct op_padding op_padding(const struct run *run, const struct op *op);

static inline uint64_t op_padding_bytes(const struct op_padding *p) {
    return p->type == NONE ? 0 : p->padded_bytes - p->logical_bytes;
}

#endif
