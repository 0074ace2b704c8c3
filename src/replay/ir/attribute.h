/* SPDX-License-Identifier: Apache-2.0 */
/* Values of an op's properties as printed: `kernel_size = array<i32: 3, 3>`, `dim_arg = [2 : i32, 3 : i32]`, `repeat_dims =
 * #ttnn.shape<4x1x60x106>`, `keep_dim = true`. */
#ifndef TTMEM_REPLAY_ATTRIBUTE_H
#define TTMEM_REPLAY_ATTRIBUTE_H

#include <stdint.h>

#include "base/slice.h"

/* The text of a value up to the next comma of its level, wherever the key is in `properties`, even inside another value.
 * Empty if there is none. */
struct slice attribute_text(struct slice properties, const char *key);

/* Reads the integers of a value; returns their number, at most `room`. Types (i32) are not numbers. */
unsigned attribute_numbers(struct slice properties, const char *key, int64_t *out, unsigned room);

/* The first integer, or `fallback`. */
int64_t attribute_number(struct slice properties, const char *key, int64_t fallback);

/* Is the value `word`, or does it begin with it: `true`, `#ttnn.layout<tile>`? */
bool attribute_is(struct slice properties, const char *key, const char *word);

#endif
