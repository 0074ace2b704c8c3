/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a program with its stdout and stderr on one descriptor. */
#ifndef TTMEM_CAPTURE_SPAWN_H
#define TTMEM_CAPTURE_SPAWN_H

#include <signal.h>
#include <sys/types.h>

#include "base/err.h"

/* `mask` is the program's signal mask; SIGPIPE gets its default. `missed`: signals that came to this process, which blocks
 * them, before the program existed, so they have not reached it, whoever they were sent to. Returns the process id, or -1
 * with the reason why the program could not run. */
pid_t spawn_program(char *const *argv, char *const *environment, int output, const sigset_t *mask, sigset_t *missed,
                    struct err *err);

#endif
