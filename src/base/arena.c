/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdlib.h>

#include "base/mem.h"

enum { ALIGNMENT = 16, FIRST_BLOCK = 16 << 10, LARGEST_BLOCK = 1 << 20 };

struct arena_block {
    struct arena_block *older;
    size_t size;
};

static void add_block(struct arena *arena, size_t need) {
    size_t size = arena->block_size ? arena->block_size : FIRST_BLOCK;
    if (size < LARGEST_BLOCK) arena->block_size = size * 2;
    size_t header = sizeof(struct arena_block);
    if (size < need + header + ALIGNMENT) size = need + header + ALIGNMENT;
    struct arena_block *block = mem_alloc(size);
    block->older = arena->blocks;
    block->size = size;
    arena->blocks = block;
    arena->next = (char *)block + header;
    arena->end = (char *)block + size;
    arena->total += size;
}

void *arena_alloc(struct arena *arena, size_t size) {
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!arena->blocks || (size_t)(arena->end - arena->next) < size) add_block(arena, size);
    char *ptr = arena->next;
    arena->next += size;
    return ptr;
}

void *arena_zalloc(struct arena *arena, size_t size) { return memset(arena_alloc(arena, size), 0, size); }

struct slice arena_copy(struct arena *arena, struct slice s) {
    return s.len ? slice_of(memcpy(arena_alloc(arena, s.len), s.ptr, s.len), s.len) : slice_of("", 0);
}

char *arena_text(struct arena *arena, struct slice s) {
    char *text = arena_alloc(arena, s.len + 1);
    if (s.len) memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    return text;
}

static void free_blocks(struct arena_block *block) {
    while (block) {
        struct arena_block *older = block->older;
        free(block);
        block = older;
    }
}

void arena_clear(struct arena *arena) {
    if (!arena->blocks) return;
    free_blocks(arena->blocks->older);
    arena->blocks->older = NULL;
    arena->next = (char *)arena->blocks + sizeof(struct arena_block);
    arena->total = arena->blocks->size;
}

void arena_release(struct arena *arena) {
    free_blocks(arena->blocks);
    *arena = (struct arena){0};
}
