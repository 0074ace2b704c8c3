/* SPDX-License-Identifier: Apache-2.0 */
/* Which tensor lies in a buffer, as far as size and order tell. Inspector prints a buffer without its tensor, and the tensors
 * that an operation is given without their buffers: a buffer can be what later operations, while it is there, are given of
 * exactly its size. One such kind of tensor is named; several are named as such. */
#ifndef TTMEM_MODEL_INSPECTOR_SPECS_H
#define TTMEM_MODEL_INSPECTOR_SPECS_H

#include "base/slice.h"
#include "base/table/hash.h"
#include "base/table/idmap.h"
#include "base/table/map.h"
#include "base/table/strtab.h"
#include "base/vec.h"
#include "parse/memview.h"

struct spec_kind {
    uint64_t bytes;
    uint32_t shape, dtype; /* string ids */
    uint8_t pool, layout;
    bool tiled;
};

/* An operation (its number) was given a tensor of that kind; `differs`: the next use of the same size that is of another. */
struct spec_use {
    uint32_t op, kind, differs;
};

typedef VEC(struct spec_use) spec_uses;

struct specs {
    VEC(struct spec_kind) kinds;
    VEC(uint32_t) lists; /* kinds of each text of parameters: their number, then they */
    struct map by_text;  /* -> index of `lists` + 1 */
    struct map by_kind;
    VEC(uint32_t) given; /* by operation: index of `lists` + 1, 0: nothing */
    VEC(spec_uses) sizes;
    struct idmap by_size; /* pool and bytes -> index of `sizes` */
};

enum { SPECS_NAMED = 3 };

/* The parameters of the next operation. */
void specs_take(struct specs *s, struct strtab *strings, struct slice parameters);

/* Nothing more comes: makes what specs_of needs. */
void specs_finish(struct specs *s);

/* Kinds that a buffer can be which ops `from` to before `until` find there; at most SPECS_NAMED are put into `out`.
 * Returns how many there are, as far as that. */
size_t specs_of(const struct specs *s, unsigned pool, uint64_t bytes, uint32_t from, uint32_t until,
                const struct spec_kind *out[SPECS_NAMED]);

void specs_release(struct specs *s);

#endif
