/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void (*at_end)(void);

void mem_at_end(void (*clean_up)(void)) { at_end = clean_up; }

static _Thread_local struct mem_guard *guard_here;
static _Thread_local void *scope_here;

void mem_guard_begin(struct mem_guard *guard) {
    guard->outer = guard_here;
    guard_here = guard;
}

void mem_guard_end(struct mem_guard *guard) { guard_here = guard->outer; }
bool mem_guarded(void) { return guard_here != NULL; }

void *mem_scope_enter(void *scope) {
    void *before = scope_here;
    scope_here = scope;
    return before;
}

void *mem_scope(void) { return scope_here; }

_Noreturn void mem_exhausted(void) {
    if (guard_here) longjmp(guard_here->back, 1);
    static const char text[] = "ttmem: out of host memory\n";
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&ending)) pause(); /* another thread is saying so */
    if (at_end) at_end();                              /* first: it may restore the screen on which this is read */
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    _exit(70);
}

void *mem_alloc(size_t size) {
    void *ptr = malloc(size ? size : 1);
    if (!ptr) mem_exhausted();
    return ptr;
}

void *mem_zalloc(size_t count, size_t size) {
    void *ptr = calloc(count ? count : 1, size ? size : 1);
    if (!ptr) mem_exhausted();
    return ptr;
}

void *mem_resize(void *ptr, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) mem_exhausted();
    void *bigger = realloc(ptr, count && size ? count * size : 1);
    if (!bigger) mem_exhausted();
    return bigger;
}

char *mem_strdup(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(mem_alloc(size), text, size);
}

/* Arrays of many megabytes are filled from front to end, and only the filled part takes memory: they grow in large steps,
 * and a page fault brings 2 MB instead of 4 KB. Whole large pages, including malloc's header before them, so that they can
 * be moved as such. */
static void *grow_large(void *items, size_t *cap, size_t need, size_t item_size) {
    enum { PAGE = 4096, LARGE_PAGE = 2 << 20, STEP = 4, OF_MALLOC = 64 };
    size_t size = (need * item_size * STEP + LARGE_PAGE) / LARGE_PAGE * LARGE_PAGE, count = (size - OF_MALLOC) / item_size;
    char *bigger = realloc(items, count * item_size);
    if (!bigger) return NULL;
    (void)madvise(bigger - (uintptr_t)bigger % PAGE, size, MADV_HUGEPAGE); /* only advice: it may be refused */
    *cap = count;
    return bigger;
}

void *mem_grow(void *items, size_t *cap, size_t need, size_t item_size) {
    enum { WORTH_IT = 8 << 20 };
    size_t next = *cap ? *cap : 16;
    while (next < need) next += next / 2;
    if (next > WORTH_IT / item_size && next < SIZE_MAX / item_size / 64) {
        void *large = grow_large(items, cap, next, item_size);
        if (large) return large;
    }
    *cap = next;
    return mem_resize(items, next, item_size);
}
