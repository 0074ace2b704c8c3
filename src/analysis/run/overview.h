/* SPDX-License-Identifier: Apache-2.0 */
/* The first things to know about a run: counts, configuration, peaks, growth, padding, weights, what the log lacks. */
#ifndef TTMEM_ANALYSIS_OVERVIEW_H
#define TTMEM_ANALYSIS_OVERVIEW_H

#include "analysis/pass/leaks.h"
#include "analysis/run/change_kind.h"
#include "analysis/run/holders.h"
#include "analysis/run/host.h"
#include "analysis/run/live.h"
#include "analysis/run/peaks.h"
#include "analysis/failure/run_failures.h"
#include "analysis/search/duplicates.h"
#include "analysis/search/late.h"

enum { GROWTH_ROWS = 10 };

struct named_count {
    uint32_t name; /* string id */
    uint64_t runs, records, hits, misses;
    uint64_t graphs; /* different ones of that name */
};

struct named_counts {
    struct named_count *items;
    size_t len, cap;
};

struct growth {
    uint32_t record;
    uint32_t step;
    int64_t delta; /* thousandths of a MB per bank */
    enum change_kind kind;
};

/* Something that the log lacks, and the setting that would record it. */
struct missing {
    const char *what;
    const char *setting;
};

struct overview {
    const char *shape; /* "ops+memory", "memory", "ops", "none", "predicted" */
    struct peaks peaks;
    struct peaks *by_rank; /* as many as run.ranks */
    uint64_t program_runs; /* including const-evals and other nested programs */
    uint64_t main_runs;    /* those that a submit started */
    uint32_t main_name;    /* string id of their name, NONE if they have several */
    struct named_counts programs;
    struct named_counts const_eval;
    struct named_counts op_counts; /* `records` is the count; most frequent first, ties in order of appearance */
    VEC(struct growth) growth;     /* DRAM, largest first */
    VEC(struct missing) missing;
    uint64_t weight_count, weight_bytes, shared_weights; /* see weights.h */
    bool weights_of_part;
    uint64_t weights_line;
    uint16_t weights_rank;
    uint64_t weight_records; /* records that prepare or use weights */
    bool memory_per_op;      /* blocks before ops, not only around submits */
    bool has_live;           /* op lines give live tensors at the DRAM peak */
    struct live_set at_peak; /* in DRAM, at its peak */
    struct live_set at_l1_peak;
    struct holders holders; /* of DRAM at its peak, if op lines name no tensors */
    struct explain failures;
    struct host_use host;     /* if run.host exists */
    struct slope dram_growth; /* per pass, bytes per bank */
    struct leaks leaks;       /* what passes leave behind */
    struct duplicates duplicates;
    struct late_peak late; /* the DRAM peak, and what it would be if everything were freed at its last use */
};

void overview_make(const struct run *run, struct overview *overview);
/* For a zeroed overview, only what the input lacks: `missing`, `shape` and `memory_per_op`. */
void overview_missing(const struct run *run, struct overview *overview);

/* A log of tt-metal alone, without ops, memory blocks or modules: what TT-XLA could print is not missing from it. */
bool overview_is_of_metal(const struct run *run);
void overview_release(struct overview *overview);

#endif
