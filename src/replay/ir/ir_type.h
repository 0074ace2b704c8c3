/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor types of a module, each parsed once, with their dimensions as numbers; and types made for tensors that the module
 * does not name, such as temporary copies of an op. */
#ifndef TTMEM_REPLAY_IR_TYPE_H
#define TTMEM_REPLAY_IR_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table/map.h"
#include "base/vec.h"
#include "device/tensor_type.h"
#include "replay/engine/reshape_map.h"

enum { IR_MAX_RANK = 16 };

struct ir_type {
    struct tensor_type type;
    unsigned rank;
    uint64_t dims[IR_MAX_RANK];
    bool known;        /* all dimensions are numbers whose product fits */
    bool lost;         /* its layout has a name that is not in the text */
    uint64_t identity; /* equal for equal shape, element and layout, across modules */
};

struct ir_alias {
    struct slice name, text; /* "#ttnn_layout3" */
};

struct ir_types {
    struct arena arena;
    VEC(struct ir_type) list;
    struct map by_text;
    VEC(struct ir_alias) aliases;
    struct map by_alias;
};

void ir_alias_add(struct ir_types *types, struct slice name, struct slice text);

/* The meaning of an alias; empty if unknown. */
struct slice ir_alias_find(const struct ir_types *types, struct slice name);

/* The id of a type as printed; layout aliases are resolved. */
uint32_t ir_type_id(struct ir_types *types, struct slice text);

/* The same layout for another shape ("4096x3072xbf16" in the text): the part of a tensor on one device of a mesh. */
uint32_t ir_type_local(struct ir_types *types, uint32_t whole, struct slice local);

void ir_types_release(struct ir_types *types);

/* A tensor of these dimensions like `like`: in the same memory, interleaved; `element` is the stored type ("bf16"). */
struct ir_type ir_type_make(const struct ir_type *like, const uint64_t *dims, unsigned rank, struct slice element, bool tiled);

/* `like` stored row by row, with block formats as bf16. */
struct ir_type ir_type_row_major(const struct ir_type *like);
struct ir_type ir_type_tiled(const struct ir_type *like);
struct ir_type ir_type_element(const struct ir_type *like, struct slice element);

/* Dimension counted from the end: 0 is the last. 1 if the rank is smaller. */
static inline uint64_t ir_dim_back(const struct ir_type *type, unsigned back) {
    return back < type->rank ? type->dims[type->rank - 1 - back] : 1;
}

struct shape3 ir_shape3(const struct ir_type *type);
bool ir_same_shape(const struct ir_type *a, const struct ir_type *b);
bool ir_is_sharded(const struct ir_type *type);
bool ir_is_block_float(const struct ir_type *type);

/* "1x32x8x921600" */
size_t ir_shape_text(const struct ir_type *type, char *out, size_t room);

#endif
