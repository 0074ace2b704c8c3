/* SPDX-License-Identifier: Apache-2.0 */
/* Heap memory for the program. Running out of host memory ends the process with status 70: a profiler without memory has
 * nothing true to say. libttmem (track/, usage/, device/) does not use this header; it returns errors.
 *
 * A library sets a guard instead (mem_try): running out of memory then jumps back to it. Everything allocated meanwhile
 * belongs to the scope that the library entered, which can release it (api/heap.h). base/ordered.h passes both on to its
 * threads. */
#ifndef TTMEM_BASE_MEM_H
#define TTMEM_BASE_MEM_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

/* Called before running out of memory ends the process; async-signal-safe. */
void mem_at_end(void (*clean_up)(void));

/* Jumps to this thread's guard; without one, prints an error and ends the process. Also for libraries that allocate memory
 * themselves. */
_Noreturn void mem_exhausted(void);

struct mem_guard {
    jmp_buf back;
    struct mem_guard *outer;
};

/* Returns true at first. If memory runs out later, it returns a second time, with false. Call mem_guard_end in both cases,
 * in the same function. */
#define mem_try(guard) (mem_guard_begin(guard), setjmp((guard)->back) == 0)
void mem_guard_begin(struct mem_guard *guard);
void mem_guard_end(struct mem_guard *guard);
bool mem_guarded(void); /* this thread has one */

/* The scope that this thread's allocations belong to; NULL: none. Returns the previous one. */
void *mem_scope_enter(void *scope);
void *mem_scope(void);

void *mem_alloc(size_t size);
void *mem_zalloc(size_t count, size_t size);
void *mem_resize(void *ptr, size_t count, size_t size);
char *mem_strdup(const char *text);

/* Makes room for `need` items in an array of `cap` items; returns the new array, stores the new capacity. */
void *mem_grow(void *items, size_t *cap, size_t need, size_t item_size);

#endif
