/* SPDX-License-Identifier: Apache-2.0 */
/* An op of a program, moved to the earliest point where its operands exist. */
#ifndef TTMEM_PREDICT_MOVE_OP_H
#define TTMEM_PREDICT_MOVE_OP_H

#include "replay/ir/ir.h"

/* The first position in the function at which the op at `at` could be; `at` itself if it cannot be moved. */
uint32_t move_op_earliest(const struct ir *ir, const struct ir_function *f, uint32_t at);

/* Moves the op of the main function that begins on that line to that position; does nothing if there is none. */
void move_op_of_line(struct ir *ir, uint64_t line);

/* The index of the op that begins on that line in the main function; op_count: none. */
uint32_t move_op_find(const struct ir *ir, uint64_t line);

#endif
