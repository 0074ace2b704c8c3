/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of function arguments, stored once and named by id; id 0 is the empty set. A value's set holds the arguments of the
 * outermost program that it was made from. */
#ifndef TTMEM_MODEL_ARGSET_H
#define TTMEM_MODEL_ARGSET_H

#include <stdint.h>

#include "base/table/map.h"
#include "base/vec.h"

enum { ARGSET_LIMIT = 256 }; /* further members are dropped */

struct argset {
    uint32_t first, count;
};

struct argsets {
    VEC(struct argset) sets;
    VEC(uint32_t) members; /* ascending within a set */
    struct map ids;        /* by content */
    struct map unions;     /* by the two ids */
};

/* A zeroed struct is ready for use. */
uint32_t argset_one(struct argsets *sets, uint32_t argument);
uint32_t argset_union(struct argsets *sets, uint32_t a, uint32_t b);
const uint32_t *argset_members(const struct argsets *sets, uint32_t id, uint32_t *count);
void argsets_release(struct argsets *sets);

#endif
