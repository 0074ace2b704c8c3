/* SPDX-License-Identifier: Apache-2.0 */
#include "input/report/report_peaks.h"

#include "base/json_split.h"
#include "base/num.h"
#include "model/run_write.h"

static bool told_bytes(struct json_value object, const char *name, int64_t *milli) {
    uint64_t bytes;
    if (!told_u64(object, name, &bytes) || bytes > (uint64_t)INT32_MAX * NUM_MIB / 1000) return false;
    *milli = num_bytes_to_milli_mb(bytes);
    return true;
}

/* The record that ran before it: an object in the summary, a number in memory.json. */
static uint32_t record_of(struct json_value peak) {
    struct json_value op;
    uint64_t index;
    bool told = json_member(peak, "op", &op) ? told_u64(op, "index", &index) : told_u64(peak, "op_index", &index);
    return told && index < NONE ? (uint32_t)index : NONE;
}

static bool is_measured(struct json_value peak) {
    struct slice source = told_text(peak, "source");
    return slice_equal(source, SLICE("measured")) || slice_equal(source, SLICE("predicted"));
}

static void take_pools(struct report_peaks *peaks, struct json_value pools, struct slice rank, bool of_all) {
    struct json_value peak;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        struct stated_peak row = {.rank = rank, .of_all = of_all, .pool = (enum pool)pool};
        row.view = (struct told_pool){.banks = 1, .total = -1, .free = -1, .largest = -1};
        bool in_bytes = json_member(pools, pool_keys[pool], &peak);
        if ((!in_bytes && !json_member(pools, pool_names[pool], &peak)) || !is_measured(peak)) continue;
        uint64_t banks;
        if (told_u64(peak, "banks", &banks) && banks < UINT32_MAX) row.view.banks = (int64_t)banks;
        if (in_bytes) {
            if (!told_bytes(peak, "allocated_bytes_per_bank", &row.view.allocated)) continue;
            told_bytes(peak, "capacity_bytes_per_bank", &row.view.total);
        } else {
            if (!told_milli(peak, "allocated_MB", &row.view.allocated)) continue;
            told_milli(peak, "capacity_MB", &row.view.total);
        }
        row.after = record_of(peak);
        told_u64(peak, "line", &row.line);
        vec_push(&peaks->items, row);
    }
}

/* memory.json has the banks of a pool beside its peaks. */
static void take_banks(struct report_peaks *peaks, struct json_value metadata) {
    struct json_value configs, config;
    uint64_t banks;
    if (!json_member(metadata, "memory_config", &configs)) return;
    for (size_t i = 0; i < peaks->items.len; i++)
        if (json_member(configs, pool_names[peaks->items.items[i].pool], &config) && told_u64(config, "num_banks", &banks) &&
            banks < UINT32_MAX)
            peaks->items.items[i].view.banks = (int64_t)banks;
}

void report_peaks_read(struct report_peaks *peaks, const struct report_files *files, struct slice metadata,
                       struct json_reader *reader) {
    struct json_value root, list, rank, pools;
    if (files->have[PART_SUMMARY] && json_parse(reader, files->parts[PART_SUMMARY].bytes, &root) &&
        json_member(root, "ranks", &list) && json_kind_of(list) == JSON_ARRAY)
        for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &rank);)
            if (json_kind_of(rank) == JSON_OBJECT && json_member(rank, "peaks", &pools))
                take_pools(peaks, pools, arena_copy(&peaks->arena, told_text(rank, "rank")), false);
    if (peaks->items.len || !metadata.len || !json_parse(reader, metadata, &root) || !json_member(root, "peaks", &pools))
        return;
    take_pools(peaks, pools, slice_of("", 0), true);
    take_banks(peaks, root);
}

struct told_state report_peaks_after(const struct report_peaks *peaks, struct slice rank, uint32_t record,
                                     const int64_t *seen) {
    struct told_state state = {0};
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) state.pools[pool].allocated = -1;
    for (size_t i = 0; i < peaks->items.len; i++) {
        const struct stated_peak *peak = &peaks->items.items[i];
        if (peak->after != record || peak->view.allocated <= seen[peak->pool]) continue;
        if (!peak->of_all && !slice_equal(peak->rank, rank)) continue;
        state.pools[peak->pool] = peak->view;
        state.known = true;
    }
    return state;
}

void report_peaks_configs(struct run *run, struct slice metadata, struct json_reader *reader) {
    struct run_writer writer = {.run = run};
    struct json_value root, configs, config;
    if (!metadata.len || !json_parse(reader, metadata, &root) || !json_member(root, "memory_config", &configs)) return;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        uint64_t banks;
        int64_t total;
        size_t i = 0;
        while (i < run->configs.len && run->configs.items[i].pool != pool) i++;
        if (i == run->configs.len && json_member(configs, pool_names[pool], &config) && told_u64(config, "num_banks", &banks) &&
            banks < UINT32_MAX && told_milli(config, "total_bytes_per_bank_MB", &total))
            run_write_config(&writer, (enum pool)pool, (uint32_t)banks, (uint32_t)total, 0);
    }
}

static void mark_block(struct run *run, const struct stated_peak *peak) {
    size_t first = 0;
    int rank = -1;
    if (peak->after != NONE) {
        if (peak->after >= run->records.len) return;
        first = run->records.items[peak->after] + 1u;
        rank = run->steps.items[first - 1].rank;
    }
    for (size_t i = first; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (rank >= 0 ? step->rank != rank : !slice_equal(run_string(run, run->ranks.items[step->rank].name), peak->rank))
            continue;
        struct block *block = step->block == NONE ? NULL : &run->blocks.items[step->block];
        if (block && block->have >> peak->pool & 1 && block->allocated[peak->pool] == peak->view.allocated) {
            block->line = peak->line;
            return;
        }
        if (step->record != NONE) return; /* the next op: the peak was before that */
    }
}

void report_peaks_lines(const struct report_peaks *peaks, struct run *run) {
    for (size_t i = 0; i < peaks->items.len; i++)
        if (peaks->items.items[i].line) mark_block(run, &peaks->items.items[i]);
}

void report_peaks_release(struct report_peaks *peaks) {
    arena_release(&peaks->arena);
    vec_release(&peaks->items);
}
