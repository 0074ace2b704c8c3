/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    if (at_end) at_end();
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

void *mem_grow(void *items, size_t *cap, size_t need, size_t item_size) {
    size_t next = *cap ? *cap : 16;
    while (next < need) next += next / 2;
    *cap = next;
    return mem_resize(items, next, item_size);
}
