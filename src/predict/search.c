/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/search.h"

#include <stdio.h>

const char *const search_names[] = {"kv-len", "kv-blocks", "batch"};

/* The largest value tried. Positions of a cache without blocks come in tiles. */
enum { MOST = 1 << 26, TILE = 32 };

static uint64_t *value_of(struct predict_options *options, enum search_kind kind) {
    return kind == SEARCH_KV_LEN      ? &options->scale.kv_len
           : kind == SEARCH_KV_BLOCKS ? &options->scale.kv_blocks
                                      : &options->scale.batch;
}

/* Tries `n` steps. */
static bool fits(const struct prediction *p, enum search_kind kind, uint64_t n, uint64_t step, struct search_result *result) {
    struct predict_options options = p->options;
    struct prediction made;
    *value_of(&options, kind) = n * step;
    bool good = prediction_again(p, &options, &made);
    const struct replay_program *last = made.replay.runs.len ? &vec_last(&made.replay.runs) : NULL;
    result->replays++;
    if (good && last) {
        result->best = n * step;
        result->peak = 0;
        for (size_t i = 0; i < made.replay.runs.len; i++)
            if (made.replay.runs.items[i].peaks[POOL_DRAM].allocated > result->peak)
                result->peak = made.replay.runs.items[i].peaks[POOL_DRAM].allocated;
        result->cache_bytes = last->end_sums.bytes[MEMORY_KV_CACHE];
        result->utilization_milli =
            scaled_utilization_milli(&made.scaled, result->cache_bytes, made.replay.device.dram_channel_bytes);
    } else if (last) {
        const struct op_state *s = prediction_place(&made.replay, last->failure.place);
        const struct ir_op *op = s ? place_op(&made.replay, s) : NULL;
        result->next_failed = true;
        result->next = last->failure;
        if (op)
            snprintf(result->next_op, sizeof result->next_op, "%.*s %.*s (line %u)", SLICE_FMT(op->name), SLICE_FMT(op->ssa),
                     op->line);
        else snprintf(result->next_op, sizeof result->next_op, "the allocation of its arguments");
    }
    prediction_release_part(&made);
    return good;
}

void search_max(const struct prediction *p, enum search_kind kind, struct search_result *result) {
    const struct scaled *now = &p->scaled;
    *result = (struct search_result){.kind = kind};
    uint64_t block = now->block_len ? now->block_len : 1;
    if (kind == SEARCH_BATCH) result->was = now->batch_was;
    else if (kind == SEARCH_KV_BLOCKS) result->was = now->paged ? now->kv_was : 0;
    else result->was = now->caches ? now->kv_was * (now->paged ? block : 1) : 0;
    result->possible = result->was > 0;
    if (!result->possible) return;
    uint64_t step = kind != SEARCH_KV_LEN ? 1 : now->paged ? block : TILE;
    uint64_t low = 0, high = result->was / step ? result->was / step : 1;
    while (high <= MOST && fits(p, kind, high, step, result)) {
        low = high;
        high *= 2;
    }
    if (high > MOST) return;
    result->bounded = true;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (fits(p, kind, middle, step, result)) low = middle;
        else high = middle;
    }
}
