/* SPDX-License-Identifier: Apache-2.0 */
/* A segment of shared memory: any bytes give a state, and nothing beyond its tables is read. */
#include <stdint.h>
#include <stdlib.h>

#include "parse/foreign/shm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct shm_segment *segment = malloc(sizeof *segment);
    struct slice after = slice_of((const char *)data, size), before = after;
    uint64_t asic = 0;
    if (size > SHM_BYTES) before = slice_skip(after, size - SHM_BYTES);
    if (size >= 40) memcpy(&asic, data + 32, sizeof asic);
    shm_name(after, &asic);
    enum shm_state state = shm_parse(before, after, asic, segment);
    if (segment->chip_count > SHM_CHIPS || segment->process_count > SHM_PROCESSES) abort();
    for (unsigned i = 0; i < segment->process_count; i++)
        if (segment->processes[i].pid <= 0 || strlen(segment->processes[i].name) >= SHM_NAME) abort();
    if (state == SHM_OK && size < SHM_BYTES) abort();
    free(segment);
    return 0;
}
