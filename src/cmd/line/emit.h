/* SPDX-License-Identifier: Apache-2.0 */
/* How a command delivers its answer: to stdout or to a file. */
#ifndef TTMEM_CMD_EMIT_H
#define TTMEM_CMD_EMIT_H

#include "cmd/line/cmd.h"

/* To stdout, or to the file of -o. `fit`: cut the text to the terminal's width if it goes there. Returns 0 or -1. */
int emit_answer(const struct invocation *inv, struct slice text, bool fit, struct err *err);

/* The same for the file of any option; NULL is stdout. */
int emit_to(const struct invocation *inv, const char *path, struct slice text, bool fit, struct err *err);

/* Did an answer go to stdout? Then a later error goes only to stderr, so that stdout stays one document. */
bool emit_answered(void);

#endif
