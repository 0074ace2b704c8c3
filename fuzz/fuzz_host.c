/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a recording of host memory, what is worked out from it, and how it is explained; and as telemetry of vLLM. */
#include <stdint.h>

#include "json_mutator.h"
#include "parse/foreign/telemetry.h"
#include "render/host/host_explain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_telemetry(struct slice bytes) {
    struct json_reader *json = json_reader_new();
    while (json && bytes.len) {
        size_t end = slice_find_byte(bytes, '\n');
        struct telemetry_line line;
        if (telemetry_line_read(json, slice_take(bytes, end), &line) && line.has_used && line.used > KV_FULL) __builtin_trap();
        bytes = end == SLICE_NONE ? slice_of("", 0) : slice_skip(bytes, end + 1);
    }
    if (json) json_reader_free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice bytes = slice_of((const char *)data, size);
    struct host_record record;
    struct err err;
    read_telemetry(bytes);
    if (host_record_read(&record, bytes, "recording", &err) == 0) {
        struct run run = {.host = &record};
        struct host_use use;
        struct host_moment moment;
        struct strbuf text = {0};
        struct term plain = {0};
        host_use_make(&record, &run, &use);
        host_explain_text(&text, &plain, &run, &use);
        host_explain_json(&text, &run, &use);
        host_at(&record, 0, &moment);
        host_moment_release(&moment);
        strbuf_release(&text);
        host_use_release(&use);
        host_record_release(&record);
    }
    return 0;
}
