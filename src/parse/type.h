/* SPDX-License-Identifier: Apache-2.0 */
/* MLIR types in op lines and module dumps -> struct tensor_type. Old and new spellings of the TTNN layouts. */
#ifndef TTMEM_PARSE_TYPE_H
#define TTMEM_PARSE_TYPE_H

#include "device/tensor_type.h"

/* Reads one type. Never fails: what is not understood is TYPE_OTHER or stays unknown. Slices point into `text`. */
void type_parse(struct slice text, struct tensor_type *type);

/* Reads a layout, "#ttnn.ttnn_layout<...>" or the meaning of an alias, into a type that was read without it. */
void type_parse_layout(struct slice encoding, struct tensor_type *type);

#endif
