/* SPDX-License-Identifier: Apache-2.0 */
/* Which operations are passes over the same program: the longest end of the list that repeats. A workload is kept for the
 * program that it runs, so equal names and numbers are equal operations. Where programs are made again in each pass (without a
 * cache of them) numbers never come again: then names alone tell, where that covers more than twice as much. */
#ifndef TTMEM_MODEL_INSPECTOR_PASSES_H
#define TTMEM_MODEL_INSPECTOR_PASSES_H

#include <stddef.h>

#include "model/inspector/data.h"

struct inspector_passes {
    size_t period; /* ops of a pass; 0: nothing repeats */
    size_t first;  /* op */
    size_t count;  /* at least 2 */
};

void inspector_passes_find(const struct inspector_op *ops, size_t count, struct inspector_passes *out);

#endif
