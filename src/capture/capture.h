/* SPDX-License-Identifier: Apache-2.0 */
/* Runs another program with one pipe for its stdout and stderr, and copies what comes out to a log and to stdout at once, byte
 * for byte, in the order written. Memory is one block, however much is printed.
 *
 * The child keeps ttmem's stdin and process group: a Ctrl+C of the terminal reaches both, and ttmem goes on until the child has
 * ended. Signals sent to ttmem alone are passed on (capture/witness). A process that the child leaves behind may hold the pipe:
 * what it prints shortly after the child's end is still taken, then the pipe is closed. Call from the only thread that may take
 * signals. */
#ifndef TTMEM_CAPTURE_CAPTURE_H
#define TTMEM_CAPTURE_CAPTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct capture {
    char *const *argv;        /* NULL-terminated; argv[0] is looked up in PATH */
    char *const *environment; /* NULL-terminated "NAME=VALUE" that the child gets on top of its own; may be NULL */
    int log_fd;
    bool echo; /* pass on to stdout */
    /* Called before bytes go to stdout, about ten times a second, and when the terminal changes its size. May be NULL. */
    void (*before_echo)(void *who);
    void (*tick)(void *who);
    void (*started)(void *who, pid_t child); /* once, when the program runs; may be NULL */
    void *who;
    _Atomic uint64_t bytes; /* in the log so far; may be read from any thread */
};

struct capture_end {
    int status;                 /* the child's exit status, 128+n when signal n ended it */
    int signal;                 /* 0: it ended by itself */
    bool interrupted;           /* a signal from the user reached it first */
    bool outlived;              /* a process that it left behind still holds the pipe */
    bool echo_closed;           /* the reader of stdout went away; the log is whole */
    int log_errno;              /* not 0: the log could not be written beyond `bytes` */
    int read_errno;             /* not 0: the output could not be read to its end */
    uint64_t largest_rss_bytes; /* that the child, or a process that it waited for, ever had in memory; 0: not known */
};

/* 0, or -1 when the program could not be started. */
int capture_run(struct capture *capture, struct capture_end *end, struct err *err);

#endif
