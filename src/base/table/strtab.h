/* SPDX-License-Identifier: Apache-2.0 */
/* Strings stored once and named by id. Id 0 is the empty string. */
#ifndef TTMEM_BASE_STRTAB_H
#define TTMEM_BASE_STRTAB_H

#include "base/arena.h"
#include "base/table/map.h"
#include "base/vec.h"

struct strtab {
    struct arena arena;
    VEC(struct slice) strings;
    struct map ids;
};

/* A zeroed struct strtab is ready for use. */
uint32_t strtab_id(struct strtab *table, struct slice s);
struct slice strtab_get(const struct strtab *table, uint32_t id);
void strtab_release(struct strtab *table);

#endif
