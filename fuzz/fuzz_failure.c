/* SPDX-License-Identifier: Apache-2.0 */
/* Failure messages in any bytes: reading, merging, judging and both outputs; a stream and a text in memory must agree. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/failure/places.h"
#include "analysis/failure/run_failures.h"
#include "base/strbuf.h"
#include "model/read.h"
#include "parse/around.h"
#include "parse/failure/alike.h"
#include "parse/product.h"
#include "render/answer/explain.h"

static bool is_the_same(const struct failure *a, const struct failure *b) {
    return a->at == b->at && a->length == b->length && a->known == b->known && a->kind == b->kind && a->pool == b->pool &&
           a->open_ended == b->open_ended && memcmp(a->number, b->number, sizeof a->number) == 0 &&
           strcmp(a->core_range, b->core_range) == 0 && strcmp(a->core_type, b->core_type) == 0;
}

/* What a line is taken for by those above it is what is found in it. */
static void check_failures(struct slice text) {
    static struct failure_alike alike;
    memset(&alike, 0, sizeof alike);
    struct failure f;
    size_t from = 0;
    while (failure_next(text, from, &f)) {
        const struct failure *taken = failure_alike_search(&alike, text, 0, from, text.len);
        if (!taken || !is_the_same(&f, taken)) abort();
        if (f.at < from || f.length == 0 || f.at + f.length > text.len || !failure_maybe(text)) abort();
        if (f.length > FAILURE_WINDOW) abort();
        from = f.at + f.length;
    }
    if (failure_alike_search(&alike, text, 0, from, text.len)) abort();
}

/* The same where the text stands so often that failures are taken over from where it stood before. */
static void check_repeated(struct slice text) {
    enum { LONGEST = 1000, ENOUGH = 8 * 1024 };
    if (!text.len || text.len > LONGEST) return;
    struct strbuf often = {0};
    while (often.len < ENOUGH) strbuf_add(&often, text);
    check_failures(strbuf_slice(&often));
    strbuf_release(&often);
}

static void stream_in_pieces(struct failure_set *set, struct slice text, size_t piece) {
    static struct failure_stream stream;
    stream.set = set;
    stream.lines = stream.bytes = stream.len = stream.done = 0;
    for (; text.len; text = slice_skip(text, piece)) {
        struct slice part = slice_take(text, piece);
        memcpy(failure_stream_room(&stream), part.ptr, part.len);
        failure_stream_took(&stream, part.len);
    }
    failure_stream_finish(&stream);
}

static void check_around(struct slice text) {
    struct around_line line;
    size_t at = 0, before = 0;
    while (around_next(text, &at, true, &line)) {
        if (at <= before || at > text.len || strlen(line.name) >= AROUND_NAME_MAX) abort();
        before = at;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice text = slice_of((const char *)data, size);
    check_failures(text);
    check_repeated(text);
    check_around(text);
    struct failure_set sets[3] = {{{0}, {0}, 0}, {{0}, {0}, 0}, {{0}, {0}, 0}};
    stream_in_pieces(&sets[0], text, FAILURE_STREAM_ROOM);
    stream_in_pieces(&sets[1], text, size < 1000 ? 100 : size / 4); /* a piece costs a window */
    failure_set_add_text(&sets[2], text);
    if (sets[0].entries.len != sets[1].entries.len || sets[0].entries.len != sets[2].entries.len) abort();
    for (size_t i = 0; i < sets[0].entries.len; i++)
        if (sets[0].entries.items[i].line != sets[2].entries.items[i].line) abort();
    struct explain explain;
    struct run run = {0}; /* what stands around the failures, who printed them */
    struct run_feed *feed = run_feed_new(&run);
    run_feed_bytes(feed, text);
    run_feed_finish(feed);
    run.products = product_seen(text);
    run_explain_set(&run, &sets[0], &explain);
    explain_each(&explain);
    struct strbuf out = {0};
    struct term term = {.utf8 = true, .columns = 80};
    explain_text(&out, &term, &explain, (struct explain_show){0});
    explain_text(&out, &term, &explain, (struct explain_show){.all = true, .limit = 3});
    explain_json(&out, &explain, 0, NULL, false);
    strbuf_release(&out);
    explain_release(&explain);
    run_release(&run);
    failure_set_release(&sets[0]);
    failure_set_release(&sets[1]);
    failure_set_release(&sets[2]);
    return 0;
}
