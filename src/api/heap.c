/* SPDX-License-Identifier: Apache-2.0 */
#include "api/heap.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

/* The names that the linker's --wrap knows. */
#define CALLED(name) __asm__(name)
void *real_malloc(size_t size) CALLED("__real_malloc");
void *real_calloc(size_t count, size_t size) CALLED("__real_calloc");
void *real_realloc(void *ptr, size_t size) CALLED("__real_realloc");
void real_free(void *ptr) CALLED("__real_free");
void *heap_malloc(size_t size) CALLED("__wrap_malloc");
void *heap_calloc(size_t count, size_t size) CALLED("__wrap_calloc");
void *heap_realloc(void *ptr, size_t size) CALLED("__wrap_realloc");
void heap_release(void *ptr) CALLED("__wrap_free");

/* Pointers in an open addressing table: NULL is free, GONE was removed. */
#define GONE ((void *)1)

struct heap {
    pthread_mutex_t lock;
    void **slots;
    size_t cap, used, live; /* used: live and GONE */
};

enum { FIRST_SLOTS = 256 };

struct heap *heap_new(void) {
    struct heap *heap = real_calloc(1, sizeof *heap);
    if (!heap) return NULL;
    heap->slots = real_calloc(FIRST_SLOTS, sizeof *heap->slots);
    if (!heap->slots) {
        real_free(heap);
        return NULL;
    }
    heap->cap = FIRST_SLOTS;
    pthread_mutex_init(&heap->lock, NULL);
    return heap;
}

void heap_free(struct heap *heap) {
    for (size_t i = 0; i < heap->cap; i++)
        if (heap->slots[i] && heap->slots[i] != GONE) real_free(heap->slots[i]);
    pthread_mutex_destroy(&heap->lock);
    real_free(heap->slots);
    real_free(heap);
}

size_t heap_count(struct heap *heap) {
    pthread_mutex_lock(&heap->lock);
    size_t count = heap->live;
    pthread_mutex_unlock(&heap->lock);
    return count;
}

static size_t place_of(const struct heap *heap, const void *ptr) {
    uint64_t number = (uint64_t)(uintptr_t)ptr >> 4;
    return (size_t)(number * 0x9e3779b97f4a7c15u >> 20) & (heap->cap - 1);
}

static void put(struct heap *heap, void *ptr) {
    size_t at = place_of(heap, ptr);
    while (heap->slots[at] && heap->slots[at] != GONE) at = (at + 1) & (heap->cap - 1);
    heap->used += !heap->slots[at];
    heap->slots[at] = ptr;
    heap->live++;
}

/* Makes room for one more, at most three quarters full; false if out of memory. */
static bool make_room(struct heap *heap) {
    if (heap->used + 1 <= heap->cap / 4 * 3) return true;
    size_t old_cap = heap->cap, cap = heap->live + 1 > old_cap / 2 ? old_cap * 2 : old_cap;
    void **old = heap->slots, **slots = real_calloc(cap, sizeof *slots);
    if (!slots) return false;
    heap->slots = slots;
    heap->cap = cap;
    heap->used = heap->live = 0;
    for (size_t i = 0; i < old_cap; i++)
        if (old[i] && old[i] != GONE) put(heap, old[i]);
    real_free(old);
    return true;
}

static bool forget(struct heap *heap, void *ptr) {
    for (size_t at = place_of(heap, ptr); heap->slots[at]; at = (at + 1) & (heap->cap - 1)) {
        if (heap->slots[at] != ptr) continue;
        heap->slots[at] = GONE;
        heap->live--;
        return true;
    }
    return false;
}

/* Remembers an allocation; frees it if there is no room to remember it. */
static void *kept(void *ptr) {
    struct heap *heap = mem_scope();
    if (!heap || !ptr) return ptr;
    pthread_mutex_lock(&heap->lock);
    bool room = make_room(heap);
    if (room) put(heap, ptr);
    pthread_mutex_unlock(&heap->lock);
    if (room) return ptr;
    real_free(ptr);
    return NULL;
}

void *heap_malloc(size_t size) { return kept(real_malloc(size)); }
void *heap_calloc(size_t count, size_t size) { return kept(real_calloc(count, size)); }

void heap_release(void *ptr) {
    struct heap *heap = mem_scope();
    if (heap && ptr) {
        pthread_mutex_lock(&heap->lock);
        forget(heap, ptr);
        pthread_mutex_unlock(&heap->lock);
    }
    real_free(ptr);
}

void *heap_realloc(void *ptr, size_t size) {
    struct heap *heap = mem_scope();
    if (!heap) return real_realloc(ptr, size);
    if (!ptr) return heap_malloc(size);
    /* the slot of the old pointer is kept for the new one, so remembering it cannot fail */
    pthread_mutex_lock(&heap->lock);
    bool ours = forget(heap, ptr);
    void *moved = real_realloc(ptr, size);
    if (ours) put(heap, moved ? moved : ptr);
    pthread_mutex_unlock(&heap->lock);
    return moved;
}
