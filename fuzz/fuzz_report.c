/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON files of a report, read back as a run. The input is the files, each after a line "==== _memory.json". */
#include <stdint.h>

#include "analysis/run/overview.h"
#include "base/json_read.h"
#include "input/input.h"
#include "json_mutator.h"
#include "render/json/summary_json.h"
#include "scratch.h"

static void put(struct slice suffix, struct slice text) {
    static const char *const known[] = {"_memory.json", "_operations.json", "_inputs_registry.json", "_ir.json",
                                        "_summary.json"};
    char path[128];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!slice_equal(suffix, slice_from(known[i]))) continue;
        snprintf(path, sizeof path, "%s/model%s", scratch_folder, known[i]);
        FILE *file = fopen(path, "wb");
        if (!file) return;
        fwrite(text.ptr, 1, text.len, file);
        fclose(file);
    }
}

static void lay_out(struct slice bytes) {
    static const char mark[] = "==== ";
    for (size_t at = slice_find(bytes, slice_from(mark)); at != SLICE_NONE;) {
        bytes = slice_skip(bytes, at + sizeof mark - 1);
        size_t line = slice_find_byte(bytes, '\n');
        struct slice suffix = slice_take(bytes, line);
        bytes = line == SLICE_NONE ? slice_of("", 0) : slice_skip(bytes, line + 1);
        at = slice_find(bytes, slice_from(mark));
        put(suffix, slice_take(bytes, at));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input in;
    struct err err = {0};
    scratch_make();
    scratch_clear();
    lay_out(slice_of((const char *)data, size));
    if (input_open(&in, scratch_folder, &(struct input_options){0}, &err) != 0) {
        if (!err.text[0]) abort();
        return 0;
    }
    struct overview overview;
    struct strbuf text = {0};
    overview_make(&in.run, &overview);
    summary_json(&text, &in.run, &overview, &(struct summary_origin){.name = SLICE("fuzz"), .path = SLICE("fuzz")}, false);
    struct json_reader *reader = json_reader_new();
    struct json_value root;
    if (!json_parse(reader, strbuf_slice(&text), &root)) abort();
    json_reader_free(reader);
    strbuf_release(&text);
    overview_release(&overview);
    input_release(&in);
    return 0;
}
