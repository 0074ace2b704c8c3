/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/page_run.h"

#include <stdlib.h>

#include "analysis/run/top_ops.h"
#include "base/num.h"
#include "render/page/page_beside.h"
#include "render/page/page_ops.h"

enum { MAX_CONFIGS = 255, MAX_RANKS = 256 };

static void make_types(struct page_data *page, const struct run *run, struct page_ids *ids) {
    ids->types = mem_alloc(sizeof *ids->types * (run->types.len + 1));
    for (size_t i = 0; i < run->types.len; i++) {
        const struct tensor_type *type = &run->types.items[i];
        ids->types[i] = type->kind == TYPE_TENSOR ? page_type(page, type, &run->geometry) : NONE;
    }
}

/* Ranks that have steps, in order; ranks beyond the limit share the last number. */
static void make_ranks(const struct run *run, struct page_ids *ids) {
    ids->ranks = mem_zalloc(run->ranks.len + 1, 1);
    for (size_t i = 0; i < run->ranks.len; i++) {
        if (!run->ranks.items[i].records && !run->ranks.items[i].blocks) continue;
        ids->ranks[i] = (uint8_t)(ids->rank_count < MAX_RANKS ? ids->rank_count++ : MAX_RANKS - 1);
    }
}

static uint32_t step_flags(const struct run *run, const struct step *step, bool growth_elsewhere) {
    bool miss;
    uint32_t flags = (step->record != NONE ? PAGE_RECORD : 0) | (growth_elsewhere ? PAGE_GROWTH_ELSEWHERE : 0);
    if (step_is_weight_op(run, step)) flags |= PAGE_WEIGHT;
    step_const_eval(run, step, &miss);
    if (miss || step->flags & STEP_CACHE_MISS) flags |= PAGE_CACHE_MISS;
    if (step->kind == STEP_BLOCK) flags |= PAGE_BARE;
    if (step->kind == STEP_BEFORE_SUBMIT || step->kind == STEP_AFTER_SUBMIT) flags |= PAGE_SUBMIT;
    /* without op lines only the block says what it precedes */
    if (step->op == NONE) return slice_equal(run_string(run, step->op_type), SLICE("DeallocateOp")) ? flags | PAGE_FREE : flags;
    const struct op *op = &run->ops.items[step->op];
    if (op->kind == OP_DEALLOCATE) flags |= PAGE_FREE;
    return op->truncated ? flags | PAGE_TRUNCATED : flags;
}

static void make_steps(struct page_data *page, const struct run *run, const struct page_ids *ids) {
    struct page_columns *c = &page->columns;
    static const enum page_column per_step[] = {COL_STEP_FLAGS, COL_STEP_PROGRAM, COL_STEP_RANK, COL_STEP_LINE, COL_STEP_AFTER};
    for (size_t i = 0; i < sizeof per_step / sizeof *per_step; i++) page_reserve(c, per_step[i], run->steps.len);
    bool *elsewhere = growth_elsewhere(run);
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        page_push(c, COL_STEP_FLAGS, step_flags(run, step, elsewhere[i]));
        page_push(c, COL_STEP_PROGRAM, step->execution);
        page_push(c, COL_STEP_RANK, ids->ranks[step->rank]);
        page_push(c, COL_STEP_LINE, step->line < UINT32_MAX ? (uint32_t)step->line : 0);
        page_push(c, COL_STEP_AFTER, step->after);
    }
    free(elsewhere);
}

/* The first config of each pool represents a block that lacks the pool. */
static void first_configs(const struct run *run, uint32_t *first) {
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        first[pool] = NONE;
        for (size_t i = run->configs.len; i-- > 0;)
            if (run->configs.items[i].pool == pool) first[pool] = (uint32_t)i;
    }
}

static uint32_t config_of(struct page_ids *ids, struct map *known, const struct block *block, const uint32_t *first) {
    uint32_t key[POOL_COUNT];
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) key[pool] = block->have & 1u << pool ? block->config[pool] : first[pool];
    bool added;
    uint32_t *id = map_at(known, hash_bytes(slice_of((const char *)key, sizeof key)), &added);
    if (!added) return *id;
    if (ids->config_keys[0].len == MAX_CONFIGS) return *id = MAX_CONFIGS - 1;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) vec_push(&ids->config_keys[pool], key[pool]);
    return *id = (uint32_t)ids->config_keys[0].len - 1;
}

static void make_blocks(struct page_data *page, const struct run *run, struct page_ids *ids) {
    struct page_columns *c = &page->columns;
    struct map known = {0};
    uint32_t first[POOL_COUNT];
    first_configs(run, first);
    page_reserve(c, COL_BLOCK_STEP, run->blocks.len);
    page_reserve(c, COL_BLOCK_CONFIG, run->blocks.len);
    for (unsigned i = COL_ALLOC; i < COL_GAP + PAGE_POOLS; i++) page_reserve(c, i, run->blocks.len);
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        page_push(c, COL_BLOCK_STEP, block->step);
        page_push(c, COL_BLOCK_CONFIG, config_of(ids, &known, block, first));
        for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
            bool have = block->have & 1u << pool, whole = have && !(block->partial >> pool & 1);
            uint32_t total = have ? block_config(run, block, pool)->total : 0;
            page_push(c, COL_ALLOC + pool, have ? block->allocated[pool] : NONE);
            page_push(c, COL_SLACK + pool, whole ? total - block->allocated[pool] - block->free[pool] : 0);
            page_push(c, COL_GAP + pool, whole ? block->free[pool] - block->largest[pool] : 0);
        }
    }
    map_release(&known);
}

/* Tensors by the step before which they first appear; in order of appearance within one. */
static uint32_t *by_birth(const struct run *run) {
    uint32_t *place = mem_zalloc(run->steps.len + 2, sizeof *place), *order = mem_alloc(sizeof *order * (run->tensors.len + 1));
    size_t last = run->steps.len;
    for (size_t i = 0; i < run->tensors.len; i++)
        place[(run->tensors.items[i].born < last ? run->tensors.items[i].born : last) + 1]++;
    for (size_t i = 0; i < run->steps.len + 1; i++) place[i + 1] += place[i];
    for (size_t i = 0; i < run->tensors.len; i++)
        order[place[run->tensors.items[i].born < last ? run->tensors.items[i].born : last]++] = (uint32_t)i;
    free(place);
    return order;
}

/* A weight's name, or the value that the producing op gave it. */
static uint32_t tensor_label(struct page_data *page, const struct run *run, const struct tensor *tensor) {
    const struct page_columns *c = &page->columns;
    if (tensor->class == TENSOR_ARGUMENT) {
        uint32_t entry = tensor->execution == NONE
                             ? NONE
                             : program_argument(run, run->executions.items[tensor->execution].program, tensor->argument);
        if (entry != NONE && run->registry.items[entry].name.len) return page_str(page, run->registry.items[entry].name);
        char text[NUM_ROOM] = "%arg";
        return page_str(page, slice_of(text, 4 + num_write_u64(text + 4, tensor->argument)));
    }
    if (tensor->producer == NONE) return 0;
    uint32_t template = page_value(c, COL_STEP_TEMPLATE, tensor->producer);
    if (template == NONE) return 0;
    uint32_t result = page_value(c, COL_TPL_OUT, template) + tensor->argument;
    return result < page_value(c, COL_TPL_OUT, template + 1) ? page_value(c, COL_OUT_NAME, result) : 0;
}

const enum page_class page_classes[LIVE_CLASS_COUNT] = {
    [LIVE_ACTIVATION] = PAGE_CLASS_ACTIVATION,   [LIVE_WEIGHT] = PAGE_CLASS_WEIGHT,
    [LIVE_CONST_EVAL] = PAGE_CLASS_CONST_EVAL,   [LIVE_INPUT] = PAGE_CLASS_INPUT,
    [LIVE_KV_CACHE] = PAGE_CLASS_KV_CACHE,       [LIVE_TEMPORARY] = PAGE_CLASS_TEMPORARY,
    [LIVE_RESHAPE_MAP] = PAGE_CLASS_RESHAPE_MAP, [LIVE_TABLE] = PAGE_CLASS_TABLE,
    [LIVE_BINARY] = PAGE_CLASS_BINARY,           [LIVE_CIRCULAR_BUFFER] = PAGE_CLASS_CIRCULAR_BUFFER,
};

static void make_tensors(struct page_data *page, const struct run *run, const struct page_ids *ids) {
    struct page_columns *c = &page->columns;
    uint32_t *order = by_birth(run);
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[order[i]];
        if (ids->types[tensor->type] == NONE) continue;
        /* the page counts from the step after which a tensor exists, the run from the first that sees it */
        bool produced = tensor->producer != NONE && tensor->producer < tensor->born;
        page_push(c, COL_TEN_BIRTH, tensor->born - 1);
        page_push(c, COL_TEN_LIFE, tensor->gone == NONE ? NONE : tensor->gone - tensor->born);
        page_push(c, COL_TEN_TYPE, ids->types[tensor->type]);
        page_push(c, COL_TEN_CLASS, page_classes[tensor_live_class(run, tensor)]);
        page_push(c, COL_TEN_BACK, produced ? tensor->born - 1 - tensor->producer : NONE);
        page_push(c, COL_TEN_NAME, tensor_label(page, run, tensor));
        page_push(c, COL_TEN_RANK, ids->ranks[tensor->rank]);
        if (run->regions.len) page_push_wide(c, COL_TEN_ADDRESS, run->addresses.items[order[i]]);
    }
    free(order);
}

void page_from_run(struct page_data *page, const struct output_job *job) {
    const struct run *run = job->run;
    struct page_ids ids = {0};
    page_data_init(page);
    make_types(page, run, &ids);
    make_ranks(run, &ids);
    make_steps(page, run, &ids);
    make_blocks(page, run, &ids);
    page_ops(page, run, ids.types);
    make_tensors(page, run, &ids);
    page_beside(&page->columns, run);
    page_modules(page, job, &ids);
    page_registry(page, run);
    page_meta(page, job, &ids);
    free(ids.types);
    free(ids.modules);
    free(ids.ranks);
    for (unsigned i = 0; i < PAGE_POOLS; i++) vec_release(&ids.config_keys[i]);
}
