/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of one run of libttmem_run: every allocation that the library's code makes for it, so that all of it can be
 * released if a call runs out of memory deep inside. The linker routes malloc and its kin here (--wrap,
 * cmake/libttmem_run.cmake) only for the library's objects; memory that others allocate is left alone.
 *
 * A thread enters a heap for the duration of a call, and so do the threads that work for that call. */
#ifndef TTMEM_API_HEAP_H
#define TTMEM_API_HEAP_H

#include <stddef.h>

struct heap;

/* NULL if out of memory. */
struct heap *heap_new(void);
/* Releases everything that is left, and the heap. */
void heap_free(struct heap *heap);

/* Number of live allocations. */
size_t heap_count(struct heap *heap);

#endif
