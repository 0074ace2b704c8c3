/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor types of runs built from buffers (model/buffers.h): each distinct type is made once. */
#ifndef TTMEM_MODEL_BUFFER_TYPES_H
#define TTMEM_MODEL_BUFFER_TYPES_H

#include "base/strbuf.h"
#include "base/table/map.h"
#include "model/buffers.h"
#include "model/run_write.h"

/* Writes the type as op texts print it. */
void buffer_type_text(struct strbuf *out, const struct buffer_tensor *t);

/* Id in run.types; `known` starts zeroed. */
uint32_t buffer_type_id(struct run_writer *writer, struct map *known, const struct memory_geometry *geometry,
                        const struct buffer_tensor *t);

#endif
