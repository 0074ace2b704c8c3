/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem follow: the status line of a log that another process writes. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/progress.h"
#include "cmd/follow_folder.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "work/watcher.h"
#include "render/answer/status_line.h"

enum { TICK_MS = 100 };

static const int64_t SECOND_NS = 1000000000;

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) { interrupted = number; }

struct follow {
    const char *path;
    int fd, events;
    struct watcher watcher;
    char head[4096]; /* how the file began when it was last looked at */
    size_t head_len;
    uint64_t size;
    int64_t idle_ns; /* < 0: no limit */
    int64_t grown_ns;
    bool closed;     /* a writer closed it, or nobody has it open */
    int64_t gone_ns; /* since when no file has its name; 0: one has */
    bool told;       /* that was said */
};

/* A read lease is granted only while nobody has the file open for writing; on some file systems, and for files of others, to
 * nobody. */
static bool has_no_writer(int fd) {
    if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return false;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return true;
}

static bool has_writer(int fd) { return !has_no_writer(fd) && errno == EAGAIN; }

static void take_events(struct follow *f) {
    char room[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t n;
    while ((n = read(f->events, room, sizeof room)) > 0)
        for (char *p = room; p < room + n;) {
            const struct inotify_event *event = (const struct inotify_event *)(void *)p;
            if (event->mask & IN_CLOSE_WRITE) f->closed = !has_writer(f->fd); /* another one may still write */
            p += sizeof *event + event->len;
        }
}

/* Does the file begin as it did? A log that was rewritten in place may be longer than the old one. */
static bool begins_as_before(struct follow *f) {
    char head[sizeof f->head];
    ssize_t n = pread(f->fd, head, sizeof head, 0);
    bool same = n < 0 || ((size_t)n >= f->head_len && memcmp(head, f->head, f->head_len) == 0);
    f->head_len = n < 0 ? 0 : (size_t)n;
    memcpy(f->head, head, f->head_len);
    return same;
}

static void begin(struct follow *f, const struct invocation *inv) {
    struct stat st;
    f->head_len = 0;
    begins_as_before(f);
    f->size = fstat(f->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
    struct watcher_wish wish = {.fd = f->fd,
                                .show = !inv->work.quiet && inv->work.progress != PROGRESS_NEVER,
                                .keep = true,
                                .no_color = args_has(&inv->args, "no-color")};
    watcher_start(&f->watcher, &wish);
}

static void watch_path(struct follow *f) {
    if (f->events >= 0) inotify_add_watch(f->events, f->path, IN_MODIFY | IN_CLOSE_WRITE | IN_MOVE_SELF | IN_DELETE_SELF);
}

/* The log was removed, or something else has its name. A log that is rotated has none for a moment. */
static void tell_gone(struct follow *f, const struct invocation *inv, int64_t patience_ns) {
    struct stat named;
    if (!f->gone_ns || f->told || clock_ns() - f->gone_ns < patience_ns) return;
    const char *what = stat(f->path, &named) == 0 ? "replaced by what is not a file" : "removed";
    watcher_clear(&f->watcher);
    work_note(&inv->work, "%s was %s: only what its writer still adds to it is followed", f->path, what);
    f->told = true;
}

/* A rotated log: another file has its name. The rest of the old one no longer matters. */
static void take_replacement(struct follow *f, const struct invocation *inv) {
    struct stat held, named;
    if (fstat(f->fd, &held) != 0) return;
    bool there = stat(f->path, &named) == 0 && S_ISREG(named.st_mode);
    if (!there && !f->gone_ns) f->gone_ns = clock_ns();
    if (!there) return tell_gone(f, inv, SECOND_NS / 2);
    f->gone_ns = 0;
    f->told = false;
    if (held.st_ino == named.st_ino && held.st_dev == named.st_dev) return;
    int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return;
    watcher_stop(&f->watcher, 0);
    work_note(&inv->work, "%s was replaced: the new file is followed from its beginning", f->path);
    close(f->fd);
    f->fd = fd;
    f->closed = false;
    f->grown_ns = clock_ns();
    watch_path(f);
    begin(f, inv);
}

static void look(struct follow *f, const struct invocation *inv) {
    struct stat st;
    take_replacement(f, inv);
    if (fstat(f->fd, &st) != 0) return;
    uint64_t size = (uint64_t)st.st_size, before = f->size;
    bool same = begins_as_before(f);
    if (size < before || !same) {
        watcher_stop(&f->watcher, 0);
        work_note(&inv->work, "%s was %s and starts again", f->path, size < before ? "truncated" : "rewritten");
        begin(f, inv);
    }
    if (size != before) f->grown_ns = clock_ns();
    f->size = size;
}

static void watch_until_end(struct follow *f, const struct invocation *inv) {
    int64_t next_check = 0;
    while (!interrupted && !atomic_load(&f->watcher.error)) {
        struct pollfd wait = {.fd = f->events, .events = POLLIN};
        poll(&wait, 1, TICK_MS);
        if (wait.fd >= 0) take_events(f);
        look(f, inv);
        int64_t now = clock_ns();
        if (now >= next_check) {
            f->closed = f->closed || has_no_writer(f->fd);
            next_check = now + SECOND_NS;
        }
        bool caught_up = atomic_load(&f->watcher.read) >= f->size;
        if (caught_up && f->closed) {
            look(f, inv);
            if (atomic_load(&f->watcher.read) >= f->size) break;
        }
        if (caught_up && f->idle_ns >= 0 && now - f->grown_ns >= f->idle_ns) break;
        const char *lacks = watcher_lacks(&f->watcher);
        if (lacks) {
            watcher_clear(&f->watcher);
            work_note(&inv->work, "%s", lacks);
        }
        watcher_draw(&f->watcher);
    }
}

static int read_idle(const char *text, int64_t *ns, struct err *err) {
    *ns = -1;
    if (!text) return 0;
    uint64_t seconds;
    struct slice s = slice_from(text);
    if (!s.len || num_read_u64(s, &seconds) != s.len || seconds > 1000000000)
        return err_set(err, ERR_USAGE, "--idle takes a number of seconds, not '%s'", text);
    *ns = (int64_t)seconds * SECOND_NS;
    return 0;
}

static void listen_for_signals(void) {
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGIO, SIG_IGN); /* a process opened the file for writing at the moment of the lease */
}

static int run(struct invocation *inv, struct err *err) {
    struct follow f = {.path = inv->args.words.items[0], .fd = -1, .events = -1};
    if (read_idle(args_text(&inv->args, "idle"), &f.idle_ns, err) != 0) return -1;
    struct stat folder;
    if (stat(f.path, &folder) == 0 && S_ISDIR(folder.st_mode)) {
        listen_for_signals();
        return follow_folder(inv, f.path, f.idle_ns, &interrupted, err);
    }
    f.fd = open(f.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would make it wait for a writer */
    if (f.fd < 0) return err_set_errno(err, ERR_INPUT, "cannot open '%s'", f.path);
    struct stat st;
    if (fstat(f.fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(f.fd);
        return err_set(err, ERR_INPUT, "%s is not a file that can grow", f.path);
    }
    listen_for_signals();
    f.events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    watch_path(&f);
    f.grown_ns = clock_ns();
    begin(&f, inv);
    watch_until_end(&f, inv);
    tell_gone(&f, inv, 0);
    struct watch_status status;
    watcher_get(&f.watcher, &status);
    watcher_stop(&f.watcher, 0);
    int error = atomic_load(&f.watcher.error);
    struct strbuf text = {0};
    status_line(&text, &inv->work.out, &status, -1);
    strbuf_addc(&text, '\n');
    int rc = emit_to(inv, NULL, strbuf_slice(&text), true, err);
    strbuf_release(&text);
    if (f.events >= 0) close(f.events);
    close(f.fd);
    if (rc != 0 || interrupted) return rc != 0 ? rc : 128 + interrupted;
    if (error == EAGAIN) return err_set(err, ERR_BUG, "cannot start a thread");
    if (error) return err_set(err, ERR_INPUT, "cannot continue reading '%s': %s", f.path, strerror(error));
    if (status.blocks) return 0;
    return err_set(err, ERR_LACKS,
                   "%s holds no memory lines: build TT-XLA with TT_RUNTIME_DEBUG=ON (the debug preset) and run with "
                   "TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG TT_RUNTIME_MEMORY_LOG_LEVEL=all",
                   f.path);
}

static const struct option options[] = {
    {"idle", 0, OPTION_TEXT, "SECONDS", "end when the log has not grown for this long"},
    OPTION_RUN_DEVICE,
    OPTIONS_END,
};

const struct command cmd_follow = {
    .name = "follow",
    .summary = "Watch a log that another process writes",
    .synopsis = "LOG|FOLDER [--idle SECONDS] [--device CHIP]",
    .details =
        "On a terminal one line is kept up to date: time, bytes, ops, DRAM now, at its peak and its capacity, the L1\n"
        "peak, and the program that runs. Ends when the writer closes the log, after --idle SECONDS without growth, or\n"
        "with Ctrl+C, and prints the last state. FOLDER is a folder of tt-metal's Inspector; its figures are lower bounds\n"
        "while it grows, and final at the end. If a log has no memory data, follow says so as soon as that is clear, and\n"
        "ends with exit status 4.",
    .example = "ttmem follow logs/model_20260122_143957/model_profile.log --idle 60",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
