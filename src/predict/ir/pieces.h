/* SPDX-License-Identifier: Apache-2.0 */
/* A text may contain several modules, in sequence or separated by "// -----" lines: each has its own aliases and is a
 * separate program. */
#ifndef TTMEM_PREDICT_PIECES_H
#define TTMEM_PREDICT_PIECES_H

#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"

struct module_piece {
    struct slice text;
    uint32_t lines_before; /* in the whole text */
};

struct module_pieces {
    VEC(struct module_piece) list; /* at least one */
};

/* The modules of a text, in order; together they cover all of it. A zeroed struct is ready. */
void module_pieces_find(struct module_pieces *pieces, struct slice text);
void module_pieces_release(struct module_pieces *pieces);

/* Returns -1 with ERR_LACKS if they are not programs that run in sequence. */
int module_pieces_check(const struct module_pieces *pieces, const char *path, struct err *err);

/* Is it TTNN, with a function and an op of that dialect? */
bool module_is_ttnn(struct slice text);

#endif
