/* SPDX-License-Identifier: Apache-2.0 */
/* Names of circular buffer indices: tt::CBIndex::c_0..c_63, and those of the older tt::CB (c_in0, dataflow0, c_out0,
 * c_intermed0). */
#ifndef TTMEM_PARSE_CB_INDEX_H
#define TTMEM_PARSE_CB_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* `name` has no scope. */
bool cb_index_by_name(struct slice name, int64_t *index);

#endif
