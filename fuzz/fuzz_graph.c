/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a graph capture, pushed in pieces whose size the first byte chooses: read, replayed on a simulated chip, as it
 * is and with something changed, and rendered in every format. The JSON must be JSON, and text must stay free of control bytes.
 */
#include <stdint.h>
#include <stdlib.h>

#include "json_mutator.h"
#include "base/json_read.h"
#include "device/chip.h"
#include "render/answer/graph_render.h"

static void push(struct graph_session *session, struct slice text, size_t step) {
    struct err err;
    if (graph_session_begin(session, "fuzz.json", &err) != 0) abort();
    for (size_t at = 0; at < text.len; at += step)
        if (graph_session_push(session, slice_take(slice_skip(text, at), step), &err) != 0) abort();
    if (graph_session_end(session, slice_take(text, 20), &err) != 0) abort();
}

static void check_json(const struct graph_session *session, const graph_what_ifs *what_if, struct strbuf *out) {
    struct json json = {.out = out};
    json_array(&json);
    graph_json(&json, session, what_if);
    json_array_end(&json);
    struct json_reader *reader = json_reader_new();
    struct json_value root;
    if (!json_parse(reader, strbuf_slice(out), &root)) abort();
    json_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    struct slice text = slice_of((const char *)data + 1, size - 1);
    static const char *const archs[] = {"wormhole_b0", "blackhole", "quasar", "n150"};
    struct graph_session session = {.simulate = chip_find(slice_from(archs[data[0] % 4])),
                                    .interleaved_cores = data[0] % 3 ? 0 : 64};
    push(&session, text, data[0] % 7 ? 1 + (size_t)data[0] : size);
    push(&session, text, size);
    struct strbuf out = {0};
    graph_what_ifs what_if = {0};
    struct err err;
    if (graph_what_if(&session, NULL, 0, &what_if, &err) != 0) abort();
    check_json(&session, &what_if, &out);
    const struct term term = {.utf8 = data[0] & 1, .columns = 80};
    strbuf_clear(&out);
    graph_text(&out, &term, &session,
               &(struct graph_text_options){.all = data[0] & 2, .upstream_rules = data[0] & 4, .what_if = &what_if});
    for (size_t i = 0; i < out.len; i++)
        if ((unsigned char)out.data[i] < 0x20 && out.data[i] != '\n') abort();
    graph_summary(&out, &session, data[0] & 4);
    strbuf_release(&out);
    graph_what_ifs_release(&what_if);
    graph_session_release(&session);
    return 0;
}
