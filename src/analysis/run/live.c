/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/live.h"

#include <stdlib.h>

#include "base/num.h"

const char *const live_class_names[LIVE_CLASS_COUNT] = {"activation", "weight",      "const_eval", "input",  "kv_cache",
                                                        "temporary",  "reshape_map", "table",      "binary", "circular_buffer"};

/* Registry entry of an argument; NULL if no module has it. */
static const struct registry_entry *argument_entry(const struct run *run, const struct tensor *tensor) {
    if (tensor->execution == NONE) return NULL;
    uint32_t entry = program_argument(run, run->executions.items[tensor->execution].program, tensor->argument);
    return entry == NONE ? NULL : &run->registry.items[entry];
}

static enum argument_role argument_role(const struct run *run, const struct tensor *tensor) {
    const struct registry_entry *entry = argument_entry(run, tensor);
    return entry ? entry->role : ROLE_UNKNOWN;
}

struct slice tensor_name(const struct run *run, const struct tensor *tensor) {
    if (run_string(run, tensor->name).len) return run_string(run, tensor->name);
    const struct registry_entry *entry = tensor->class == TENSOR_ARGUMENT ? argument_entry(run, tensor) : NULL;
    return entry ? entry->name : slice_of("", 0);
}

enum live_class tensor_live_class(const struct run *run, const struct tensor *tensor) {
    static const enum live_class classes[TENSOR_CLASS_COUNT] = {
        [TENSOR_ACTIVATION] = LIVE_ACTIVATION,   [TENSOR_CONST_EVAL] = LIVE_CONST_EVAL,
        [TENSOR_WEIGHT] = LIVE_WEIGHT,           [TENSOR_INPUT] = LIVE_INPUT,
        [TENSOR_KV_CACHE] = LIVE_KV_CACHE,       [TENSOR_TEMPORARY] = LIVE_TEMPORARY,
        [TENSOR_RESHAPE_MAP] = LIVE_RESHAPE_MAP, [TENSOR_TABLE] = LIVE_TABLE,
        [TENSOR_BINARY] = LIVE_BINARY,           [TENSOR_CIRCULAR_BUFFER] = LIVE_CIRCULAR_BUFFER,
    };
    if (tensor->class != TENSOR_ARGUMENT) return classes[tensor->class];
    const struct registry_entry *entry = argument_entry(run, tensor);
    if (tensor->kv_cache || (entry && entry->kv_cache)) return LIVE_KV_CACHE;
    if (run->told_by_files & TOLD_NO_ROLES) return LIVE_INPUT; /* some are named as weights, the others are not classified */
    enum argument_role role = argument_role(run, tensor);
    return role == ROLE_PARAMETER || role == ROLE_CONSTANT ? LIVE_WEIGHT : LIVE_INPUT;
}

bool tensor_in_pool(const struct run *run, const struct tensor *tensor, enum pool pool) {
    static const enum buffer_type buffers[POOL_COUNT] = {BUFFER_DRAM, BUFFER_L1, BUFFER_L1_SMALL, BUFFER_TRACE};
    return run->types.items[tensor->type].buffer == buffers[pool];
}

/* A buffer of which only the bytes are known. */
static bool is_unshaped(const struct tensor_type *type) {
    return slice_equal(type->dtype, SLICE("bytes")) || slice_equal(type->dtype, SLICE("kernel"));
}

bool run_has_shapes(const struct run *run) {
    for (size_t i = 0; i < run->types.len; i++)
        if (tensor_on_device(&run->types.items[i]) && !is_unshaped(&run->types.items[i])) return true;
    return false;
}

struct live_sum tensor_sum(const struct run *run, const struct tensor *tensor) {
    const struct tensor_type *type = &run->types.items[tensor->type];
    uint64_t stored = tensor_stored_bytes(type, &run->geometry), per_bank = tensor_per_bank_bytes(type, &run->geometry);
    return (struct live_sum){.tensors = 1,
                             .logical_bytes = type->logical_known ? type->logical_bytes : 0,
                             .padded_bytes = stored,
                             .padding_bytes = tensor_padding_bytes(type, &run->geometry),
                             .per_bank_bytes = per_bank,
                             .bank_unknown = tensor_on_device(type) && stored && !per_bank,
                             .unshaped = run->origin != RUN_PREDICTED && !type->logical_known};
}

uint32_t tensor_last_record(const struct run *run, const struct tensor *tensor) {
    if (tensor->class == TENSOR_ARGUMENT || tensor->gone == NONE || tensor->left) return NONE;
    for (size_t i = tensor->gone < run->steps.len ? tensor->gone : run->steps.len; i-- > 0;)
        if (run->steps.items[i].rank == tensor->rank && run->steps.items[i].record != NONE) return run->steps.items[i].record;
    return NONE;
}

void live_sum_add(struct live_sum *sum, const struct live_sum *more) {
    sum->tensors += more->tensors;
    sum->logical_bytes += more->logical_bytes;
    sum->padded_bytes += more->padded_bytes;
    sum->padding_bytes += more->padding_bytes;
    sum->per_bank_bytes += more->per_bank_bytes;
    sum->bank_unknown += more->bank_unknown;
    sum->unshaped += more->unshaped;
}

struct sized_tensor {
    uint64_t bytes;
    uint32_t tensor;
};

static int larger_first(const void *a, const void *b) {
    const struct sized_tensor *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

void live_sort(const struct run *run, struct live_set *set) {
    VEC(struct sized_tensor) sized = {0};
    for (size_t i = 0; i < set->tensors.len; i++) {
        struct live_sum sum = tensor_sum(run, &run->tensors.items[set->tensors.items[i]]);
        vec_push(&sized,
                 ((struct sized_tensor){sum.per_bank_bytes ? sum.per_bank_bytes : sum.padded_bytes, set->tensors.items[i]}));
    }
    if (sized.len) qsort(sized.items, sized.len, sizeof *sized.items, larger_first);
    for (size_t i = 0; i < sized.len; i++) set->tensors.items[i] = sized.items[i].tensor;
    vec_release(&sized);
}

bool live_is_left(const struct run *run, const struct live_set *set, const struct tensor *tensor) {
    if (tensor->left) return tensor->execution != NONE && run->executions.items[tensor->execution].end_step <= set->step;
    return tensor->gone <= set->step;
}

void live_at(const struct run *run, uint32_t step, enum pool pool, struct live_set *set) {
    *set = (struct live_set){.step = step};
    uint16_t rank = step < run->steps.len ? run->steps.items[step].rank : 0;
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (!tensor_alive(tensor, step, rank) || !tensor_in_pool(run, tensor, pool)) continue;
        struct live_sum sum = tensor_sum(run, tensor);
        live_sum_add(&set->sum, &sum);
        live_sum_add(&set->by_class[tensor_live_class(run, tensor)], &sum);
        if (tensor->left && live_is_left(run, set, tensor)) live_sum_add(&set->left, &sum);
        vec_push(&set->tensors, (uint32_t)i);
    }
    live_sort(run, set);
}

void live_release(struct live_set *set) { vec_release(&set->tensors); }

int64_t live_unattributed(const struct live_set *set, uint32_t allocated) {
    return (int64_t)allocated - num_bytes_to_milli_mb(set->sum.per_bank_bytes + set->computed_bytes);
}
