/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "base/progress.h"
#include "capture/spawn.h"
#include "capture/witness.h"

enum {
    BLOCK = 64 << 10, /* size of a pipe: larger blocks and pipes fall out of the cache between the copies and take half as long
                         again */
    TICK_MS = 100,
    TICK_BEHIND_OUTPUT_MS = 30,
    PATIENCE = 3,               /* number of interrupts after which the child is killed */
    LEFT_BEHIND_QUIET_MS = 500, /* the pipe is closed after this much silence since the child's end */
    LEFT_BEHIND_MS = 2000,      /* or after this long in any case */
};

static const int64_t MS = 1000000;

struct copying {
    struct capture *capture;
    struct capture_end *end;
    pid_t child;
    struct witness witness;
    sigset_t missed; /* signals that came before the child existed */
    int pipe_fd, signal_fd;
    bool ended, at_eof;
    int interrupts;
    int64_t ended_ns, next_tick_ns;
    char *block;
};

static void block_signals(sigset_t *taken, sigset_t *before) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGWINCH};
    sigemptyset(taken);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaddset(taken, numbers[i]);
    sigprocmask(SIG_BLOCK, taken, before);
}

static void reap(struct copying *c) {
    int status;
    struct rusage used = {0};
    if (c->ended || wait4(c->child, &status, WNOHANG, &used) != c->child) return;
    c->ended = true;
    c->ended_ns = clock_ns();
    c->end->largest_rss_bytes = used.ru_maxrss > 0 ? (uint64_t)used.ru_maxrss * 1024 : 0;
    c->end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    c->end->status = c->end->signal ? 128 + c->end->signal : WEXITSTATUS(status);
}

/* A signal to the whole group has already reached the child, unless the child has left the group. */
static void pass_on(struct copying *c, int number) {
    c->end->interrupted = true;
    bool sent_to_group = witness_saw(&c->witness, number) && !sigismember(&c->missed, number);
    sigdelset(&c->missed, number);
    reap(c);
    if (c->ended) return;
    if (number == SIGINT && ++c->interrupts >= PATIENCE) kill(c->child, SIGKILL);
    else if (!sent_to_group || getpgid(c->child) != getpgrp()) kill(c->child, number);
}

static void take_signals(struct copying *c) {
    struct signalfd_siginfo info;
    while (read(c->signal_fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGWINCH) c->next_tick_ns = 0;
        else if (info.ssi_signo != SIGCHLD) pass_on(c, (int)info.ssi_signo);
    }
    reap(c);
}

/* Like write_all, for a stdout that another process may have made non-blocking. */
static bool echo(struct slice bytes) {
    while (bytes.len) {
        ssize_t n = write(STDOUT_FILENO, bytes.ptr, bytes.len);
        if (n >= 0) {
            bytes = slice_skip(bytes, (size_t)n);
        } else if (errno == EAGAIN) {
            struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
            poll(&out, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

static void take_output(struct copying *c) {
    struct capture *capture = c->capture;
    ssize_t n = read(c->pipe_fd, c->block, BLOCK);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n <= 0) {
        if (n < 0) c->end->read_errno = errno;
        c->at_eof = true;
        return;
    }
    struct slice bytes = slice_of(c->block, (size_t)n);
    if (!c->end->log_errno) {
        if (write_all(capture->log_fd, bytes, NULL) == 0) atomic_fetch_add(&capture->bytes, bytes.len);
        else c->end->log_errno = errno ? errno : EIO;
    }
    if (!capture->echo || c->end->echo_closed) return;
    if (capture->before_echo) capture->before_echo(capture->who);
    if (!echo(bytes)) c->end->echo_closed = true;
    int64_t soon = clock_ns() + TICK_BEHIND_OUTPUT_MS * MS;
    if (soon < c->next_tick_ns) c->next_tick_ns = soon;
}

static int wait_ms(const struct copying *c) {
    int64_t left = c->next_tick_ns - clock_ns();
    return left <= 0 ? 0 : left > TICK_MS * MS ? TICK_MS : (int)(left / MS) + 1;
}

/* Is there nothing left to wait for? */
static bool finished(struct copying *c, bool quiet) {
    if (!c->ended) return false;
    if (c->at_eof) return true;
    int64_t since = clock_ns() - c->ended_ns;
    if (!(quiet && since >= LEFT_BEHIND_QUIET_MS * MS) && since < LEFT_BEHIND_MS * MS) return false;
    c->end->outlived = true;
    return true;
}

static void copy_all(struct copying *c) {
    for (bool quiet = false; !finished(c, quiet);) {
        struct pollfd fds[] = {{.fd = c->signal_fd, .events = POLLIN}, {.fd = c->at_eof ? -1 : c->pipe_fd, .events = POLLIN}};
        int ready = poll(fds, 2, c->capture->tick ? wait_ms(c) : TICK_MS);
        quiet = ready <= 0 || !fds[1].revents;
        if (ready > 0 && fds[0].revents) take_signals(c);
        if (ready > 0 && fds[1].revents) take_output(c);
        int64_t now = clock_ns();
        if (now < c->next_tick_ns || !c->capture->tick) continue;
        c->capture->tick(c->capture->who);
        c->next_tick_ns = now + TICK_MS * MS;
    }
}

int capture_run(struct capture *capture, struct capture_end *end, struct err *err) {
    *end = (struct capture_end){0};
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) return err_set_errno(err, ERR_OUTPUT, "cannot create a pipe");
    sigset_t taken, before;
    block_signals(&taken, &before);
    struct copying c = {
        .capture = capture, .end = end, .pipe_fd = fds[0], .signal_fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK)};
    witness_start(&c.witness); /* before the child starts, so that it misses no signal */
    c.child = spawn_program(capture->argv, capture->environment, fds[1], &before, &c.missed, err);
    close(fds[1]);
    if (c.child > 0) {
        c.block = mem_alloc(BLOCK);
        c.next_tick_ns = clock_ns() + TICK_MS * MS;
        if (capture->started) capture->started(capture->who, c.child);
        reap(&c); /* its SIGCHLD may have come before the descriptor was read */
        copy_all(&c);
        free(c.block);
    }
    witness_stop(&c.witness);
    close(c.pipe_fd);
    close(c.signal_fd);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return c.child > 0 ? 0 : -1;
}
