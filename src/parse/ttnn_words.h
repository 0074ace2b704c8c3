/* SPDX-License-Identifier: Apache-2.0 */
/* How ttnn writes tensors as text, in reports, captures and databases: "Shape([1, 3, 32, 32])", "DataType::BFLOAT16",
 * "Layout.TILE", "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,...)". */
#ifndef TTMEM_PARSE_TTNN_WORDS_H
#define TTMEM_PARSE_TTNN_WORDS_H

#include "base/strbuf.h"
#include "parse/memview.h"

/* "1x3x32x32"; appends nothing if there is no list of numbers. */
void ttnn_shape(struct strbuf *out, struct slice text);

/* "bf16"; if the type is unknown, the text itself without what precedes its name. */
struct slice ttnn_dtype(struct slice text);

bool ttnn_is_tiled(struct slice layout);

/* From words anywhere in the text: 0 interleaved, 1 height, 2 width, 3 block, 4 nd sharded. */
unsigned ttnn_memory_layout(struct slice memory_config);

/* The same from the number in column buffer_layout, which is TensorMemoryLayout: 0, 2, 3, 4, 5. */
unsigned ttnn_layout_number(int64_t buffer_layout);

/* tt-metal's BufferType. False: in host memory, or no such type. */
bool ttnn_pool(int64_t buffer_type, enum pool *pool);

#endif
