/* SPDX-License-Identifier: Apache-2.0 */
/* A text may hold several modules, one after another or split by "// -----" lines: each has its own aliases and is a program
 * of its own. */
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
    VEC(struct module_piece) list; /* one at least */
};

/* The modules of a text, in order; together they are all of it. A zeroed struct is ready. */
void module_pieces_find(struct module_pieces *pieces, struct slice text);
void module_pieces_release(struct module_pieces *pieces);

/* -1 with ERR_LACKS: they are not programs that run one after another. */
int module_pieces_check(const struct module_pieces *pieces, const char *path, struct err *err);

/* Whether it is TTNN: has a function and an operation of that dialect. */
bool module_is_ttnn(struct slice text);

#endif
