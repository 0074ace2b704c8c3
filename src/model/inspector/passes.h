/* SPDX-License-Identifier: Apache-2.0 */
/* Finds passes over the same program: the longest repeating end of the list of ops. A workload is kept for the program that
 * it runs, so equal names and numbers mean equal ops. If programs are rebuilt in each pass (no program cache), numbers never
 * repeat: then names alone decide, if they cover more than twice as much. */
#ifndef TTMEM_MODEL_INSPECTOR_PASSES_H
#define TTMEM_MODEL_INSPECTOR_PASSES_H

#include <stddef.h>

#include "model/inspector/data.h"

struct inspector_passes {
    size_t period; /* ops per pass; 0: nothing repeats */
    size_t first;  /* op */
    size_t count;  /* at least 2 */
};

void inspector_passes_find(const struct inspector_op *ops, size_t count, struct inspector_passes *out);

#endif
