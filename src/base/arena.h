/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is released all at once. No alignment beyond 16; pointers stay valid until arena_release. Not thread-safe. */
#ifndef TTMEM_BASE_ARENA_H
#define TTMEM_BASE_ARENA_H

#include "base/slice.h"

struct arena_block;

struct arena {
    struct arena_block *blocks;
    char *next;
    char *end;
    size_t block_size;
    size_t total; /* bytes taken from the heap */
};

/* A zeroed struct arena is ready for use. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_zalloc(struct arena *arena, size_t size);
struct slice arena_copy(struct arena *arena, struct slice s);
char *arena_text(struct arena *arena, struct slice s); /* NUL-terminated copy */

/* Forgets everything, keeps the newest block for reuse. */
void arena_clear(struct arena *arena);
void arena_release(struct arena *arena);

#endif
