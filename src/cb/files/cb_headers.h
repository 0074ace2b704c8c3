/* SPDX-License-Identifier: Apache-2.0 */
/* Headers that a source includes, also through others, and which of them define a name: those are read, the rest is not. */
#ifndef TTMEM_CB_HEADERS_H
#define TTMEM_CB_HEADERS_H

#include "cb/files/cb_cache.h"
#include "cb/interp/cb_source.h"

/* The next file that a text includes; moves `text` past it. `quoted`: not those in angle brackets. */
bool cb_next_include(struct slice *text, struct slice *name, bool quoted);

void cb_header_read(struct cb_header *header, struct slice text, const char *path, cb_resolve_fn *resolve, void *ctx);

typedef VEC(const struct cpp_tree *) cb_trees;

/* Adds the headers, reached from `path`, that define something of what the sizes of a source depend on and no tree in `trees`
 * has. Returns how many came. */
size_t cb_headers_add(cb_trees *trees, struct cb_cache *cache, const char *path, const struct cb_source *source,
                      cb_resolve_fn *resolve, void *ctx);

#endif
