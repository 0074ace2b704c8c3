/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/witness.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SAME_MOMENT_MS = 50, /* killing by name reaches the processes one after another */
    ANSWER_MS = 5000,    /* for a busy machine; a stopped witness does not answer */
};

/* Runs in the witness. Asked about a signal, it answers 1 or 0. */
static void testify(int fd) {
    if (dup2(fd, 0) < 0) _exit(1);
    close_range(1, UINT_MAX, 0);
    prctl(PR_SET_NAME, "ttmem-witness");
    sigset_t asked;
    unsigned char number;
    struct timespec moment = {0, SAME_MOMENT_MS * 1000000L};
    while (read(0, &number, 1) == 1) {
        sigemptyset(&asked);
        sigaddset(&asked, number);
        unsigned char seen = sigtimedwait(&asked, NULL, &moment) == number;
        if (write(0, &seen, 1) != 1) break;
    }
    _exit(0);
}

void witness_start(struct witness *witness) {
    *witness = (struct witness){.fd = -1};
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) return;
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before); /* so that nothing reaches it before it blocks */
    witness->pid = fork();
    if (witness->pid == 0) testify(fds[1]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(fds[1]);
    if (witness->pid > 0) witness->fd = fds[0];
    else close(fds[0]);
}

static void give_up(struct witness *witness) {
    close(witness->fd);
    witness->fd = -1;
}

bool witness_saw(struct witness *witness, int number) {
    if (witness->fd < 0) return false;
    unsigned char asked = (unsigned char)number, seen = 0;
    struct pollfd answer = {.fd = witness->fd, .events = POLLIN};
    if (send(witness->fd, &asked, 1, MSG_NOSIGNAL) != 1 || poll(&answer, 1, ANSWER_MS) <= 0 || read(witness->fd, &seen, 1) != 1)
        give_up(witness);
    return seen;
}

void witness_stop(struct witness *witness) {
    if (witness->fd >= 0) give_up(witness);
    if (witness->pid > 0) {
        kill(witness->pid, SIGKILL); /* works even if it is stopped */
        while (waitpid(witness->pid, NULL, 0) < 0 && errno == EINTR) continue;
    }
}
