/* SPDX-License-Identifier: Apache-2.0 */
/* Files that many sources name, read and parsed once: headers as syntax trees, kernels as facts. Safe from several threads at
 * once; what is handed out lives until cb_cache_release. */
#ifndef TTMEM_CB_CACHE_H
#define TTMEM_CB_CACHE_H

#include <pthread.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cb/interp/cb_kernel.h"
#include "cb/interp/cpp_tree.h"

struct cb_cached;

struct cb_cache {
    pthread_mutex_t lock; /* of the table */
    struct cb_cached **table;
    size_t len, cap;
};

void cb_cache_init(struct cb_cache *cache);
void cb_cache_release(struct cb_cache *cache);

/* Text of a header; ptr is NULL when it cannot be read. */
struct slice cb_cache_text(struct cb_cache *cache, const char *path);
/* NULL when it cannot be read or parsed. */
const struct cpp_tree *cb_cache_tree(struct cb_cache *cache, const char *path);
/* What a header has, told without parsing it. */
struct cb_header {
    VEC(char *) includes; /* files that it includes, as far as they are found */
    VEC(uint32_t) names;  /* sorted hashes of the names that it seems to define */
};
/* Finds a file that `source` names; its path into `out`. */
typedef bool cb_resolve_fn(void *ctx, const char *source, struct slice name, struct strbuf *out);
/* A kernel, with the headers beside it and of its library that fill or empty buffers. */
const struct kernel_facts *cb_cache_kernel(struct cb_cache *cache, const char *path, cb_resolve_fn *resolve, void *ctx);
const struct cb_header *cb_cache_header(struct cb_cache *cache, const char *path, cb_resolve_fn *resolve, void *ctx);

#endif
