/* SPDX-License-Identifier: Apache-2.0 */
/* Which names of a source stand for the shape of a tensor: nobody tunes those. */
#ifndef TTMEM_ANALYSIS_CB_SHAPE_H
#define TTMEM_ANALYSIS_CB_SHAPE_H

#include <stdbool.h>

#include "base/slice.h"

/* `name` is read from the shape of a tensor (a.padded_shape()[-1]), or the text sets it to what is, by arithmetic alone. What
 * is chosen (a ? b : c, min(), a search for a divisor) or comes from shards is not a shape. */
bool cb_is_shape(struct slice text, struct slice name);

#endif
