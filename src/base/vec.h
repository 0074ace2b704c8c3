/* SPDX-License-Identifier: Apache-2.0 */
/* Growable array of one type: VEC(struct op) ops = {0}; vec_push(&ops, op); ... vec_release(&ops). */
#ifndef TTMEM_BASE_VEC_H
#define TTMEM_BASE_VEC_H

#include <stdlib.h>

#include "base/mem.h"

#define VEC(T)      \
    struct {        \
        T *items;   \
        size_t len; \
        size_t cap; \
    }

/* The layout that all of them share, for code that handles rows of any type. */
struct any_vec {
    char *items;
    size_t len, cap;
};

#define vec_reserve(v, n) \
    ((v)->cap >= (n) ? (void)0 : (void)((v)->items = mem_grow((v)->items, &(v)->cap, (n), sizeof *(v)->items)))

#define vec_push(v, item) (vec_reserve((v), (v)->len + 1), (void)((v)->items[(v)->len++] = (item)))

/* Adds one uninitialised item and returns a pointer to it, valid until the next growth. */
#define vec_add(v) (vec_reserve((v), (v)->len + 1), &(v)->items[(v)->len++])

#define vec_last(v) ((v)->items[(v)->len - 1])

#define vec_clear(v) ((void)((v)->len = 0))

#define vec_release(v) (free((v)->items), (v)->items = NULL, (v)->len = (v)->cap = 0)

#endif
