/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/overview.h"

#include <stdlib.h>

#include "analysis/compare/ranks.h"
#include "analysis/failure/settings.h"
#include "analysis/rules/computed.h"
#include "base/ordered.h"
#include "model/left/pass_growth.h"
#include "analysis/run/top_ops.h"
#include "analysis/run/weights.h"

/* Counts by name; `index` maps a string id to its place + 1. */
struct counter {
    VEC(uint32_t) index;
};

static struct named_count *count_row(struct counter *counter, struct named_counts *rows, uint32_t name) {
    while (counter->index.len <= name) vec_push(&counter->index, 0);
    if (!counter->index.items[name]) {
        vec_push(rows, ((struct named_count){.name = name}));
        counter->index.items[name] = (uint32_t)rows->len;
    }
    return &rows->items[counter->index.items[name] - 1];
}

static void count_runs(const struct run *run, struct overview *o) {
    o->program_runs = run->executions.len;
    o->main_name = NONE;
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *execution = &run->executions.items[i];
        if (execution->parent != NONE) continue;
        o->main_name = !o->main_runs++ || o->main_name == execution->name ? execution->name : NONE;
    }
}

static void count_programs(const struct run *run, struct overview *o) {
    struct counter programs = {0}, evals = {0};
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *execution = &run->executions.items[i];
        struct named_count *row = execution->const_eval ? count_row(&evals, &o->const_eval, execution->name)
                                                        : count_row(&programs, &o->programs, execution->name);
        row->runs++;
        row->records += execution->own_records;
    }
    for (size_t i = 0; i < run->programs.len; i++) count_row(&programs, &o->programs, run->programs.items[i].name)->graphs++;
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->op == NONE || !(step->flags & (STEP_CACHE_HIT | STEP_CACHE_MISS))) continue;
        struct named_count *row = count_row(&evals, &o->const_eval, run->ops.items[step->op].callee);
        if (step->flags & STEP_CACHE_HIT) row->hits++;
        else row->misses++;
    }
    vec_release(&programs.index);
    vec_release(&evals.index);
}

static int more_records_first(const void *a, const void *b) {
    const struct named_count *x = a, *y = b;
    if (x->records != y->records) return x->records < y->records ? 1 : -1;
    return x->graphs < y->graphs ? -1 : 1; /* `graphs` holds the order of appearance here */
}

static void count_ops(const struct run *run, struct overview *o) {
    struct counter counter = {0};
    for (size_t i = 0; i < run->records.len; i++) {
        const struct step *step = &run->steps.items[run->records.items[i]];
        uint32_t name = step->op != NONE ? run->ops.items[step->op].name : step->op_type;
        count_row(&counter, &o->op_counts, name)->records++;
    }
    for (size_t i = 0; i < o->op_counts.len; i++) o->op_counts.items[i].graphs = i;
    if (o->op_counts.len) qsort(o->op_counts.items, o->op_counts.len, sizeof *o->op_counts.items, more_records_first);
    vec_release(&counter.index);
}

/* Keeps the largest few, earlier ones first on ties. */
static void keep_growth(struct overview *o, struct growth growth) {
    size_t at = o->growth.len;
    while (at && o->growth.items[at - 1].delta < growth.delta) at--;
    if (at >= GROWTH_ROWS) return;
    if (o->growth.len < GROWTH_ROWS) vec_push(&o->growth, growth);
    memmove(&o->growth.items[at + 1], &o->growth.items[at], sizeof growth * (o->growth.len - 1 - at));
    o->growth.items[at] = growth;
}

static void find_growth(const struct run *run, struct overview *o) {
    bool *elsewhere = growth_elsewhere(run);
    for (size_t i = 0; i < run->records.len; i++) {
        int64_t delta;
        uint32_t at = run->records.items[i];
        if (elsewhere[at] || !step_growth(run, &run->steps.items[at], POOL_DRAM, &delta)) continue;
        if (delta > 0) keep_growth(o, (struct growth){.record = (uint32_t)i, .step = at, .delta = delta});
    }
    free(elsewhere);
    uint8_t *kinds = change_kinds(run, POOL_DRAM);
    for (size_t i = 0; i < o->growth.len; i++) o->growth.items[i].kind = change_kind_of(run, kinds, o->growth.items[i].step);
    free(kinds);
}

/* Whether a step outside const-eval is a weight op depends only on its program and argument set: the answers are remembered. */
static void count_weight_records(const struct run *run, struct overview *o) {
    struct map known = {0};
    for (size_t i = 0; i < run->records.len; i++) {
        const struct step *step = &run->steps.items[run->records.items[i]];
        if (step->execution == NONE) continue;
        if (run->executions.items[step->execution].const_eval) o->weight_records++;
        if (!step->arguments || run->executions.items[step->execution].const_eval) continue;
        uint64_t key = (uint64_t)step->arguments << 32 | step_program(run, step);
        bool added;
        uint32_t *answer = map_at(&known, (struct hash128){hash_mix(0, key), key}, &added);
        if (added) *answer = step_is_weight_op(run, step);
        o->weight_records += *answer;
    }
    map_release(&known);
}

static const struct missing no_ops = {
    "op lines (Executing operation: ...)",
    "build with TT_RUNTIME_DEBUG=ON (debug preset) and set TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG"};
static const struct missing no_memory = {
    "memory blocks (Device DRAM memory state: ...)",
    "build with TT_RUNTIME_DEBUG=ON (debug preset) and set TT_RUNTIME_MEMORY_LOG_LEVEL=all, TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG"};
static const struct missing no_memory_per_op = {"memory blocks before ops (only around submits)",
                                                "set TT_RUNTIME_MEMORY_LOG_LEVEL=all"};
static const struct missing no_tensors_of_metal = {
    "ops, memory blocks and modules: logs of tt-metal hold none",
    "ttmem run --inspector -- COMMAND records every buffer (tt-metal from 2026-08-21 or later); a ttnn report holds ops too"};
static const struct missing no_modules = {"module dumps (MLIR Module ttnn: ...)", "set TTXLA_LOGGER_LEVEL=DEBUG"};
static const struct missing no_buffers_inside = {"circular buffers and buffers inside an op: L1 is a lower bound",
                                                 "no runtime log setting adds them; ttnn graph captures have them"};

static const struct missing no_buffers_in_report = {"circular buffers and buffers inside an op: L1 is a lower bound",
                                                    "ttnn graph captures hold them"};

static const struct missing no_buffers = {"buffers: what is allocated is not known",
                                          "ttmem run --ttnn-report -- COMMAND lets ttnn write them"};

static const struct missing no_run = {"measured figures: every figure is predicted, some are estimates",
                                      "ttmem predict lists the estimates; a log of the run has measured figures"};

static const struct missing no_circular_buffers = {
    "circular buffers: L1 is a lower bound",
    "ttnn graph captures have those of programs that are not in the program cache yet"};
static const struct missing some_graphs_unread = {"the nodes of some ops, which could not be read: L1 is a lower bound",
                                                  "ttmem summary --json counts them"};
static const struct missing no_device = {"the device: the size of its memory is assumed",
                                         "ttnn.graph.end_graph_capture_to_file(path) writes it into a capture"};

static const struct missing no_bank_bytes = {
    "page sizes. Bytes per bank are lower bounds unless a neighbour proves them; the chip is the one whose number of banks "
    "makes "
    "most buffers adjoin (--device names it)",
    "no Inspector setting adds page sizes"};

static const struct missing no_bank_bytes_of_named = {
    "page sizes. Bytes per bank are lower bounds unless a neighbour proves them", "no Inspector setting adds page sizes"};

static const struct missing no_size = {"how much memory the devices have, so no shares",
                                       "ttmem top --device n150 (p150, ...) --record FILE keeps it"};

static bool is_unsized(const struct run *run) {
    for (size_t i = 0; i < run->configs.len; i++)
        if (run->configs.items[i].pool == POOL_DRAM && !run->configs.items[i].total) return true;
    return false;
}

bool overview_is_of_metal(const struct run *run) {
    if (run->origin != RUN_LOG || run->op_lines || run->block_count || run->modules.len) return false;
    enum product product = run_product(run, NULL);
    return product == PRODUCT_METAL || product == PRODUCT_VLLM;
}

void overview_missing(const struct run *run, struct overview *o) {
    for (size_t i = 0; i < run->blocks.len && !o->memory_per_op; i++)
        o->memory_per_op = block_is_of_op(run, &run->blocks.items[i]);
    bool ops = run->op_lines > 0, memory = run->block_count > 0;
    o->shape = ops && memory ? "ops+memory" : memory ? "memory" : ops ? "ops" : "none";
    if (run->origin == RUN_PREDICTED) o->shape = "predicted";
    if (run->origin != RUN_LOG) {
        if (run->origin == RUN_PREDICTED) vec_push(&o->missing, no_run);
        if (run->origin == RUN_TTNN_REPORT && !memory) vec_push(&o->missing, no_buffers);
        if (run->l1.unreadable) vec_push(&o->missing, some_graphs_unread);
        else if (!run->l1.told && (run->origin == RUN_GRAPH_CAPTURE || run->origin == RUN_PREDICTED))
            vec_push(&o->missing, no_circular_buffers);
        else if (!run->l1.told && memory && run->origin != RUN_RECORDING) vec_push(&o->missing, no_buffers_in_report);
        if (run->origin == RUN_INSPECTOR) vec_push(&o->missing, run->device_assumed ? no_bank_bytes : no_bank_bytes_of_named);
        if (run->device_assumed && run->origin != RUN_INSPECTOR) vec_push(&o->missing, no_device);
        if (run->origin == RUN_RECORDING && is_unsized(run)) vec_push(&o->missing, no_size);
        return;
    }
    if (overview_is_of_metal(run)) {
        vec_push(&o->missing, no_tensors_of_metal);
        return;
    }
    if (!ops) vec_push(&o->missing, no_ops);
    if (!memory) vec_push(&o->missing, no_memory);
    else if (!o->memory_per_op) vec_push(&o->missing, no_memory_per_op);
    if (!run->modules.len) vec_push(&o->missing, no_modules);
    if (memory) vec_push(&o->missing, no_buffers_inside);
}

static void mark_ended(struct peaks *peaks, const bool *bounds) {
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        struct peak *both[] = {&peaks->pools[pool], &peaks->tightest[pool]};
        for (size_t i = 0; i < 2; i++)
            if (both[i]->seen && bounds[both[i]->rank]) {
                both[i]->at_least = true;
                if (!both[i]->early) both[i]->early = EARLY_RANK;
            }
    }
}

/* If other ranks completed, the peak of one that did not is only what it had reached by then. */
static void mark_bounds(const struct run *run, struct overview *o) {
    if (!run_has_ranks(run)) return;
    bool *bounds = mem_zalloc(run->ranks.len + 1, sizeof *bounds);
    rank_bounds_find(run, bounds);
    mark_ended(&o->peaks, bounds);
    for (size_t i = 0; i < run->ranks.len; i++) mark_ended(&o->by_rank[i], bounds);
    free(bounds);
}

/* --- the parts, shared by two threads: each walks over the whole run --- */

static void find_peaks_and_counts(const struct run *run, struct overview *o) {
    o->by_rank = mem_zalloc(run->ranks.len + 1, sizeof *o->by_rank);
    peaks_find(run, &o->peaks, o->by_rank);
    mark_bounds(run, o);
    late_peak_find(run, POOL_DRAM, &o->peaks.pools[POOL_DRAM], &o->late);
    count_runs(run, o);
    count_programs(run, o);
    overview_missing(run, o);
}

static void find_growth_and_leaks(const struct run *run, struct overview *o) {
    count_ops(run, o);
    find_growth(run, o);
    leaks_find(run, &o->leaks);
    duplicates_find(run, &o->duplicates);
    struct weight_sum weights = weights_total(run);
    o->weight_count = weights.count;
    o->weight_bytes = weights.bytes;
    o->shared_weights = weights.shared;
    o->weights_of_part = weights.of_part;
    o->weights_line = weights.line;
    o->weights_rank = weights.rank;
    count_weight_records(run, o);
    pass_growth_find(run, POOL_DRAM, &o->dram_growth);
}

struct overview_work {
    const struct run *run;
    struct overview *overview;
};

static void *make_part(void *context, unsigned thread, size_t number) {
    static void (*const parts[])(const struct run *run, struct overview *o) = {find_peaks_and_counts, find_growth_and_leaks};
    struct overview_work *work = context;
    (void)thread;
    parts[number](work->run, work->overview);
    return NULL;
}

static void part_made(void *context, size_t number, void *result) {
    (void)context;
    (void)number;
    (void)result;
}

void overview_make(const struct run *run, struct overview *o) {
    enum { PARTS = 2, WORTH_A_THREAD = 20000 };
    *o = (struct overview){0};
    struct overview_work both = {run, o};
    struct ordered_work work = {&both, make_part, part_made};
    ordered_run(&work, PARTS, run->steps.len < WORTH_A_THREAD ? 1 : ordered_threads());
    const struct peak *dram = &o->peaks.pools[POOL_DRAM], *l1 = &o->peaks.pools[POOL_L1];
    if (dram->seen && dram->step != NONE) {
        live_at(run, dram->step, POOL_DRAM, &o->at_peak);
        live_add_left(run, &o->leaks, dram->step, POOL_DRAM, dram->allocated, &o->at_peak);
        live_compute(run, dram->step, POOL_DRAM, dram->allocated, 0, &o->at_peak);
    }
    if (l1->seen && l1->step != NONE) live_at(run, l1->step, POOL_L1, &o->at_l1_peak);
    o->has_live = o->at_peak.tensors.len > 0;
    if (holders_needed(run) && dram->seen && dram->step != NONE) holders_find(run, POOL_DRAM, dram->step, &o->holders);
    run_explain(run, &o->failures);
    if (run->host) host_use_make(run->host, run, &o->host);
}

void overview_release(struct overview *o) {
    free(o->by_rank);
    vec_release(&o->programs);
    vec_release(&o->const_eval);
    vec_release(&o->op_counts);
    vec_release(&o->growth);
    vec_release(&o->missing);
    leaks_release(&o->leaks);
    duplicates_release(&o->duplicates);
    live_release(&o->at_peak);
    live_release(&o->at_l1_peak);
    holders_release(&o->holders);
    explain_release(&o->failures);
    host_use_release(&o->host);
}
