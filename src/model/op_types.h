/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime names ops in memory blocks by their flatbuffer type ("EltwiseBinaryOp"), not by their MLIR name ("ttnn.add"). */
#ifndef TTMEM_MODEL_OP_TYPES_H
#define TTMEM_MODEL_OP_TYPES_H

#include <stdbool.h>

#include "base/slice.h"
#include "model/run.h"

/* Can a block "before operation <op_type>" belong to this op? True unless something contradicts it. */
bool op_type_fits(enum op_kind kind, struct slice name, struct slice op_type);

/* Is the type the op's own name in camel case? */
bool op_type_is_own(struct slice name, struct slice op_type);

/* The kind of an op, from its name and discardable attributes. */
enum op_kind op_kind_of(struct slice name, struct slice attributes);

/* Ops whose result can be their operand's own buffer. */
bool op_may_return_input(struct slice name);

/* Which operands of an op are a KV cache: bit i for operand i. */
uint8_t op_cache_operands(struct slice name);

/* Does the name of a model's argument look like a KV cache: "past_key_values.0", "layers.1.k_cache"? */
bool is_cache_name(struct slice name);

/* False for types that do not count as ops: deallocate and get_device. */
bool op_type_is_op(struct slice op_type);

#endif
