/* SPDX-License-Identifier: Apache-2.0 */
/* Folders outside which a server reads nothing, wherever a path, a link or a report leads. */
#ifndef TTMEM_CMD_MCP_ROOTS_H
#define TTMEM_CMD_MCP_ROOTS_H

#include "base/err.h"
#include "base/vec.h"

struct roots {
    VEC(char *) folders; /* from realpath */
};

int roots_add(struct roots *roots, const char *folder, struct err *err);
void roots_release(struct roots *roots);

/* -1 with ERR_INPUT: a path outside, or neither a file nor a folder. A missing path is left to the code that opens it. */
int roots_check(const struct roots *roots, const char *path, struct err *err);

#endif
