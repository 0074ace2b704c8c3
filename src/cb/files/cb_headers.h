/* SPDX-License-Identifier: Apache-2.0 */
/* Finds, among the headers that a source includes directly or indirectly, those that define a name it needs. Only these are
 * parsed. */
#ifndef TTMEM_CB_HEADERS_H
#define TTMEM_CB_HEADERS_H

#include "cb/files/cb_cache.h"
#include "cb/interp/cb_source.h"

/* Finds the next included file and moves `text` past it. `quoted` skips includes in angle brackets. */
bool cb_next_include(struct slice *text, struct slice *name, bool quoted);

void cb_header_read(struct cb_header *header, struct slice text, const char *path, cb_resolve_fn *resolve, void *ctx);

typedef VEC(const struct cpp_tree *) cb_trees;

/* Adds the headers reached from `path` that define a name on which the sizes of a source depend, unless `trees` has them
 * already. Returns the number added. */
size_t cb_headers_add(cb_trees *trees, struct cb_cache *cache, const char *path, const struct cb_source *source,
                      cb_resolve_fn *resolve, void *ctx);

#endif
