/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem explain on a recording of host memory: how the run ended there. */
#ifndef TTMEM_CMD_EXPLAIN_HOST_H
#define TTMEM_CMD_EXPLAIN_HOST_H

#include "cmd/line/cmd.h"

/* Is this a recording that ttmem run wrote? */
bool explain_is_recording(const char *path);

/* Explains it, with the log or the Inspector folder beside it if there is one. Exit status 1: killed for lack of memory; 4:
 * it is unknown how it ended; 0: it was not killed. */
int explain_recording(struct invocation *inv, const char *path, struct err *err);

/* The recording beside a log in which nothing failed: explains it and returns 1 if the kernel killed for lack of memory;
 * else 0. */
int explain_recording_beside(struct invocation *inv, const char *log, struct err *err);

#endif
