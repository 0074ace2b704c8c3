/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/alive.h"

#include "device/tile.h"

static void widen(struct pool_use *use, const struct run *run, const struct block *block, enum pool pool) {
    if (!(block->have >> pool & 1)) return;
    const struct pool_config *config = block_config(run, block, pool);
    if (!config->total && block->partial >> pool & 1) return;
    use->known = true;
    use->banks = config->banks;
    use->size_milli = config->total;
    if (block->allocated[pool] > use->used_milli) use->used_milli = block->allocated[pool];
}

void alive_pools(const struct run *run, struct failure_context *out) {
    struct pool_use l1 = {0};
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        widen(&out->trace, run, block, POOL_TRACE);
        widen(&out->l1_small, run, block, POOL_L1_SMALL);
        widen(&out->dram, run, block, POOL_DRAM);
        widen(&l1, run, block, POOL_L1);
    }
    out->l1_banks = l1.banks;
}

void alive_before(const struct run *run, uint32_t step, struct failure_context *out) {
    uint32_t number = run->steps.items[step].block;
    const struct block *block = number == NONE ? NULL : &run->blocks.items[number];
    if (!block || !(block->have >> POOL_DRAM & 1) || (block->partial >> POOL_DRAM & 1)) return;
    out->dram.has_largest = true;
    out->dram.largest_milli = block->largest[POOL_DRAM];
}

uint64_t alive_bfp8_per_bank(const struct run *run, const struct tensor_type *type) {
    uint64_t tile;
    struct tensor_type small = *type;
    if (!type->tiled || !type->physical_known ||
        !tile_bytes_by_name(SLICE("bfp_bf8"), type->tile_height, type->tile_width, &tile))
        return 0;
    const struct data_format *format = data_format_find(type->storage);
    if (!format || !format->mlir || (strcmp(format->mlir, "bf16") != 0 && strcmp(format->mlir, "f32") != 0)) return 0;
    small.page_bytes = tile;
    uint64_t now = tensor_per_bank_bytes(type, &run->geometry), then = tensor_per_bank_bytes(&small, &run->geometry);
    return then < now ? then : 0;
}

struct alive_figures alive_sum(const struct run *run, const struct live_set *set) {
    struct alive_figures out = {.known = !set->sum.bank_unknown, .tensors = set->tensors.len, .bytes = set->sum.per_bank_bytes};
    for (size_t i = 0; out.known && i < set->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[set->tensors.items[i]];
        enum live_class class = tensor_live_class(run, tensor);
        bool weight = class == LIVE_WEIGHT || class == LIVE_CONST_EVAL;
        if (!weight && class != LIVE_KV_CACHE) continue;
        const struct tensor_type *type = &run->types.items[tensor->type];
        uint64_t small = alive_bfp8_per_bank(run, type), now = tensor_per_bank_bytes(type, &run->geometry);
        if (!small) continue;
        *(weight ? &out.weight_bytes : &out.cache_bytes) += now;
        *(weight ? &out.weight_saved_bytes : &out.cache_saved_bytes) += now - small;
    }
    return out;
}
