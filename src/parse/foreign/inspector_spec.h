/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors that an op took, as Inspector prints them in `parameters` of a runtime entry:
 *   [0]: TensorSpec(logical_shape=Shape([1024, 1024]),tensor_layout=TensorLayout(dtype=DataType::BFLOAT16,page_config=...
 * Accepts any text. */
#ifndef TTMEM_PARSE_INSPECTOR_SPEC_H
#define TTMEM_PARSE_INSPECTOR_SPEC_H

#include "base/strbuf.h"
#include "parse/memview.h"

struct inspector_spec {
    struct strbuf shape; /* "1024x1024" */
    struct slice dtype;  /* "bf16" */
    bool tiled;
    unsigned layout; /* as ttnn_memory_layout */
    enum pool pool;
    uint64_t bytes; /* on one device, tile padding included */
};

/* The next tensor on a device whose size is known; advances *parameters. The caller releases the shape. */
bool inspector_spec_next(struct slice *parameters, struct inspector_spec *out);

#endif
