/* SPDX-License-Identifier: Apache-2.0 */
/* The only place that reports a command's error: a sentence on stderr, and an object on stdout if JSON was requested. */
#ifndef TTMEM_CMD_FAIL_H
#define TTMEM_CMD_FAIL_H

#include <stdbool.h>

#include "base/err.h"

/* Do these words ask for JSON? Read as typed, so that a usage error is JSON too; what follows "--" belongs to another
 * program. */
bool fail_asks_json(int argc, char *const *argv);

/* Reports the error of `command` (NULL: none was found) and returns the exit status. */
int fail_tell(const char *command, bool json, const struct err *err);

#endif
