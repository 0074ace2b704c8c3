/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a kernel, with its compile-time arguments, and as the statements of a strategy for `ttmem cb simulate`. */
#include <stdint.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "cb/interp/cb_kernel.h"
#include "cb/interp/cb_source.h"
#include "cb/interp/cpp_tree.h"

static void read_kernel(struct slice text) {
    static const int64_t values[] = {0, 1, 2, 16, -1, 31, INT64_MAX};
    struct kernel_args args = {values, sizeof values / sizeof *values, NULL, 0};
    struct kernel_facts facts = {0}, resolved = {0};
    struct cpp_tree header;
    const struct cpp_tree *headers[] = {&header};
    bool parsed = cpp_tree_parse(&header, slice_take(text, text.len / 2));
    kernel_facts_read(&facts, text, headers, parsed);
    cpp_tree_release(&header);
    kernel_facts_resolve(&resolved, &facts, &args);
    if (resolved.uses.len > facts.uses.len) abort();
    kernel_facts_release(&resolved);
    kernel_facts_release(&facts);
}

static void read_strategy(struct slice statements) {
    struct strbuf text = {0};
    struct cb_source source;
    struct cb_set sets[] = {{SLICE("tiles_per_shard"), SLICE("16"), false}, {SLICE("r_tiles"), SLICE("4"), false}};
    strbuf_addz(&text, "void strategy(int64_t tiles_per_shard, int64_t r_tiles) {\nint64_t cb0_tiles = 2;\n");
    strbuf_add(&text, statements);
    strbuf_addz(
        &text,
        "\n;\nCreateCircularBuffer(program, core, CircularBufferConfig(cb0_tiles, {{0, tt::DataFormat::Float32}}));\n}\n");
    cb_source_scan(&source, strbuf_slice(&text), NULL, 0, sets, 2);
    cb_source_release(&source);
    strbuf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_kernel(slice_of((const char *)data, size));
    read_strategy(slice_of((const char *)data, size));
    return 0;
}
