/* A segment of shared memory: any bytes give a state, and nothing beyond its tables is read. */
#include <stdint.h>
#include <stdlib.h>

#include "parse/segment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct segment *segment = malloc(sizeof *segment);
    struct slice after = slice_of((const char *)data, size), before = after;
    uint64_t asic = 0;
    if (size > SEGMENT_BYTES) before = slice_skip(after, size - SEGMENT_BYTES);
    if (size >= 40) memcpy(&asic, data + 32, sizeof asic);
    segment_name(after, &asic);
    enum segment_state state = segment_parse(before, after, asic, segment);
    if (segment->chip_count > SEGMENT_CHIPS || segment->process_count > SEGMENT_PROCESSES) abort();
    for (unsigned i = 0; i < segment->process_count; i++)
        if (segment->processes[i].pid <= 0 || strlen(segment->processes[i].name) >= SEGMENT_NAME) abort();
    if (state == SEGMENT_OK && size < SEGMENT_BYTES) abort();
    free(segment);
    return 0;
}
