/* SPDX-License-Identifier: Apache-2.0 */
/* Runs another program with one pipe for its stdout and stderr, and copies its output to a log and to stdout at once, byte
 * for byte, in the order written. Uses one block of memory, however much is printed.
 *
 * The child keeps ttmem's stdin and process group: a Ctrl+C in the terminal reaches both, and ttmem continues until the
 * child has ended. Signals sent only to ttmem are passed on (capture/witness). A process that the child leaves behind may
 * hold the pipe: what it prints shortly after the child's end is still taken, then the pipe is closed. Call from the only
 * thread that takes signals. */
#ifndef TTMEM_CAPTURE_CAPTURE_H
#define TTMEM_CAPTURE_CAPTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct capture {
    char *const *argv;        /* NULL-terminated; argv[0] is looked up in PATH */
    char *const *environment; /* NULL-terminated "NAME=VALUE", added to the child's environment; may be NULL */
    int log_fd;
    bool echo; /* pass on to stdout */
    /* Called before bytes go to stdout, about ten times a second, and when the terminal changes its size. May be NULL. */
    void (*before_echo)(void *who);
    void (*tick)(void *who);
    void (*started)(void *who, pid_t child); /* called once, when the program runs; may be NULL */
    void *who;
    _Atomic uint64_t bytes; /* in the log so far; may be read from any thread */
};

struct capture_end {
    int status;                 /* the child's exit status, 128+n if signal n ended it */
    int signal;                 /* 0: it ended by itself */
    bool interrupted;           /* a signal from the user reached it first */
    bool outlived;              /* a process that it left behind still holds the pipe */
    bool echo_closed;           /* the reader of stdout is gone; the log is complete */
    int log_errno;              /* not 0: the log could not be written beyond `bytes` */
    int read_errno;             /* not 0: the output could not be read to its end */
    uint64_t largest_rss_bytes; /* the most memory that the child, or a process that it waited for, ever had; 0: unknown */
};

/* Returns 0, or -1 if the program could not be started. */
int capture_run(struct capture *capture, struct capture_end *end, struct err *err);

#endif
