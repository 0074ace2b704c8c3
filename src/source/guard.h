/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings of files that other programs may cut. If a mapped file has lost its end, or a disk fails, a read of the mapping
 * raises SIGBUS, which would end the program; a guarded mapping reads as zeros from there on and records that. */
#ifndef TTMEM_SOURCE_GUARD_H
#define TTMEM_SOURCE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Maps the first `size` bytes, read-only. NULL with errno if it cannot be mapped; ENFILE: too many are already guarded. */
void *guard_map(int fd, size_t size);

/* The same at a page of reserved memory, replacing what is there. */
void *guard_map_at(int fd, size_t size, void *at);

/* Has a read of the mapping failed? */
bool guard_broke(const void *memory);

/* How many of its `size` bytes come before the first page whose read failed; all of them if none did. */
size_t guard_sound(const void *memory, size_t size);

void guard_unmap(void *memory, size_t size);

#endif
