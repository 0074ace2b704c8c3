/* SPDX-License-Identifier: Apache-2.0 */
/* Watches a growing log on its own thread, and shows one status line about it below whatever else is printed. The log's
 * bytes come from the file, so that the writer is never held up. */
#ifndef TTMEM_WORK_WATCHER_H
#define TTMEM_WORK_WATCHER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/err.h"
#include "base/term.h"
#include "model/watch.h"

struct watcher {
    int fd; /* of the log, for reading; not owned */
    struct term term;
    bool keep;  /* read to the end, even if nothing is shown */
    bool shown; /* there is a terminal for the line */
    bool drawn; /* it is on the screen */
    int64_t started_ns;
    pthread_t thread;
    bool threaded;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct watch_status status; /* guarded by the lock */
    _Atomic bool stop;
    _Atomic uint64_t read; /* bytes taken from the file */
    _Atomic int error;     /* errno if it cannot be read further */
    int64_t module_seen_ns;
    _Atomic bool told;
};

struct watcher_wish {
    int fd;      /* of the log */
    bool show;   /* draw the line on stderr if that is a terminal */
    bool keep;   /* the figures at the end are wanted */
    bool silent; /* nothing is wanted: the log is not read */
    bool no_color;
};

void watcher_start(struct watcher *watcher, const struct watcher_wish *wish);

/* Removes the line before something else is printed. */
void watcher_clear(struct watcher *watcher);

/* Redraws the line. */
void watcher_draw(struct watcher *watcher);

/* What to draw, from a caller that reads something other than a log. */
void watcher_put(struct watcher *watcher, const struct watch_status *status);

void watcher_get(struct watcher *watcher, struct watch_status *out);

/* What the log will lack, as soon as that is certain: a sentence, once; else NULL. `ended`: nothing more will come. */
const char *watcher_lacks(struct watcher *watcher);

/* Waits until everything up to `bytes` has been read, if possible, then ends. 0: ends at once. */
void watcher_stop(struct watcher *watcher, uint64_t bytes);

#endif
