#include "analysis/peaks.h"

#include <stdlib.h>

static void consider(const struct run *run, struct peak *peak, const struct step *step, enum pool pool, uint32_t last_record) {
    const struct block *block = &run->blocks.items[step->block];
    /* blocks of different ranks can be shuffled: the first that was printed counts */
    uint64_t line = block_pool_line(block, pool);
    if (peak->seen && (block->allocated[pool] < peak->allocated || (block->allocated[pool] == peak->allocated && line >= peak->line))) return;
    const struct pool_config *config = block_config(run, block, pool);
    *peak = (struct peak){.seen = true,
                          .allocated = block->allocated[pool],
                          .total = config->total,
                          .banks = config->banks,
                          .block = step->block,
                          .after_record = last_record,
                          .before_record = step->record,
                          .rank = step->rank,
                          .line = line};
}

/* A block in front of a deallocate, get_device or submit is in front of the record that comes next on that rank. */
static void find_before(const struct run *run, struct peak *peak) {
    if (!peak->seen || peak->before_record != NONE) return;
    for (size_t i = run->blocks.items[peak->block].step; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->rank != peak->rank || step->record == NONE) continue;
        peak->before_record = step->record;
        return;
    }
}

void peaks_find(const struct run *run, struct peaks *all, struct peaks *by_rank) {
    uint32_t *last_record = mem_alloc(sizeof *last_record * (run->ranks.len + 1));
    *all = (struct peaks){0};
    for (size_t i = 0; i < run->ranks.len; i++) {
        last_record[i] = NONE;
        if (by_rank) by_rank[i] = (struct peaks){0};
    }
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        for (unsigned pool = 0; step->block != NONE && pool < POOL_COUNT; pool++) {
            if (!(run->blocks.items[step->block].have & 1u << pool)) continue;
            consider(run, &all->pools[pool], step, (enum pool)pool, last_record[step->rank]);
            if (by_rank) consider(run, &by_rank[step->rank].pools[pool], step, (enum pool)pool, last_record[step->rank]);
        }
        if (step->record != NONE) last_record[step->rank] = step->record;
    }
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        find_before(run, &all->pools[pool]);
        for (size_t i = 0; by_rank && i < run->ranks.len; i++) find_before(run, &by_rank[i].pools[pool]);
    }
    free(last_record);
}
