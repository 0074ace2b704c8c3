/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for code that runs inside another program (libttmem): an allocation can fail, and nothing ends the process. */
#ifndef TTMEM_BASE_TRY_H
#define TTMEM_BASE_TRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Makes room for `need` items; returns the array, or NULL with the old one and *cap untouched. */
static inline void *try_grow(void *items, size_t *cap, size_t need, size_t item_size) {
    size_t next = *cap ? *cap : 16;
    while (next < need) {
        if (next > SIZE_MAX / 2) return NULL;
        next *= 2;
    }
    if (item_size && next > SIZE_MAX / item_size) return NULL;
    void *bigger = realloc(items, next * item_size);
    if (bigger) *cap = next;
    return bigger;
}

/* For a VEC: true if it has room for `n` items; vec_push and vec_add within that room cannot fail. */
#define vec_try_reserve(v, n) ((v)->cap >= (n) || try_reserve_in((void **)&(v)->items, &(v)->cap, (n), sizeof *(v)->items))

static inline bool try_reserve_in(void **items, size_t *cap, size_t need, size_t item_size) {
    void *bigger = try_grow(*items, cap, need, item_size);
    if (bigger) *items = bigger;
    return bigger != NULL;
}

#endif
