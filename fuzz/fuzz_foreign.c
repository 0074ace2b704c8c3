/* SPDX-License-Identifier: Apache-2.0 */
/* What other tools wrote: any bytes give a run or an error. */
#include <stdint.h>

#include "json_mutator.h"
#include "input/kinds.h"
#include "model/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice bytes = slice_of((const char *)data, size);
    const struct input_kind *kind = kind_of_content(bytes);
    struct run run = {0};
    struct err err;
    if (kind && kind->read_bytes) kind->read_bytes(&run, bytes, "input", &err);
    for (size_t i = 0; i < run.steps.len; i++)
        if (run.steps.items[i].block != NONE && run.steps.items[i].block >= run.blocks.len) __builtin_trap();
    for (size_t i = 0; i < run.tensors.len; i++)
        if (run.tensors.items[i].gone < run.tensors.items[i].born) __builtin_trap();
    if (run.addresses.len && run.addresses.len != run.tensors.len) __builtin_trap();
    run_release(&run);
    return 0;
}
