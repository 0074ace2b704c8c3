/* SPDX-License-Identifier: Apache-2.0 */
/* A bar on stderr for work that takes longer than half a second. Safe to update from several threads. */
#ifndef TTMEM_BASE_PROGRESS_H
#define TTMEM_BASE_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum progress_mode {
    PROGRESS_AUTO,
    PROGRESS_ALWAYS,
    PROGRESS_NEVER,
    PROGRESS_COUNT, /* counts without drawing: another part of the program shows it */
};

struct progress {
    bool enabled, counts;
    const char *what;
    _Atomic uint64_t total; /* 0: unknown, a count is shown instead of a bar */
    int64_t started_ns;
    _Atomic uint64_t done;
    _Atomic int64_t next_draw_ns;
    _Atomic bool drawn;
    _Atomic bool stop; /* the work was cancelled: it ends at the next step with an error */
};

void progress_start(struct progress *p, enum progress_mode mode, const char *what, uint64_t total);
void progress_add(struct progress *p, uint64_t n);
/* Was the work cancelled? `p` may be NULL. */
static inline bool progress_stopped(struct progress *p) { return p && atomic_load(&p->stop); }
/* Removes the bar. */
void progress_end(struct progress *p);

int64_t clock_ns(void);

#endif
