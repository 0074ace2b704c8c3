/* SPDX-License-Identifier: Apache-2.0 */
/* Runs from an input that holds two logs, one after the other; a line "====" is between them. */
#ifndef TTMEM_FUZZ_TWO_LOGS_H
#define TTMEM_FUZZ_TWO_LOGS_H

#include "analysis/compare/footprint.h"
#include "analysis/run/overview.h"
#include "model/read.h"

struct fuzz_run {
    struct run run;
    struct overview overview;
    struct footprint footprint;
};

static inline void fuzz_run_read(struct fuzz_run *r, struct slice log, struct slice name) {
    *r = (struct fuzz_run){0};
    struct run_feed *feed = run_feed_new(&r->run);
    run_feed_bytes(feed, log);
    run_feed_finish(feed);
    overview_make(&r->run, &r->overview);
    footprint_of_run(&r->run, &r->overview, name, &r->footprint);
}

static inline void fuzz_run_release(struct fuzz_run *r) {
    footprint_release(&r->footprint);
    overview_release(&r->overview);
    run_release(&r->run);
}

static inline void fuzz_split(struct slice bytes, struct slice *a, struct slice *b) {
    size_t at = slice_find(bytes, SLICE("====\n"));
    *a = slice_take(bytes, at);
    *b = at == SLICE_NONE ? slice_of("", 0) : slice_skip(bytes, at + 5);
}

#endif
