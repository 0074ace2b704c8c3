/* SPDX-License-Identifier: Apache-2.0 */
/* Files that many sources name, read and parsed once: headers as syntax trees, kernels as facts. Several threads can use a
 * cache at once; everything it returns lives until cb_cache_release. */
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
    pthread_mutex_t lock; /* guards the table */
    struct cb_cached **table;
    size_t len, cap;
};

void cb_cache_init(struct cb_cache *cache);
void cb_cache_release(struct cb_cache *cache);

/* The text of a header; ptr is NULL if it cannot be read. */
struct slice cb_cache_text(struct cb_cache *cache, const char *path);
/* NULL if the file cannot be read or parsed. */
const struct cpp_tree *cb_cache_tree(struct cb_cache *cache, const char *path);
/* What a header includes and defines, found without parsing it. */
struct cb_header {
    VEC(char *) includes; /* the included files that were found */
    VEC(uint32_t) names;  /* sorted hashes of the names that it appears to define */
};
/* Finds a file that `source` names and writes its path to `out`. */
typedef bool cb_resolve_fn(void *ctx, const char *source, struct slice name, struct strbuf *out);
/* The facts of a kernel, including those of the headers it includes that fill, empty or name buffers. */
const struct kernel_facts *cb_cache_kernel(struct cb_cache *cache, const char *path, cb_resolve_fn *resolve, void *ctx);
const struct cb_header *cb_cache_header(struct cb_cache *cache, const char *path, cb_resolve_fn *resolve, void *ctx);

#endif
