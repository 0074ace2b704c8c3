/* SPDX-License-Identifier: Apache-2.0 */
#include "work/watcher.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/progress.h"
#include "render/answer/status_line.h"

enum { BLOCK = 256 << 10, NAP_NS = 50000000, LOWEST_PRIORITY = 19 };

/* A compiled program runs at once in a build that prints runtime lines; loading its weights may come in between. */
static const int64_t SILENCE_NS = 30000000000;

static void nap(struct watcher *watcher) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += NAP_NS;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&watcher->lock);
    if (!atomic_load(&watcher->stop)) pthread_cond_timedwait(&watcher->wake, &watcher->lock, &until);
    pthread_mutex_unlock(&watcher->lock);
}

void watcher_put(struct watcher *watcher, const struct watch_status *status) {
    pthread_mutex_lock(&watcher->lock);
    watcher->status = *status;
    pthread_mutex_unlock(&watcher->lock);
}

/* Without a line to draw, it only waits for what the log lacks. */
static bool wanted(const struct watcher *watcher, const struct watch_status *status) {
    return watcher->keep || watcher->shown || (!status->blocks && !atomic_load(&watcher->told));
}

static void *watch_file(void *context) {
    struct watcher *watcher = context;
    struct watch *watch = watch_new();
    /* the line can wait: the child and the copying go first */
    setpriority(PRIO_PROCESS, (id_t)gettid(), LOWEST_PRIORITY);
    while (!atomic_load(&watcher->stop) && wanted(watcher, watch_status(watch))) {
        ssize_t n = pread(watcher->fd, watch_room(watch, BLOCK), BLOCK, (off_t)atomic_load(&watcher->read));
        if (n > 0) {
            watch_took(watch, (size_t)n);
            atomic_fetch_add(&watcher->read, (uint64_t)n);
            watcher_put(watcher, watch_status(watch));
        } else if (n < 0 && errno != EINTR) {
            atomic_store(&watcher->error, errno);
            break;
        }
        if (n < BLOCK) nap(watcher);
    }
    watch_free(watch);
    return NULL;
}

void watcher_start(struct watcher *watcher, const struct watcher_wish *wish) {
    *watcher = (struct watcher){
        .fd = wish->fd, .keep = wish->keep, .term = term_of(STDERR_FILENO, wish->no_color), .started_ns = clock_ns()};
    const char *kind = getenv("TERM");
    watcher->shown = wish->show && watcher->term.is_tty && kind && strcmp(kind, "dumb") != 0;
    pthread_mutex_init(&watcher->lock, NULL);
    pthread_cond_init(&watcher->wake, NULL);
    /* signals are for the thread that runs the command */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = wish->silent ? 0 : pthread_create(&watcher->thread, NULL, watch_file, watcher);
    watcher->threaded = !wish->silent && !error;
    if (error) atomic_store(&watcher->error, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The line is below that of the cursor, which stays where the program left it, even in the middle of a line. */
#define LINE_BEGIN \
    "\x1b"         \
    "D\x1b[A\x1b"  \
    "7\r\n\x1b[K"
#define LINE_END \
    "\x1b"       \
    "8"

void watcher_clear(struct watcher *watcher) {
    if (!watcher->drawn) return;
    write_all(STDERR_FILENO, SLICE("\x1b[J"), NULL);
    watcher->drawn = false;
}

void watcher_get(struct watcher *watcher, struct watch_status *out) {
    pthread_mutex_lock(&watcher->lock);
    *out = watcher->status;
    pthread_mutex_unlock(&watcher->lock);
}

void watcher_draw(struct watcher *watcher) {
    if (!watcher->shown) return;
    struct watch_status status;
    watcher_get(watcher, &status);
    unsigned columns = term_of(STDERR_FILENO, true).columns;
    watcher->term.columns = columns > 1 ? columns - 1 : 1; /* a full line would wrap */
    struct strbuf text = {0};
    strbuf_addz(&text, LINE_BEGIN);
    status_line(&text, &watcher->term, &status, clock_ns() - watcher->started_ns);
    strbuf_addz(&text, LINE_END);
    write_all(STDERR_FILENO, strbuf_slice(&text), NULL);
    strbuf_release(&text);
    watcher->drawn = true;
}

const char *watcher_lacks(struct watcher *watcher) {
    struct watch_status s;
    watcher_get(watcher, &s);
    if (watcher->told || s.blocks) return NULL;
    if (s.modules && !watcher->module_seen_ns) watcher->module_seen_ns = clock_ns();
    bool silent = watcher->module_seen_ns && clock_ns() - watcher->module_seen_ns > SILENCE_NS;
    bool no_lines = !s.op_lines && !s.programs_started && s.modules && (s.next_compilation || silent);
    bool no_memory = s.programs_finished > 0;
    watcher->told = no_lines || no_memory;
    if (no_memory)
        return "the first program ran and printed no memory line: this log will hold no memory data; "
               "TT_RUNTIME_MEMORY_LOG_LEVEL=all needs TT-XLA from 2025-12-02 or later (in an older one, call "
               "tt::runtime::setMemoryLogLevel), and ttmem run --inspector needs neither";
    if (no_lines)
        return "a program was compiled and no runtime line followed: this build prints no memory data; use ttmem run "
               "--inspector, which works in release builds (tt-metal from 2026-08-21 or later), or build TT-XLA with "
               "TT_RUNTIME_DEBUG=ON (the debug preset; CMAKE_BUILD_TYPE=Debug alone does not do it)";
    return NULL;
}

void watcher_stop(struct watcher *watcher, uint64_t bytes) {
    while (watcher->threaded && !atomic_load(&watcher->error) && atomic_load(&watcher->read) < bytes) {
        struct timespec moment = {0, 1000000};
        nanosleep(&moment, NULL);
    }
    pthread_mutex_lock(&watcher->lock);
    atomic_store(&watcher->stop, true);
    pthread_cond_signal(&watcher->wake);
    pthread_mutex_unlock(&watcher->lock);
    if (watcher->threaded) pthread_join(watcher->thread, NULL);
    watcher_clear(watcher);
    pthread_mutex_destroy(&watcher->lock);
    pthread_cond_destroy(&watcher->wake);
}
