/* SPDX-License-Identifier: Apache-2.0 */
/* Finds files of a tree by the end of their paths: a source includes ttnn/common/constants.hpp, which is below some folder
 * of the tree. Filled once, then read by several threads. */
#ifndef TTMEM_CB_PATHS_H
#define TTMEM_CB_PATHS_H

#include <stdbool.h>

#include "base/slice.h"
#include "base/strbuf.h"
#include "base/vec.h"

struct cb_paths {
    VEC(const char *) items;
    uint32_t *table; /* indices into items, counted from 1, hashed by the last part of the path */
    size_t cap;
};

/* The paths are borrowed. */
void cb_paths_init(struct cb_paths *paths, const char *const *items, size_t n);
void cb_paths_release(struct cb_paths *paths);

/* Finds the file whose path ends in `name`, compared by whole parts. Of several it takes the one nearest to `source`, and
 * none if two are equally near. */
bool cb_paths_find(const struct cb_paths *paths, const char *source, struct slice name, struct strbuf *out);

#endif
