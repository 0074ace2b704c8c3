/* Results to stdout, or to the file of -o. */
#ifndef TTMEM_CMD_EMIT_H
#define TTMEM_CMD_EMIT_H

#include "cmd/line/cmd.h"

/* `fit`: text for people, cut to the terminal's width when it goes there. */
int emit(const struct invocation *inv, struct slice text, bool fit, struct err *err);

#endif
