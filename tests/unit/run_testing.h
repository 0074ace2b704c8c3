/* SPDX-License-Identifier: Apache-2.0 */
/* Runs for tests: from a file as the commands read it, or from text in pieces. */
#ifndef TTMEM_TESTS_RUN_TESTING_H
#define TTMEM_TESTS_RUN_TESTING_H

#include "testing.h"

#include "analysis/run/overview.h"
#include "model/read.h"
#include "render/json/summary_json.h"

/* The source must outlive the run. */
static inline void read_file(struct run *run, struct source *source, const char *path) {
    struct err err = {0};
    *run = (struct run){0};
    assert_int_equal(source_open(source, path, &err), 0);
    assert_int_equal(run_read(run, source, NULL, &err), 0);
}

static inline void read_pieces(struct run *run, struct slice text, size_t piece) {
    *run = (struct run){0};
    struct run_feed *feed = run_feed_new(run);
    for (; text.len; text = slice_skip(text, piece)) run_feed_bytes(feed, slice_take(text, piece));
    run_feed_finish(feed);
}

static inline struct strbuf summary_of(const struct run *run) {
    struct strbuf json = {0};
    struct overview overview;
    overview_make(run, &overview);
    summary_json(&json, run, &overview, &(struct summary_origin){.name = SLICE("test"), .path = SLICE("test.log")}, false);
    overview_release(&overview);
    return json;
}

/* The step of the op or block at this line of the log; NULL when there is none. */
static inline const struct step *step_at(const struct run *run, uint64_t line) {
    for (size_t i = 0; i < run->steps.len; i++)
        if (run->steps.items[i].line == line) return &run->steps.items[i];
    return NULL;
}

static inline size_t lines_with(struct slice text, const char *words) {
    size_t count = 0;
    while (text.len) {
        size_t end = slice_find_byte(text, '\n');
        count += slice_find(slice_take(text, end), slice_from(words)) != SLICE_NONE;
        text = slice_skip(text, end == SLICE_NONE ? text.len : end + 1);
    }
    return count;
}

#endif
