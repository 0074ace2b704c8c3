/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/scale.h"

#include "analysis/fit/groups.h"
#include "base/num.h"
#include "device/tile.h"

enum { TILE = 32 };

/* A cache is an argument that says so, or that an op updates in place. */
static bool is_cache(const struct ir *ir, const struct ir_function *f, uint32_t value, bool *paged) {
    bool cache = ir->arguments.items[f->first_argument + value].kv_cache;
    for (uint32_t i = 0; i < f->op_count; i++) {
        const struct ir_op *op = &ir->ops.items[f->first_op + i];
        if (!op->operand_count || ir_operand_at(ir, op, 0)->value != value || !slice_ends(op->name, SLICE("_cache"))) continue;
        cache = true;
        *paged = *paged || slice_starts(op->name, SLICE("ttnn.paged_"));
    }
    return cache;
}

static void resize(struct ir_type *type, unsigned dim, uint64_t size) {
    uint64_t dims[IR_MAX_RANK];
    memcpy(dims, type->dims, sizeof dims);
    dims[dim] = size;
    struct slice dtype = type->type.dtype;
    *type = ir_type_make(type, dims, type->rank, type->type.storage, type->type.tiled);
    type->type.dtype = dtype;
}

/* Paged: [blocks, heads, positions per block, size]; else [batch, heads, positions, size]. All uses of the type change with
 * the argument, because caches are updated in place. */
static void scale_caches(struct ir *ir, const struct ir_function *f, const struct scale *scale, struct scaled *scaled) {
    for (uint32_t i = 0; i < f->argument_count; i++) {
        bool paged = false;
        if (!is_cache(ir, f, i, &paged)) continue;
        struct ir_type *type = &ir->types.list.items[ir->arguments.items[f->first_argument + i].held];
        if (!type->known || type->rank < 3 || !type->type.physical_known) continue;
        unsigned positions = type->rank - 2;
        uint64_t was = paged ? type->dims[0] : type->dims[positions], size = was;
        if (scale->kv_blocks && !paged) continue;
        if (ir_is_sharded(type)) {
            scaled->sharded++;
            continue;
        }
        scaled->caches++;
        if (!scaled->kv_was) scaled->kv_was = was;
        scaled->paged = paged;
        scaled->block_len = paged ? type->dims[positions] : 1;
        if (paged && scale->kv_blocks) size = scale->kv_blocks;
        else if (paged && scale->kv_len) size = num_ceil_div(scale->kv_len, type->dims[positions]);
        else if (scale->kv_len) size = scale->kv_len;
        if (size != was) resize(type, paged ? 0 : positions, size);
        uint64_t stored = type->type.page_bytes * type->type.shard_pages;
        if (!type->type.logical_known || !stored || stored / type->type.page_bytes != type->type.shard_pages) continue;
        scaled->cache_elements += type->type.logical_bytes;
        scaled->cache_stored += stored;
    }
}

uint64_t scaled_utilization_milli(const struct scaled *scaled, uint64_t cache_bytes, uint64_t channel_bytes) {
    unsigned __int128 asked = cache_bytes;
    if (!channel_bytes) return 0;
    if (scaled->cache_elements && scaled->cache_elements < scaled->cache_stored)
        asked = asked * scaled->cache_elements / scaled->cache_stored;
    return (uint64_t)(asked * 1000 / channel_bytes);
}

/* A type of the module that differs from the other one only in its element: equal types share a program. */
static uint32_t type_like(const struct ir *ir, const struct ir_type *other, struct slice element) {
    for (uint32_t i = 0; i < ir->types.list.len; i++) {
        const struct ir_type *type = &ir->types.list.items[i];
        if (type->known && type->type.tiled && slice_equal(type->type.storage, element) && ir_same_shape(type, other) &&
            type->type.buffer == other->type.buffer && type->type.memory_layout == other->type.memory_layout)
            return i;
    }
    return IR_NONE;
}

static uint32_t with_element(struct ir *ir, uint32_t id, struct slice element, struct scaled *scaled) {
    const struct ir_type *type = &ir->types.list.items[id];
    if (!type->known || !type->type.tiled || !tensor_on_device(&type->type)) return id;
    if (slice_equal(type->type.storage, element)) return id;
    if (ir_is_sharded(type)) {
        scaled->sharded++;
        return id;
    }
    scaled->weights++;
    uint32_t known = type_like(ir, type, element);
    if (known != IR_NONE) return known;
    struct ir_type made = ir_type_element(type, element);
    vec_push(&ir->types.list, made);
    return (uint32_t)ir->types.list.len - 1;
}

/* Does the op make one of the values that its function returns? */
static bool makes_returned(const struct ir *ir, const struct ir_function *f, const struct ir_op *op) {
    for (uint32_t i = 0; i < f->return_count; i++) {
        uint32_t value = ir->operands.items[f->first_return + i].value;
        if (value != IR_NONE && value >= op->first_result && value < op->first_result + op->result_count) return true;
    }
    return false;
}

/* Which tensors change: those with the key of a part, and with a given element if it names one. */
struct scale_filter {
    uint64_t key; /* 0: all */
    struct slice from;
};

static bool is_meant(const struct scale_filter *filter, struct slice name) {
    return !filter->key || fit_name_key(name) == filter->key;
}

static uint32_t filtered(struct ir *ir, uint32_t id, const struct scale_filter *filter, struct slice element,
                         struct scaled *scaled) {
    struct slice now = ir->types.list.items[id].type.storage;
    uint64_t old, made;
    if (filter->from.len && !slice_equal(now, filter->from)) return id;
    /* if several elements are requested, the smallest counts */
    if (filter->key && tile_bytes_by_name(now, TILE, TILE, &old) && tile_bytes_by_name(element, TILE, TILE, &made) &&
        made >= old)
        return id;
    return with_element(ir, id, element, scaled);
}

static bool takes_weights_alone(const struct ir *ir, const struct ir_function *main, const struct ir_op *op,
                                const struct scale_filter *filter) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        uint32_t value = ir_operand_at(ir, op, i)->value;
        if (value >= main->argument_count) return false;
        const struct ir_argument *argument = &ir->arguments.items[main->first_argument + value];
        if (argument->role != ROLE_PARAMETER || !is_meant(filter, argument->name)) return false;
    }
    return op->operand_count > 0;
}

static void scale_weights(struct ir *ir, const struct ir_function *main, struct slice element,
                          const struct scale_filter *filter, struct scaled *scaled) {
    for (uint32_t i = 0; i < main->argument_count; i++) {
        struct ir_argument *argument = &ir->arguments.items[main->first_argument + i];
        if (argument->role == ROLE_PARAMETER && is_meant(filter, argument->name))
            argument->held = filtered(ir, argument->held, filter, element, scaled);
    }
    for (uint32_t i = 0; i < main->op_count; i++) {
        const struct ir_op *load = &ir->ops.items[main->first_op + i];
        if (!slice_equal(load->name, SLICE("ttcore.load_cached")) || !takes_weights_alone(ir, main, load, filter)) continue;
        const struct ir_function *f = ir_function_find(ir, load->callee);
        for (uint32_t k = 0; f && k < f->op_count; k++) {
            const struct ir_op *op = &ir->ops.items[f->first_op + k];
            if (!makes_returned(ir, f, op)) continue;
            for (uint32_t n = 0; n < op->result_count; n++) {
                uint32_t *type = &ir->result_types.items[op->first_result_type + n];
                *type = filtered(ir, *type, filter, element, scaled);
            }
        }
    }
}

static uint32_t narrowed(struct ir *ir, uint32_t id, struct slice element, struct scaled *scaled) {
    const struct ir_type *type = &ir->types.list.items[id];
    return slice_equal(type->type.storage, SLICE("f32")) ? with_element(ir, id, element, scaled) : id;
}

/* Results of const-eval functions that are f32. */
static void scale_const_evals(struct ir *ir, struct slice element, const struct scale_filter *filter, struct scaled *scaled) {
    for (size_t i = 0; i < ir->functions.len; i++) {
        const struct ir_function *f = &ir->functions.items[i];
        for (uint32_t k = 0; f->kind == IR_CONST_EVAL && k < f->op_count; k++) {
            const struct ir_op *op = &ir->ops.items[f->first_op + k];
            if (!makes_returned(ir, f, op) || !is_meant(filter, op->name)) continue;
            for (uint32_t n = 0; n < op->result_count; n++) {
                uint32_t *type = &ir->result_types.items[op->first_result_type + n];
                *type = narrowed(ir, *type, element, scaled);
            }
        }
    }
}

/* Does the op return an existing tensor, from const-eval or another function? */
static bool hands_on(const struct ir_op *op) {
    return slice_equal(op->name, SLICE("ttcore.load_cached")) || slice_equal(op->name, SLICE("func.call"));
}

/* The results of a function's ops, wherever they are made and used; arguments and const-eval results stay. */
static void scale_activations(struct ir *ir, const struct ir_function *f, struct slice element,
                              const struct scale_filter *filter, struct scaled *scaled) {
    bool *kept = mem_zalloc(f->value_count + 1, sizeof *kept);
    for (uint32_t i = 0; i < f->argument_count && i < f->value_count; i++) kept[i] = true;
    for (uint32_t i = 0; i < f->op_count; i++) {
        const struct ir_op *op = &ir->ops.items[f->first_op + i];
        for (uint32_t k = 0; k < op->operand_count; k++) {
            struct ir_operand *operand = &ir->operands.items[op->first_operand + k];
            if (operand->value == IR_NONE || kept[operand->value]) continue;
            operand->type = narrowed(ir, operand->type, element, scaled);
        }
        for (uint32_t k = 0; k < op->result_count; k++) {
            uint32_t *type = &ir->result_types.items[op->first_result_type + k];
            if (hands_on(op) || !is_meant(filter, op->name)) kept[op->first_result + k] = true;
            else *type = narrowed(ir, *type, element, scaled);
        }
    }
    free(kept);
}

/* The common leading dimension; 0 if they differ. */
static uint64_t shared(uint64_t before, bool first, uint64_t leading) { return first || before == leading ? leading : 0; }

/* The batch, from the leading dimension that all inputs share, or all caches; or 0. */
static uint64_t find_batch(const struct ir *ir, const struct ir_function *main, enum fit_batch_told *told) {
    uint64_t inputs = 0, caches = 0;
    unsigned input_count = 0, cache_count = 0;
    bool paged = false;
    for (uint32_t i = 0; i < main->argument_count; i++) {
        const struct ir_argument *argument = &ir->arguments.items[main->first_argument + i];
        const struct ir_type *type = ir_type_at(ir, argument->held);
        bool cache = is_cache(ir, main, i, &paged);
        if (!type->known || !type->rank) continue;
        if (cache && type->rank >= 3) caches = shared(caches, !cache_count++, type->dims[0]);
        if (!cache && argument->role == ROLE_INPUT) inputs = shared(inputs, !input_count++, type->dims[0]);
    }
    return fit_batch_choose(inputs, caches, paged, told);
}

/* The dimension that is the batch: the leading one, else the first of that size, else the largest but the last that is a
 * multiple of it (images reach convolutions as one row of pixels); the rank if there is none. A batch of 1 is recognised
 * only by its position. */
static unsigned batch_dim(const struct ir_type *type, uint64_t batch) {
    unsigned last = batch == 1 ? 1 : type->rank, best = type->rank;
    for (unsigned i = 0; i < last && i < type->rank; i++)
        if (type->dims[i] == batch) return i;
    for (unsigned i = 0; batch > 1 && i + 1 < type->rank; i++)
        if (type->dims[i] > batch && type->dims[i] % batch == 0 && (best == type->rank || type->dims[i] > type->dims[best]))
            best = i;
    return best;
}

static uint32_t with_batch(struct ir *ir, uint32_t id, uint64_t from, uint64_t to, struct scaled *scaled) {
    const struct ir_type *type = &ir->types.list.items[id];
    if (!type->known || !tensor_on_device(&type->type) || !type->type.physical_known) return id;
    unsigned dim = batch_dim(type, from);
    if (dim == type->rank || ir_is_sharded(type)) {
        scaled->sharded += dim < type->rank;
        scaled->unchanged += dim == type->rank;
        return id;
    }
    struct ir_type made = *type;
    resize(&made, dim, type->dims[dim] / from * to);
    scaled->activations++;
    vec_push(&ir->types.list, made);
    return (uint32_t)ir->types.list.len - 1;
}

/* Arguments that another batch may change. Caches have it as their first dimension, or consist of blocks, which stay. */
static bool *find_growing(const struct ir *ir, const struct ir_function *main, uint64_t from, uint32_t *now, size_t count) {
    bool *grows = mem_zalloc(main->argument_count + 1, sizeof *grows);
    for (uint32_t i = 0; i < main->argument_count; i++) {
        const struct ir_argument *argument = &ir->arguments.items[main->first_argument + i];
        bool paged = false, cache = is_cache(ir, main, i, &paged);
        const struct ir_type *type = ir_type_at(ir, argument->held);
        grows[i] = cache || argument->role == ROLE_INPUT;
        if (cache && argument->held < count && (paged || !type->known || !type->rank || type->dims[0] != from))
            now[argument->held] = argument->held;
    }
    return grows;
}

/* Inputs and everything that functions other than const-eval make; each type once. */
static void scale_batch(struct ir *ir, const struct ir_function *main, uint64_t to, struct scaled *scaled) {
    uint64_t from = scaled->batch_was;
    size_t count = ir->types.list.len;
    uint32_t *now = mem_alloc((count + 1) * sizeof *now);
    for (size_t i = 0; i < count; i++) now[i] = IR_NONE;
    bool *grows = find_growing(ir, main, from, now, count);
    for (uint32_t i = 0; i < main->argument_count; i++) {
        struct ir_argument *argument = &ir->arguments.items[main->first_argument + i];
        if (grows[i] && argument->held < count) {
            uint32_t *id = &now[argument->held];
            if (*id == IR_NONE) *id = with_batch(ir, argument->held, from, to, scaled);
            argument->held = *id;
        }
    }
    for (size_t f = 0; f < ir->functions.len; f++) {
        const struct ir_function *function = &ir->functions.items[f];
        if (function->kind == IR_CONST_EVAL || function->kind == IR_CPU) continue;
        for (uint32_t i = 0; i < function->op_count; i++) {
            const struct ir_op *op = &ir->ops.items[function->first_op + i];
            if (slice_equal(op->name, SLICE("ttcore.load_cached"))) continue;
            uint32_t uses = op->result_count + op->operand_count;
            for (uint32_t k = 0; k < uses; k++) {
                bool result = k < op->result_count;
                struct ir_operand *operand = result ? NULL : &ir->operands.items[op->first_operand + k - op->result_count];
                bool argument =
                    operand && operand->value < function->argument_count && (function != main || !grows[operand->value]);
                uint32_t *type = result ? &ir->result_types.items[op->first_result_type + k] : &operand->type;
                if (argument || *type >= count) continue;
                if (now[*type] == IR_NONE) now[*type] = with_batch(ir, *type, from, to, scaled);
                *type = now[*type];
            }
        }
    }
    free(now);
    free(grows);
    ir->batch_from = from;
    ir->batch_to = to;
}

static void scale_all_activations(struct ir *ir, struct slice element, const struct scale_filter *filter,
                                  struct scaled *scaled) {
    for (size_t i = 0; i < ir->functions.len; i++)
        if (ir->functions.items[i].kind == IR_DEVICE || ir->functions.items[i].kind == IR_TRACE)
            scale_activations(ir, &ir->functions.items[i], element, filter, scaled);
}

static void scale_part(struct ir *ir, const struct ir_function *main, const struct scale_part *part, struct scaled *scaled) {
    const struct fit_element_row *row = &fit_element_rows[part->row];
    struct scale_filter filter = {part->key, row->from ? slice_from(row->from) : slice_of("", 0)};
    struct slice element = slice_from(row->to);
    if (row->what == ELEMENT_OF_WEIGHTS) scale_weights(ir, main, element, &filter, scaled);
    else if (row->what == ELEMENT_OF_CONST_EVALS) scale_const_evals(ir, element, &filter, scaled);
    else scale_all_activations(ir, element, &filter, scaled);
}

void scale_apply(struct ir *ir, const struct scale *scale, struct scaled *scaled) {
    const struct ir_function *main = ir_main(ir);
    *scaled = (struct scaled){0};
    if (!main) return;
    scaled->batch_was = find_batch(ir, main, &scaled->batch_told);
    scale_caches(ir, main, scale, scaled);
    const struct scale_filter all = {0};
    if (scale->const_evals) scale_const_evals(ir, slice_from(scale->const_evals), &all, scaled);
    if (scale->activations) scale_all_activations(ir, slice_from(scale->activations), &all, scaled);
    const struct scale_filter from = {.from = scale->weights_from ? slice_from(scale->weights_from) : slice_of("", 0)};
    if (scale->weights) scale_weights(ir, main, slice_from(scale->weights), &from, scaled);
    for (uint64_t i = 0; i < scale->part_count; i++) scale_part(ir, main, &scale->parts[i], scaled);
    if (scale->batch && scaled->batch_was) scale_batch(ir, main, scale->batch, scaled);
}

void scaled_add(struct scaled *all, const struct scaled *more) {
    if (!all->caches && more->caches) {
        all->kv_was = more->kv_was;
        all->paged = more->paged;
        all->block_len = more->block_len;
    }
    if (!all->batch_was) {
        all->batch_was = more->batch_was;
        all->batch_told = more->batch_told;
    }
    all->caches += more->caches;
    all->cache_elements += more->cache_elements;
    all->cache_stored += more->cache_stored;
    all->weights += more->weights;
    all->activations += more->activations;
    all->unchanged += more->unchanged;
    all->sharded += more->sharded;
}

int scale_check(const struct scale *scale, const struct scaled *scaled, struct err *err) {
    const char *kept = scaled->sharded ? " that is not sharded" : "";
    if (scale->kv_blocks && !scaled->caches)
        return err_set(err, ERR_LACKS, "--kv-blocks: the module has no paged KV cache%s, so nothing would change", kept);
    if (scale->kv_len && !scaled->caches)
        return err_set(err, ERR_LACKS, "--kv-len: the module has no KV cache%s, so nothing would change", kept);
    if (scale->batch && !scaled->batch_was)
        return err_set(err, ERR_LACKS, "--batch: neither inputs nor caches share a leading dimension, so nothing would change");
    return 0;
}
