/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a Python host source: written as C++, scanned and rendered. */
#include <stdint.h>
#include <stdlib.h>

#include "cb/python/py_source.h"
#include "cb/show/cb_scan_json.h"
#include "cb/show/cb_scan_text.h"
#include "cb/study/cb_compare.h"
#include "device/chip.h"

static void refuse_control_bytes(const struct strbuf *text) {
    for (size_t i = 0; i < text->len; i++)
        if ((unsigned char)text->data[i] < 0x20 && text->data[i] != '\n') abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct strbuf cpp = {0}, out = {0};
    bool errors;
    if (py_source_to_cpp(slice_of((const char *)data, size), &cpp, &errors)) {
        const struct chip *chip = chip_find(SLICE("wormhole_b0"));
        struct cb_file file = {.path = SLICE("fuzz.py")};
        cb_source_scan_python(&file.source, strbuf_slice(&cpp), NULL, 0);
        cb_file_finish(&file, chip);
        struct json j = {.out = &out};
        cb_file_json(&j, &file, chip);
        refuse_control_bytes(&out);
        strbuf_clear(&out);
        const struct term term = {.utf8 = true};
        struct cb_scan_counts counts = {1, 0};
        cb_scan_text(&out, &term, (struct cb_files){&file, 1}, chip, &counts, false);
        refuse_control_bytes(&out);
        cb_file_release(&file);
    }
    strbuf_release(&cpp);
    strbuf_release(&out);
    return 0;
}
