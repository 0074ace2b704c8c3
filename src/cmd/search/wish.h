/* SPDX-License-Identifier: Apache-2.0 */
/* What `ttmem ops` is asked for, checked against the run: a word that no op can have is refused, and existing ones are
 * listed. */
#ifndef TTMEM_CMD_WISH_H
#define TTMEM_CMD_WISH_H

#include "analysis/search/op_search.h"
#include "base/strbuf.h"
#include "input/input.h"

/* Texts that a wish points to. */
struct wish_room {
    struct strbuf shape;
    bool *located;
};

/* Shapes are written with x, commas or brackets, types by any of their names, places as in the log or as ttmem shows them. */
int wish_check(const struct input *in, struct op_wish *wish, struct wish_room *room, struct err *err);
void wish_release(struct wish_room *room);

#endif
