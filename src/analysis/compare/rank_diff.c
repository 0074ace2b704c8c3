/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/rank_diff.h"

#include <stdlib.h>

#include "base/num.h"

enum { SAME_PERCENT = 90 };

/* How much more the higher rank holds after each op up to `end`, in thousandths of a MB per bank; false if the state after
 * an op is unknown. */
static void read_differences(const struct diff *d, uint32_t end, int64_t *more, bool *known) {
    uint32_t other = NONE; /* what the lower rank holds at this point */
    for (uint32_t i = 0; i <= end; i++) {
        uint32_t own = d->b->ops.items[d->b_ops.items[i]].reached[0], match = d->back.items[i];
        if (match != NONE) other = d->a->ops.items[d->a_ops.items[match]].reached[0];
        known[i] = own != NONE && other != NONE;
        more[i] = known[i] ? (int64_t)own - other : 0;
    }
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

/* How much more the higher rank holds before any op. */
static int64_t started_with(const struct run *run, uint16_t low, uint16_t high) {
    int64_t a, b;
    return at_start(run, low, &a) && at_start(run, high, &b) ? b - a : 0;
}

static void find_start(const struct run *run, uint16_t low, uint16_t high, struct rank_diff *out) {
    const struct diff *d = &out->diff;
    const struct footprint_pool *a = &out->low.pools[POOL_DRAM], *b = &out->high.pools[POOL_DRAM];
    uint32_t end = NONE;
    if (b->peak <= a->peak) return;
    for (uint32_t i = 0; i < d->b_ops.len && (b->after_op == NONE || d->b_ops.items[i] <= b->after_op); i++) end = i;
    if (end == NONE) return;
    int64_t *kept = mem_alloc((end + 1) * sizeof *kept), largest = 0, before;
    bool *known = mem_alloc((end + 1) * sizeof *known);
    read_differences(d, end, kept, known);
    int64_t least = INT64_MAX;
    for (uint32_t i = end + 1; i-- > 0;) {
        if (known[i] && kept[i] < least) least = kept[i];
        kept[i] = least;
    }
    int64_t start = started_with(run, low, high);
    if (least < start) start = least; /* what is still left of that at its peak */
    if (start < 0) start = 0;
    out->from_start = start * 2 >= (int64_t)b->peak - a->peak;
    if (out->from_start) out->from_bytes = num_milli_mb_to_bytes(start);
    before = start;
    for (uint32_t i = 0; i <= end; before = known[i] && kept[i] > before ? kept[i] : before, i++)
        if (known[i] && kept[i] - before > largest) largest = kept[i] - before;
    before = start;
    for (uint32_t i = 0; !out->from_start && largest > 0 && i <= end; i++) {
        if (!known[i] || kept[i] <= before) continue;
        int64_t rise = kept[i] - before;
        before = kept[i];
        if (rise * 2 < largest) continue;
        if (out->from_op != NONE) {
            out->from_again++;
            continue;
        }
        out->from_op = d->b_ops.items[i];
        out->from_bytes = num_milli_mb_to_bytes(rise);
    }
    free(known);
    free(kept);
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
