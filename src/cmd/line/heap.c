/* SPDX-License-Identifier: Apache-2.0 */
/* Running out of memory always ends the program in the same way. Code that it shares with the libraries returns an error for
 * a failed allocation, because programs that use them must continue; here an incomplete answer is never used. The linker
 * replaces the functions of the same names by these (--wrap). */
#include <stddef.h>

#include "base/mem.h"

#define CALLED(name) __asm__(name)
void *real_malloc(size_t size) CALLED("__real_malloc");
void *real_calloc(size_t count, size_t size) CALLED("__real_calloc");
void *real_realloc(void *ptr, size_t size) CALLED("__real_realloc");
void *program_malloc(size_t size) CALLED("__wrap_malloc");
void *program_calloc(size_t count, size_t size) CALLED("__wrap_calloc");
void *program_realloc(void *ptr, size_t size) CALLED("__wrap_realloc");

static void *there(void *ptr) {
    if (!ptr) mem_exhausted();
    return ptr;
}

void *program_malloc(size_t size) { return there(real_malloc(size ? size : 1)); }
void *program_calloc(size_t count, size_t size) { return there(real_calloc(count ? count : 1, size ? size : 1)); }
void *program_realloc(void *ptr, size_t size) { return there(real_realloc(ptr, size ? size : 1)); }
