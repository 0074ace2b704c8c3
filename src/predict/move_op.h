/* SPDX-License-Identifier: Apache-2.0 */
/* An operation of a program, moved to as early as what it takes is there. */
#ifndef TTMEM_PREDICT_MOVE_OP_H
#define TTMEM_PREDICT_MOVE_OP_H

#include "replay/ir/ir.h"

/* The first place in the function, from its first op on, at which the op at `at` could stand; `at` itself: it cannot be moved.
 */
uint32_t move_op_earliest(const struct ir *ir, const struct ir_function *f, uint32_t at);

/* Moves the op of the main function that begins on that line there; nothing where there is none. */
void move_op_of_line(struct ir *ir, uint64_t line);

/* The op of the main function that begins on that line, from its first one on; op_count: there is none. */
uint32_t move_op_find(const struct ir *ir, uint64_t line);

#endif
