/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a model an op comes from, by the name of its location:
 *   torch with XLA_HLO_DEBUG=1   3|Attention[self_attn]|/home/u/model.py:40|forward|47|aten__split.5
 *   jax                          jit(step)/layers/0/dot_general
 *   a file                       /home/u/model.py:47:11
 * Slices point into the name. */
#ifndef TTMEM_ANALYSIS_MODULE_PATH_H
#define TTMEM_ANALYSIS_MODULE_PATH_H

#include <stdint.h>

#include "base/slice.h"

enum { MODULE_PATH_PARTS = 32 };

struct module_path {
    struct slice parts[MODULE_PATH_PARTS]; /* outermost module first; modules beyond the limit are left out */
    unsigned count;
    struct slice file; /* empty: unknown */
    uint64_t line;
    struct slice function;
    struct slice leaf; /* the rest of the name: "aten__split.5" */
};

void module_path_of(struct slice display, struct module_path *path);

#endif
