/* SPDX-License-Identifier: Apache-2.0 */
/* Which tensor is in a buffer, as far as size and order tell. Inspector prints a buffer without its tensor, and an op's
 * tensors without their buffers: a buffer can be any tensor of exactly its size that later ops take while it exists. If only
 * one kind of tensor fits, the buffer gets its name; several are listed as candidates. */
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

/* An op (by number) took a tensor of this kind; `differs` is the next use of the same size with another kind. */
struct spec_use {
    uint32_t op, kind, differs;
};

typedef VEC(struct spec_use) spec_uses;

struct specs {
    VEC(struct spec_kind) kinds;
    VEC(uint32_t) lists; /* kinds in each parameter text: their number, then the kinds */
    struct map by_text;  /* -> index into `lists` + 1 */
    struct map by_kind;
    VEC(uint32_t) given; /* by op: index into `lists` + 1 */
    VEC(spec_uses) sizes;
    struct idmap by_size; /* pool and bytes -> index into `sizes` */
};

enum { SPECS_NAMED = 3 };

/* Takes the parameters of the next op. */
void specs_take(struct specs *s, struct strtab *strings, struct slice parameters);

/* No more ops follow: builds what specs_of needs. */
void specs_finish(struct specs *s);

/* The kinds that a buffer can have which exists for ops `from` to before `until`; writes at most SPECS_NAMED to `out`.
 * Returns their number, counted up to that limit. */
size_t specs_of(const struct specs *s, unsigned pool, uint64_t bytes, uint32_t from, uint32_t until,
                const struct spec_kind *out[SPECS_NAMED]);

void specs_release(struct specs *s);

#endif
