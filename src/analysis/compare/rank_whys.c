/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/rank_whys.h"

/* The row after those with the same peak, from `first` on. */
static size_t end_of_peak(const struct rank_rows *rows, size_t first) {
    size_t end = first;
    while (end < rows->measured && rows->rows.items[end].odd == rows->rows.items[first].odd &&
           rows->rows.items[end].at_least == rows->rows.items[first].at_least &&
           peak_bytes(&rows->rows.items[end].peak) == peak_bytes(&rows->rows.items[first].peak))
        end++;
    return end;
}

static bool is_compared(const struct rank_rows *rows, size_t first) {
    bool highest = !first && rows->rows.items[0].peak.allocated != rows->rows.items[rows->median].peak.allocated;
    return rows->measured > 1 && (highest || rows->rows.items[first].odd);
}

void rank_whys_make(const struct run *run, const struct overview *overview, const struct rank_rows *rows, size_t most,
                    struct rank_whys *out) {
    *out = (struct rank_whys){0};
    size_t last = 0, peaks = 0; /* the lowest rank that is compared, and their number */
    for (size_t i = 0; i < rows->measured; i = end_of_peak(rows, i))
        if (is_compared(rows, i)) last = i, peaks++;
    vec_reserve(&out->items, most && most < peaks ? most : peaks); /* items point into themselves */
    for (size_t i = 0, end; i < rows->measured; i = end) {
        end = end_of_peak(rows, i);
        if (!is_compared(rows, i)) continue;
        if (most && i != last && out->items.len + 1 >= most) {
            out->left_out += end - i;
            continue;
        }
        struct rank_why *why = vec_add(&out->items);
        *why = (struct rank_why){.first = i, .end = end, .high = i, .low = rows->median};
        if (i > rows->median) why->high = rows->median, why->low = i;
        rank_diff_make(run, overview, rows->rows.items[why->low].rank, rows->rows.items[why->high].rank, &why->diff);
    }
}

void rank_whys_release(struct rank_whys *whys) {
    for (size_t i = 0; i < whys->items.len; i++) rank_diff_release(&whys->items.items[i].diff);
    vec_release(&whys->items);
}
