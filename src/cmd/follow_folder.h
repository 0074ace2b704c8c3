/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem follow and top on an Inspector folder that a program is writing. */
#ifndef TTMEM_CMD_FOLLOW_FOLDER_H
#define TTMEM_CMD_FOLLOW_FOLDER_H

#include <signal.h>

#include "cmd/line/cmd.h"

/* Runs until the writer closes the files, `idle_ns` (< 0: no limit) pass without growth, or *interrupted. Prints the last
 * state from the whole run. The exit status is 4 if it records no buffer. */
int follow_folder(struct invocation *inv, const char *path, int64_t idle_ns, const volatile sig_atomic_t *interrupted,
                  struct err *err);

/* What is alive now, largest first: once, or `count` times (0: until interrupted). */
int top_folder(struct invocation *inv, const char *path, int interval_ms, uint64_t count,
               const volatile sig_atomic_t *interrupted, struct err *err);

#endif
