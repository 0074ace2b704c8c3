/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a C++ host source and as a kernel: scanned, summed, compared with itself and rendered. What is printed must stay
 * free of control bytes. */
#include <stdint.h>
#include <stdlib.h>

#include "cb/files/cb_headers.h"
#include "cb/study/cb_compare.h"
#include "device/chip.h"
#include "cb/interp/cpp_tree.h"
#include "cb/show/cb_scan_json.h"
#include "cb/show/cb_scan_text.h"

static void refuse_control_bytes(const struct strbuf *text) {
    for (size_t i = 0; i < text->len; i++)
        if ((unsigned char)text->data[i] < 0x20 && text->data[i] != '\n') abort();
}

static bool find_nothing(void *ctx, const char *source, struct slice name, struct strbuf *out) {
    (void)ctx, (void)source, (void)out;
    return name.len > 1u << 20;
}

/* What a header defines is told without parsing it. */
static void list_header(struct slice text) {
    struct cb_header header = {0};
    cb_header_read(&header, text, "fuzz.hpp", find_nothing, NULL);
    vec_release(&header.includes);
    vec_release(&header.names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct cb_set sets[] = {{{"n", 1}, {"4", 1}, false}, {{"format", 6}, {"Bfp8_b", 6}, false}};
    struct slice text = slice_of((const char *)data, size);
    const struct chip *chip = chip_find(SLICE("wormhole_b0"));
    list_header(text);
    struct cb_file file = {.path = SLICE("fuzz.cpp")};
    struct cpp_tree itself;
    const struct cpp_tree *includes[] = {&itself};
    bool included = (size & 1) && cpp_tree_parse(&itself, text);
    cb_source_scan(&file.source, text, includes, included, sets, size & 2 ? 2 : 0);
    struct cb_kernel kernel = {.path = SLICE("fuzz.cpp"), .file = SLICE("fuzz.cpp")};
    struct kernel_facts facts;
    kernel_facts_read(&facts, text, includes, included);
    if (size & 1) cpp_tree_release(&itself);
    static const struct cb_named_arg named[] = {{{"cb", 2}, 3}};
    kernel_facts_resolve(&kernel.facts, &facts, &(struct kernel_args){(const int64_t[]){0, 1, -1}, 3, named, 1});
    kernel_facts_release(&facts);
    vec_push(&file.kernels, kernel);
    cb_file_finish(&file, chip);
    struct strbuf out = {0};
    struct json j = {.out = &out};
    cb_file_json(&j, &file, chip);
    refuse_control_bytes(&out);
    strbuf_clear(&out);
    const struct term term = {.utf8 = true};
    struct cb_scan_counts counts = {1, 0};
    cb_scan_text(&out, &term, (struct cb_files){&file, 1}, chip, &counts, false);
    refuse_control_bytes(&out);
    struct cb_comparison comparison;
    cb_compare(&comparison, (struct cb_files){&file, 1}, (struct cb_files){&file, 1}, true);
    for (size_t i = 0; i < comparison.changes.len; i++)
        if (comparison.changes.items[i].kind == CB_ADDED || comparison.changes.items[i].kind == CB_REMOVED)
            abort(); /* it is the same file */
    cb_comparison_release(&comparison);
    strbuf_release(&out);
    cb_file_release(&file);
    return 0;
}
