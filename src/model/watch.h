/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a run while its log is being written: what a status line shows. Takes the same events as the fold but keeps
 * only the latest state and the peaks, so that a log can grow for days. */
#ifndef TTMEM_MODEL_WATCH_H
#define TTMEM_MODEL_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "parse/memview.h"

enum { WATCH_NAME = 96 };

struct watch_status {
    uint64_t bytes;
    uint64_t op_lines;
    uint64_t ops;    /* counted like records: without deallocate and get_device; blocks if there are no op lines */
    uint64_t blocks; /* memory states */
    uint64_t programs_started, programs_finished; /* top-level ones */
    uint64_t modules;                             /* TTNN module dumps that ended */
    bool next_compilation;                        /* another compilation began after the first TTNN module */
    bool failed;                                  /* there may be a failure message */
    struct pool_view now[POOL_COUNT];
    uint32_t peak[POOL_COUNT]; /* per bank, thousandths of a MB */
    bool seen[POOL_COUNT];
    bool at_least[POOL_COUNT]; /* sizes are lower bounds */
    bool states;               /* `ops` counts states, because nothing names the ops between them */
    char program[WATCH_NAME];  /* running now; empty: none. Bytes of the log */
};

struct watch;
struct watch *watch_new(void);

/* Room for the next bytes of the log, to avoid a copy: get room for `size` of them, then report how many were filled. */
char *watch_room(struct watch *watch, size_t size);
void watch_took(struct watch *watch, size_t size);
const struct watch_status *watch_status(const struct watch *watch);
void watch_free(struct watch *watch);

#endif
