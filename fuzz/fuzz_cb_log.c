/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a tt-metal log or graph capture: read, folded and rendered. */
#include <stdint.h>
#include <stdlib.h>

#include "cb/show/cb_log_text.h"

static void refuse_control_bytes(const struct strbuf *text) {
    for (size_t i = 0; i < text->len; i++)
        if ((unsigned char)text->data[i] < 0x20 && text->data[i] != '\n') abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cb_log log;
    struct cb_runtime runtime;
    cb_log_read(&log, slice_of((const char *)data, size));
    cb_runtime_make(&runtime, &log);
    struct strbuf out = {0};
    struct json j = {.out = &out};
    json_object(&j);
    cb_log_json(&j, &log, &runtime);
    json_object_end(&j);
    refuse_control_bytes(&out);
    strbuf_clear(&out);
    const struct term term = {.utf8 = true, .columns = 100};
    cb_log_text(&out, &term, &log, &runtime, SLICE("fuzz.log"), size & 1);
    refuse_control_bytes(&out);
    strbuf_release(&out);
    cb_runtime_release(&runtime);
    cb_log_release(&log);
    return 0;
}
