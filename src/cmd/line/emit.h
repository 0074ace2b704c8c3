/* SPDX-License-Identifier: Apache-2.0 */
/* How a command hands out its answer: to stdout or to a file. */
#ifndef TTMEM_CMD_EMIT_H
#define TTMEM_CMD_EMIT_H

#include "cmd/line/cmd.h"

/* To stdout, or to the file of -o. `fit`: text for people, cut to the terminal's width when it goes there. 0 or -1. */
int emit_answer(const struct invocation *inv, struct slice text, bool fit, struct err *err);

/* The same to a file of any option; NULL is stdout. */
int emit_to(const struct invocation *inv, const char *path, struct slice text, bool fit, struct err *err);

/* Whether an answer went to stdout: a later error goes to stderr only, so that stdout stays one document. */
bool emit_answered(void);

#endif
