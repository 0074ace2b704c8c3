/* SPDX-License-Identifier: Apache-2.0 */
/* Options that the commands of `ttmem cb` share. */
#ifndef TTMEM_CMD_CB_OPTIONS_H
#define TTMEM_CMD_CB_OPTIONS_H

#include "cb/interp/cb_source.h"
#include "cmd/line/cmd.h"

struct chip;

/* NAME=VALUE of every --set. The caller frees the result; -1 with a usage error. */
int cb_sets_parse(const struct args *args, struct cb_set **sets, size_t *n, struct err *err);
void cb_set_unused(const struct invocation *inv, const struct cb_set *set);

/* The chip of --device, Wormhole if not given. NULL with a usage error. */
const struct chip *cb_chip(const struct args *args, struct err *err);

#endif
