/* SPDX-License-Identifier: Apache-2.0 */
/* Heap memory for the program. Running out of host memory ends the process with status 70: a profiler that has no
 * memory left has nothing true to say. libttmem (track/, usage/, device/) does not use this header; it returns errors. */
#ifndef TTMEM_BASE_MEM_H
#define TTMEM_BASE_MEM_H

#include <stddef.h>

/* What is done before running out of memory ends the process; async-signal-safe. */
void mem_at_end(void (*clean_up)(void));

/* Says so and ends the process; for libraries that ask for memory themselves. */
_Noreturn void mem_exhausted(void);

void *mem_alloc(size_t size);
void *mem_zalloc(size_t count, size_t size);
void *mem_resize(void *ptr, size_t count, size_t size);
char *mem_strdup(const char *text);

/* Makes room for `need` items in an array of `cap` items; returns the new array, stores the new capacity. */
void *mem_grow(void *items, size_t *cap, size_t need, size_t item_size);

#endif
