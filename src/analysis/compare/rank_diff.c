/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/rank_diff.h"

#include "base/num.h"

enum { SAME_PERCENT = 90 };

/* How much more the higher rank holds after an op that both have, thousandths of a MB per bank. */
static bool more_after(const struct diff *d, uint32_t item, int64_t *more) {
    uint32_t other = d->back.items[item];
    if (other == NONE) return false;
    uint32_t b = d->b->ops.items[d->b_ops.items[item]].reached[0], a = d->a->ops.items[d->a_ops.items[other]].reached[0];
    if (a == NONE || b == NONE) return false;
    *more = (int64_t)b - a;
    return true;
}

/* DRAM of a rank before its first op, thousandths of a MB per bank. */
static bool at_start(const struct run *run, uint16_t rank, int64_t *allocated) {
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->rank != rank) continue;
        const struct block *block = step->block == NONE ? NULL : &run->blocks.items[step->block];
        if (block && block->have >> POOL_DRAM & 1) {
            *allocated = block->allocated[POOL_DRAM];
            return true;
        }
        if (step->record != NONE) break;
    }
    return false;
}

/* Back from the peak as long as at least half of the difference is there: the first op of that stretch is where it begins,
 * or the one before it that the other rank does not have. */
static void find_start(const struct run *run, uint16_t low, uint16_t high, struct rank_diff *out) {
    const struct diff *d = &out->diff;
    const struct footprint_pool *a = &out->low.pools[POOL_DRAM], *b = &out->high.pools[POOL_DRAM];
    int64_t whole = (int64_t)b->peak - a->peak, more;
    uint32_t at = NONE, first = NONE;
    if (whole <= 0) return;
    for (uint32_t i = 0; i < d->b_ops.len && (b->after_op == NONE || d->b_ops.items[i] <= b->after_op); i++) at = i;
    for (uint32_t i = at; i != NONE && i < d->b_ops.len; i = i ? i - 1 : NONE) {
        if (!more_after(d, i, &more)) continue;
        if (more * 2 < whole) break;
        first = i;
        out->from_bytes = num_milli_mb_to_bytes(more);
    }
    if (first == NONE) return;
    int64_t low_start, high_start;
    if (at_start(run, low, &low_start) && at_start(run, high, &high_start) && (high_start - low_start) * 2 >= whole) {
        out->from_start = true;
        for (uint32_t i = 0; i < first; i++) out->from_start &= d->back.items[i] == NONE; /* no op in between had less */
    }
    if (out->from_start) {
        out->from_bytes = num_milli_mb_to_bytes(high_start - low_start);
        return;
    }
    while (first && d->back.items[first - 1] == NONE) first--; /* ops of its own lead to it */
    out->from_op = d->b_ops.items[first];
}

void rank_diff_make(const struct run *run, const struct overview *overview, uint16_t low, uint16_t high,
                    struct rank_diff *out) {
    *out = (struct rank_diff){.from_op = NONE};
    footprint_of_rank(run, overview, low, &out->low);
    footprint_of_rank(run, overview, high, &out->high);
    diff_make(&out->low, &out->high, &out->diff);
    const struct diff *d = &out->diff;
    size_t longer = d->a_ops.len > d->b_ops.len ? d->a_ops.len : d->b_ops.len;
    out->same_ops = d->has_ops && d->matched * 100 >= longer * SAME_PERCENT;
    if (out->same_ops && d->pools[POOL_DRAM].seen) find_start(run, low, high, out);
}

void rank_diff_release(struct rank_diff *diff) {
    diff_release(&diff->diff);
    footprint_release(&diff->low);
    footprint_release(&diff->high);
}
