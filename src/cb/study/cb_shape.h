/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the names in a source that stand for a tensor's shape, which nobody tunes. */
#ifndef TTMEM_ANALYSIS_CB_SHAPE_H
#define TTMEM_ANALYSIS_CB_SHAPE_H

#include <stdbool.h>

#include "base/slice.h"

/* Is `name` read from the shape of a tensor (a.padded_shape()[-1]), or set by arithmetic alone from such a value? A value
 * that is chosen (a ? b : c, min(), a search for a divisor) or that comes from shards is not a shape. */
bool cb_is_shape(struct slice text, struct slice name);

#endif
