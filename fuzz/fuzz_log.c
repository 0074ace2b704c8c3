/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a runtime log. The first byte chooses the pieces in which the rest arrives; the summary must not depend on them,
 * and nothing that is printed may hold a control byte. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/run/live_curve.h"
#include "model/read.h"
#include "render/json/summary_json.h"
#include "render/answer/summary_text.h"

static void refuse_control_bytes(const struct strbuf *text) {
    for (size_t i = 0; i < text->len; i++)
        if ((unsigned char)text->data[i] < 0x20 && text->data[i] != '\n') abort();
}

static void render(struct strbuf *json, const struct run *run) {
    struct overview overview;
    overview_make(run, &overview);
    summary_json(json, run, &overview, &(struct summary_origin){.name = SLICE("fuzz"), .path = SLICE("fuzz.log")}, false);
    struct strbuf text = {0};
    summary_text(&text, &(struct term){.utf8 = true, .columns = 80}, run, &overview,
                 &(struct summary_source){SLICE("fuzz"), "fuzz.log"});
    refuse_control_bytes(json);
    refuse_control_bytes(&text);
    strbuf_release(&text);
    overview_release(&overview);
    free(live_curve(run));
}

static void read_in_pieces(struct strbuf *json, struct slice log, size_t piece) {
    struct run run = {0};
    struct run_feed *feed = run_feed_new(&run);
    for (; log.len; log = slice_skip(log, piece)) run_feed_bytes(feed, slice_take(log, piece));
    run_feed_finish(feed);
    render(json, &run);
    run_release(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    struct slice log = slice_of((const char *)data + 1, size - 1);
    struct strbuf whole = {0}, pieces = {0};
    read_in_pieces(&whole, log, log.len + 1);
    read_in_pieces(&pieces, log, (size_t)data[0] + 1);
    if (!slice_equal(strbuf_slice(&whole), strbuf_slice(&pieces))) {
        fprintf(stderr, "in one piece:\n%.*sin pieces of %u bytes:\n%.*s", SLICE_FMT(strbuf_slice(&whole)), data[0] + 1u,
                SLICE_FMT(strbuf_slice(&pieces)));
        abort();
    }
    strbuf_release(&whole);
    strbuf_release(&pieces);
    return 0;
}
