/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs in the child. Becomes the program, or writes errno to `failed`. */
static void become(char *const *argv, char *const *environment, int output, const sigset_t *mask, int failed) {
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    /* a pending signal ends the program; it must not run the cleanup of the parent process here */
    static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGXCPU};
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
        if (signal(handled[i], SIG_DFL) == SIG_IGN) signal(handled[i], SIG_IGN);
    sigprocmask(SIG_SETMASK, mask, NULL);
    for (; environment && *environment; environment++) putenv(*environment);
    if (dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0) execvp(argv[0], argv);
    int reason = errno;
    if (write(failed, &reason, sizeof reason) < 0) _exit(126);
    _exit(127);
}

pid_t spawn_program(char *const *argv, char *const *environment, int output, const sigset_t *mask, sigset_t *missed,
                    struct err *err) {
    int failed[2];
    sigemptyset(missed);
    if (pipe2(failed, O_CLOEXEC) != 0) return err_set_errno(err, ERR_INPUT, "cannot run '%s'", argv[0]);
    sigpending(missed);
    pid_t child = fork();
    if (child == 0) become(argv, environment, output, mask, failed[1]);
    int reason = child < 0 ? errno : 0;
    close(failed[1]);
    if (child > 0) {
        ssize_t n;
        while ((n = read(failed[0], &reason, sizeof reason)) < 0 && errno == EINTR) continue;
        if (n != sizeof reason) reason = 0;
        else waitpid(child, NULL, 0);
    }
    close(failed[0]);
    if (!reason) return child;
    errno = reason;
    return err_set_errno(err, ERR_INPUT, "cannot run '%s'", argv[0]);
}
