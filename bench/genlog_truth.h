/* SPDX-License-Identifier: Apache-2.0 */
/* What the truth collector keeps while lines are written; shared by genlog_truth.c (collecting) and genlog_json.c (writing).
 * NONE marks an index or value that does not exist. */
#ifndef GENLOG_TRUTH_H
#define GENLOG_TRUTH_H

#include "genlog.h"

#define NONE UINT64_MAX

struct detail {
    const struct op *op;
    const char *optype;
    const struct graph *graph;
    int fn, const_eval_fn, rank;
    uint64_t line, before[POOL_COUNT], after[POOL_COUNT], live_bytes[2];
    uint32_t live;
    bool truncated, hit, nests;
};

struct peak {
    bool set;
    uint64_t value, line, block_line, op_index, before;
    const char *block_op;
    bool await;
    int rank;
};

struct name_count {
    const char *name;
    uint64_t count;
};
struct fn_count {
    const struct graph *graph;
    int fn;
    uint64_t runs, finished, hits, misses, records;
};

struct index_list {
    uint64_t *items;
    size_t count, cap;
};

#define MAX_DEPTH 16
struct rank_truth {
    uint64_t records, last_record, block_line, block_record;
    bool block_has_pool, block_anonymous;
    const char *block_op;
    struct peak peaks[POOL_COUNT];
    int depth, frames[MAX_DEPTH];
    uint64_t open[MAX_DEPTH]; /* record whose nested programs are running, per depth */
    struct index_list waiting, filling;
};

struct truth {
    struct gen *g;
    uint64_t records, op_lines, blocks, submit_blocks, deallocates, get_devices, modules, passes, ooms, throws, truncated,
        memory_only_deallocates, memory_only_get_devices;
    bool ambiguous;
    struct rank_truth *ranks;
    int rank_count;
    struct peak peaks[POOL_COUNT];
    struct name_count *ops;
    size_t op_count, op_cap;
    struct fn_count *fns;
    size_t fn_count, fn_cap;
    struct detail *details;
    size_t detail_cap;
};

#endif
