/* SPDX-License-Identifier: Apache-2.0 */
/* A block's figures in bytes. Logs print thousandths of a MB, and blocks store those; an input that records every buffer is
 * exact to the byte, and run.rests then holds the remainders. A difference is in bytes, after minus before. */
#ifndef TTMEM_MODEL_BLOCK_BYTES_H
#define TTMEM_MODEL_BLOCK_BYTES_H

#include "base/num.h"
#include "model/run.h"

static inline const struct block_rest *block_rest(const struct run *run, const struct block *block) {
    static const struct block_rest none = {{0}, {0}, {0}};
    return run->rests.len ? &run->rests.items[block - run->blocks.items] : &none;
}

static inline int64_t block_allocated_bytes(const struct run *run, const struct block *block, unsigned pool) {
    return num_milli_mb_to_bytes(block->allocated[pool]) + block_rest(run, block)->allocated[pool];
}

static inline int64_t block_free_bytes(const struct run *run, const struct block *block, unsigned pool) {
    return num_milli_mb_to_bytes(block->free[pool]) + block_rest(run, block)->free[pool];
}

static inline int64_t block_largest_bytes(const struct run *run, const struct block *block, unsigned pool) {
    return num_milli_mb_to_bytes(block->largest[pool]) + block_rest(run, block)->largest[pool];
}

static inline int64_t config_bytes(const struct pool_config *config) {
    return num_milli_mb_to_bytes(config->total) + config->rest;
}

/* The remainder of bytes beyond thousandths of a MB. */
static inline int16_t bytes_rest(uint64_t bytes, uint32_t milli) {
    int64_t rest = (int64_t)bytes - num_milli_mb_to_bytes(milli);
    return rest >= INT16_MIN && rest <= INT16_MAX ? (int16_t)rest : 0;
}

#endif
