#include "analysis/run/peaks.h"

#include <stdlib.h>

/* The higher peak; of equal ones the one that was printed first: blocks of different ranks can be shuffled. */
static bool is_higher(const struct peak *a, const struct peak *b) {
    if (!a->seen || !b->seen) return a->seen;
    return a->allocated != b->allocated ? a->allocated > b->allocated : a->line < b->line;
}

static void consider(const struct run *run, struct peak *peak, const struct step *step, enum pool pool, uint32_t last_record) {
    const struct block *block = &run->blocks.items[step->block];
    if (peak->seen && block->allocated[pool] <= peak->allocated) return;
    const struct pool_config *config = block_config(run, block, pool);
    *peak = (struct peak){.seen = true,
                          .allocated = block->allocated[pool],
                          .total = config->total,
                          .banks = config->banks,
                          .block = step->block,
                          .after_record = last_record,
                          .before_record = step->record,
                          .rank = step->rank,
                          .line = block->line};
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
    struct peaks *ranks = mem_zalloc(run->ranks.len + 1, sizeof *ranks);
    for (size_t i = 0; i < run->ranks.len; i++) last_record[i] = NONE;
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        for (unsigned pool = 0; step->block != NONE && pool < POOL_COUNT; pool++) {
            if (!(run->blocks.items[step->block].have & 1u << pool)) continue;
            if (run->blocks.items[step->block].allocated[pool] < ranks[step->rank].pools[pool].allocated) continue;
            consider(run, &ranks[step->rank].pools[pool], step, (enum pool)pool, last_record[step->rank]);
        }
        if (step->record != NONE) last_record[step->rank] = step->record;
    }
    *all = (struct peaks){0};
    for (size_t i = 0; i < run->ranks.len; i++) {
        for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
            struct peak *peak = &ranks[i].pools[pool];
            find_before(run, peak);
            if (is_higher(peak, &all->pools[pool])) all->pools[pool] = *peak;
        }
        if (by_rank) by_rank[i] = ranks[i];
    }
    free(ranks);
    free(last_record);
}
