/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of one run of libttmem_run: every allocation that code of the library makes for it, so that all of it can be
 * released when a call runs out of memory somewhere deep in it. malloc and its kin are routed here by the linker (--wrap,
 * cmake/libttmem_run.cmake) for the objects of the library alone; memory that others allocate is left to them.
 *
 * A heap is entered by a thread for the length of a call, and by the threads that work for that call. */
#ifndef TTMEM_API_HEAP_H
#define TTMEM_API_HEAP_H

#include <stddef.h>

struct heap;

/* NULL when there is no memory. */
struct heap *heap_new(void);
/* Releases everything that is still there, and the heap. */
void heap_free(struct heap *heap);

/* Allocations that are still there. */
size_t heap_count(struct heap *heap);

#endif
