/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/ranks.h"

#include <stdlib.h>

#include "analysis/failure/cut.h"
#include "base/num.h"
#include "model/buffer/block_bytes.h"

static int highest_first(const void *a, const void *b) {
    const struct rank_row *x = a, *y = b;
    if (x->peak.seen != y->peak.seen) return x->peak.seen ? -1 : 1;
    if (peak_bytes(&x->peak) != peak_bytes(&y->peak)) return peak_bytes(&x->peak) < peak_bytes(&y->peak) ? 1 : -1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int smaller_first(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static uint32_t apart(uint32_t a, uint32_t b) { return a < b ? b - a : a - b; }

/* Of the two in the middle, the lower one. */
static size_t middle(size_t count) { return (count - 1) / 2; }

static void find_odd(struct rank_rows *out) {
    size_t n = out->measured;
    if (!n) return;
    out->lowest = n - 1;
    out->median = n - 1 - middle(n); /* rows are in descending order */
    uint32_t median = out->rows.items[out->median].peak.allocated;
    int64_t *distances = mem_alloc(n * sizeof *distances), from = peak_bytes(&out->rows.items[out->median].peak);
    for (size_t i = 0; i < n; i++) distances[i] = llabs(peak_bytes(&out->rows.items[i].peak) - from);
    qsort(distances, n, sizeof *distances, smaller_first);
    out->distance_bytes = distances[middle(n)];
    out->distance = (uint32_t)num_bytes_to_milli_mb((uint64_t)out->distance_bytes);
    free(distances);
    out->low = out->high = median;
    for (size_t i = 0; i < n; i++) {
        struct rank_row *row = &out->rows.items[i];
        uint64_t away = apart(row->peak.allocated, median);
        bool may_reach = row->at_least && row->peak.allocated < median; /* it may have reached the median, or more */
        row->odd = away > (uint64_t)RANKS_ODD_DISTANCES * out->distance && away * 100 > (uint64_t)median * RANKS_ODD_PERCENT &&
                   !may_reach;
        out->odd += row->odd;
        if (row->odd) continue;
        if (row->peak.allocated < out->low) out->low = row->peak.allocated;
        if (row->peak.allocated > out->high) out->high = row->peak.allocated;
    }
}

/* A failure message states the largest free block that was left, which no memory block may have shown. */
static void consider_failures(const struct run *run, struct fragmentation *ranks) {
    for (size_t i = 0; i < run->failures.entries.len && i < run->failure_sites.len; i++) {
        const struct failure *f = &run->failures.entries.items[i].failure;
        struct fragmentation *rank = &ranks[run->failure_sites.items[i].rank];
        if (f->kind != FAILURE_OOM || f->pool != FAILURE_DRAM || !failure_knows(f, FAILURE_LARGEST)) continue;
        int64_t largest = num_bytes_to_milli_mb(f->number[FAILURE_LARGEST]);
        if (largest > UINT32_MAX || (rank->seen && largest >= (int64_t)rank->tightest.largest)) continue;
        rank->seen = true;
        rank->tightest = (struct free_state){.block = NONE,
                                             .largest = (uint32_t)largest,
                                             .rest = bytes_rest(f->number[FAILURE_LARGEST], (uint32_t)largest),
                                             .after_record = NONE};
    }
}

void rank_bounds_find(const struct run *run, bool *bounds) {
    log_cut_ranks(run, bounds);
    const struct execution **last = mem_zalloc(run->ranks.len + 1, sizeof *last);
    for (size_t i = 0; i < run->executions.len; i++)
        if (run->executions.items[i].parent == NONE) last[run->executions.items[i].rank] = &run->executions.items[i];
    for (size_t i = 0; i < run->ranks.len; i++) bounds[i] |= (!last[i] || !last[i]->finished) && run->ranks.items[i].failures;
    free(last);
}

void rank_rows_make(const struct run *run, const struct overview *overview, struct rank_rows *out) {
    *out = (struct rank_rows){.unread = run->warnings[WARN_RANK_UNREAD]};
    struct fragmentation *free_memory = mem_zalloc(run->ranks.len + 1, sizeof *free_memory);
    fragmentation_by_rank(run, POOL_DRAM, free_memory);
    if (!run->told_by_files) consider_failures(run, free_memory); /* there the smallest value is unknown */
    bool *bounds = mem_zalloc(run->ranks.len + 1, sizeof *bounds);
    rank_bounds_find(run, bounds);
    for (size_t i = 0; i < run->ranks.len; i++) {
        if (!run->ranks.items[i].records && !run->ranks.items[i].blocks && !run->ranks.items[i].failures) continue;
        struct rank_row row = {.rank = (uint16_t)i,
                               .peak = overview->by_rank[i].pools[POOL_DRAM],
                               .free = free_memory[i].tightest,
                               .free_seen = free_memory[i].seen};
        row.largest_bytes = row.free.block != NONE && row.free_seen
                                ? block_largest_bytes(run, &run->blocks.items[row.free.block], POOL_DRAM)
                                : num_milli_mb_to_bytes(row.free.largest) + row.free.rest;
        row.at_least = row.peak.seen && (row.peak.at_least || bounds[i]);
        out->measured += row.peak.seen;
        vec_push(&out->rows, row);
    }
    free(bounds);
    free(free_memory);
    if (out->rows.len) qsort(out->rows.items, out->rows.len, sizeof *out->rows.items, highest_first);
    find_odd(out);
}

void rank_rows_release(struct rank_rows *rows) { vec_release(&rows->rows); }

bool rank_rows_spread(const struct rank_rows *rows, uint64_t *milli_percent) {
    if (rows->measured < 2) return false;
    uint64_t median = (uint64_t)peak_bytes(&rows->rows.items[rows->median].peak);
    uint64_t range = (uint64_t)(peak_bytes(&rows->rows.items[0].peak) - peak_bytes(&rows->rows.items[rows->lowest].peak));
    if (!median) return false;
    *milli_percent = (range * 100000 + median / 2) / median;
    return true;
}

/* How a table of ranks shows a long name: its start, a mark, its end. */
static bool is_shortened(struct slice name, struct slice word) {
    static const char *const marks[] = {"…", "..."};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        struct slice mark = slice_from(marks[i]);
        size_t at = slice_find(word, mark);
        if (at == SLICE_NONE) continue;
        struct slice start = slice_take(word, at), end = slice_skip(word, at + mark.len);
        return name.len > start.len + end.len && slice_starts(name, start) && slice_ends(name, end);
    }
    return false;
}

static bool is_meant(const struct run *run, size_t rank, struct slice word, bool by_number, uint64_t number) {
    struct slice name = run_string(run, run->ranks.items[rank].name);
    uint64_t own = 0;
    if (!name.len) return false;
    return by_number ? num_at_end(name, &own) && own == number : is_shortened(name, word);
}

int rank_find(const struct run *run, struct slice word) {
    uint64_t number = 0;
    int found = RANK_NONE;
    bool tagged = false;
    for (size_t i = 0; i < run->ranks.len; i++) {
        if (word.len && slice_equal(rank_title(run, (uint16_t)i), word)) return (int)i;
        tagged |= run->ranks.items[i].name != 0;
    }
    bool by_number = word.len && num_read_u64(word, &number) == word.len;
    if (!tagged) return by_number && number == 0 && run->ranks.len ? 0 : RANK_NONE;
    for (size_t i = 0; i < run->ranks.len; i++) {
        if (!is_meant(run, i, word, by_number, number)) continue;
        if (found != RANK_NONE) return RANK_SEVERAL;
        found = (int)i;
    }
    return found;
}

struct slice rank_title(const struct run *run, uint16_t rank) {
    struct slice name = run_string(run, run->ranks.items[rank].name);
    return name.len ? name : run->ranks.len > 1 ? SLICE("untagged") : SLICE("one process");
}
