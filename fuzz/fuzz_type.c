/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a type: parts lie inside the text, sizes hold together on every geometry. */
#include <stdint.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "parse/type.h"

static void refuse_outside(struct slice text, struct slice part) {
    if (part.len && (part.ptr < text.ptr || part.ptr + part.len > text.ptr + text.len)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct memory_geometry geometries[] = {{12, 64, 32, 16}, {7, 110, 64, 16}, {0, 0, 0, 0}, {1, 1, 1, 1}};
    struct slice text = slice_of((const char *)data, size);
    struct tensor_type type;
    char shape[64];
    type_parse(text, &type);
    refuse_outside(text, type.shape);
    refuse_outside(text, type.dtype);
    refuse_outside(text, type.grid);
    refuse_outside(text, type.memref);
    refuse_outside(text, type.storage);
    if (type.kind == TYPE_OTHER && (type.has_layout || type.logical_known)) abort();
    if (tensor_padded_shape(&type, shape, sizeof shape) >= sizeof shape) abort();
    for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++) {
        uint64_t padded = tensor_padded_bytes(&type, &geometries[i]), per_bank = tensor_per_bank_bytes(&type, &geometries[i]);
        if (!type.physical_known && (padded || per_bank)) abort();
        if (!tensor_on_device(&type) && per_bank) abort();
    }
    struct tensor_type bare = {0};
    type_parse_layout(text, &bare);
    tensor_padded_bytes(&bare, &geometries[0]);
    tensor_per_bank_bytes(&bare, &geometries[0]);
    return 0;
}
