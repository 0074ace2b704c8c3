/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that stay open between requests, to answer many questions about the same ones. A run is read again if its input has
 * changed (size, time, inode; for a folder, of each file in it). Not thread-safe. */
#ifndef TTMEM_WORK_RUN_CACHE_H
#define TTMEM_WORK_RUN_CACHE_H

#include "input/input.h"

struct run_cache;

struct run_cache *run_cache_new(void);
void run_cache_free(struct run_cache *cache);

/* A borrowed copy of the run of that path, as it is on disk now. Valid until three other runs have been put. */
bool run_cache_get(struct run_cache *cache, const char *path, struct input *in);

/* The state that shows whether a path has changed; take it before reading. False: it cannot be compared, such as a pipe. */
bool run_cache_identity(const char *path, uint64_t *identity);

/* Takes over the run; *in is a borrowed copy afterwards. */
void run_cache_put(struct run_cache *cache, const char *path, uint64_t identity, struct input *in);

#endif
