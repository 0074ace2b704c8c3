/* SPDX-License-Identifier: Apache-2.0 */
/* A run -> its footprint. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/compare/diff.h"
#include "analysis/compare/footprint_make.h"
#include "analysis/compare/ranks.h"
#include "analysis/failure/cut.h"
#include "analysis/rules/computed.h"
#include "analysis/run/fragmentation.h"
#include "analysis/run/holes.h"
#include "analysis/run/top_ops.h"
#include "base/num.h"
#include "model/buffer/block_bytes.h"

static uint32_t text_of(struct making *m, uint32_t id) {
    if (!m->strings[id]) m->strings[id] = strtab_id(&m->f->strings, run_string(m->run, id)) + 1;
    return m->strings[id] - 1;
}

static uint8_t pool_of(const struct tensor_type *type) {
    static const uint8_t pools[BUFFER_TYPE_COUNT] = {
        [BUFFER_NONE] = POOL_COUNT,        [BUFFER_DRAM] = POOL_DRAM,   [BUFFER_L1] = POOL_L1,
        [BUFFER_L1_SMALL] = POOL_L1_SMALL, [BUFFER_TRACE] = POOL_TRACE, [BUFFER_HOST] = POOL_COUNT};
    return type->kind == TYPE_TENSOR ? pools[type->buffer] : POOL_COUNT;
}

static void make_types(struct making *m) {
    const struct run *run = m->run;
    struct strtab *strings = &m->f->strings;
    for (size_t i = 0; i < run->types.len; i++) {
        const struct tensor_type *type = &run->types.items[i];
        char layout[96];
        size_t layout_len = type->has_layout ? tensor_layout_text(type, layout, sizeof layout) : 0;
        uint64_t logical = type->logical_known ? type->logical_bytes : 0;
        struct footprint_type row = {
            .shape = strtab_id(strings, type->shape),
            .dtype = strtab_id(strings, type->storage.len ? type->storage : type->dtype),
            .layout = strtab_id(strings, slice_of(layout, layout_len)),
            .grid = strtab_id(strings, slice_equal(type->grid, SLICE("1x1")) ? SLICE("") : type->grid),
            .pool = pool_of(type),
            .logical_bytes = logical,
            .padded_bytes = tensor_stored_bytes(type, &run->geometry),
            .per_bank_bytes = tensor_per_bank_bytes(type, &run->geometry),
        };
        vec_push(&m->f->types, row);
    }
}

/* The name of the outermost program: nested ones belong to it. */
static uint32_t program_name(struct making *m, const struct step *step) {
    return step->execution == NONE ? 0 : text_of(m, m->run->executions.items[step->execution].name);
}

static uint32_t kind_of(struct making *m, const struct step *step) {
    const struct run *run = m->run;
    uint32_t program = program_name(m, step);
    bool added;
    uint64_t key = (uint64_t)(step->op == NONE ? step->op_type : step->op) << 32 | program;
    uint32_t *known = map_at(&m->op_kinds, (struct hash128){hash_mix(step->op == NONE, key), key}, &added);
    if (!added) return *known;
    struct footprint_kind kind = {.program = program, .type = NONE};
    if (step->op == NONE) {
        kind.name = text_of(m, step->op_type);
    } else {
        const struct op *op = &run->ops.items[step->op];
        kind.name = text_of(m, op->name);
        kind.location = text_of(m, op->display);
        if (op->result_count) kind.type = run->refs.items[op->first_ref + op->operand_count].type;
    }
    return *known = footprint_kind(m->f, &m->kinds, &kind);
}

static void count_records(struct making *m) {
    const struct run *run = m->run;
    uint32_t *count = mem_zalloc(run->ranks.len + 1, sizeof *count);
    m->ordinals = mem_alloc(sizeof *m->ordinals * (run->steps.len + 1));
    for (size_t i = 0; i < run->steps.len; i++) {
        m->ordinals[i] = count[run->steps.items[i].rank];
        if (run->steps.items[i].record != NONE) count[run->steps.items[i].rank]++;
    }
    free(count);
}

/* Ops of the tensor's rank between the one that made it and the step that freed it. */
static uint32_t held_ops(const struct making *m, const struct tensor *tensor) {
    uint32_t at = tensor->gone - 1;
    while (at > tensor->producer && m->run->steps.items[at].rank != tensor->rank) at--;
    return m->ordinals[at] - m->ordinals[tensor->producer];
}

static void make_ops(struct making *m) {
    const struct run *run = m->run;
    struct footprint *f = m->f;
    uint32_t *reached[FOOTPRINT_REACHED] = {records_reached(run, POOL_DRAM), records_reached(run, POOL_L1)};
    vec_reserve(&f->ops, run->records.len);
    for (size_t i = 0; i < run->records.len; i++) {
        const struct step *step = &run->steps.items[run->records.items[i]];
        struct footprint_op op = {.kind = kind_of(m, step),
                                  .held = NONE,
                                  .line = step->line < UINT32_MAX ? (uint32_t)step->line : 0,
                                  .rank = step->rank};
        for (unsigned pool = 0; pool < FOOTPRINT_REACHED; pool++)
            op.reached[pool] = f->pools[pool].seen ? reached[pool][i] : NONE;
        vec_push(&f->ops, op);
    }
    for (unsigned pool = 0; pool < FOOTPRINT_REACHED; pool++) free(reached[pool]);
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (tensor->producer == NONE || tensor->argument || tensor->gone == NONE || tensor->gone <= tensor->producer) continue;
        uint32_t record = run->steps.items[tensor->producer].record;
        if (record != NONE) f->ops.items[record].held = held_ops(m, tensor);
    }
    f->has_ops = true;
    f->op_count = f->ops.len;
    f->has_lifetimes = run->deallocates > 0;
}

static struct footprint_share share_of(const struct peaks *peaks, unsigned pool) {
    const struct peak *tightest = &peaks->tightest[pool], *peak = &peaks->pools[pool];
    bool other = tightest->seen && peak->total && (tightest->total != peak->total || tightest->rank != peak->rank);
    return (struct footprint_share){.seen = other,
                                    .at_least = tightest->at_least,
                                    .source = tightest->source,
                                    .peak = tightest->allocated,
                                    .total = tightest->total,
                                    .op = tightest->after_record,
                                    .rank = tightest->rank};
}

static struct footprint_share share_of_state(const struct fragmentation *f, const struct free_state *state, uint32_t value) {
    return (struct footprint_share){
        .seen = f->seen, .peak = value, .total = state->total, .op = state->after_record, .rank = state->rank};
}

static int16_t largest_rest(const struct run *run, const struct free_state *state, unsigned pool) {
    return block_rest(run, &run->blocks.items[state->block])->largest[pool];
}

/* A gap below a thousandth of a MB does not count. */
static int16_t gap_rest(const struct run *run, const struct free_state *state, unsigned pool) {
    const struct block *block = &run->blocks.items[state->block];
    if (!run->rests.len || !free_gap(state)) return 0;
    int64_t gap = block_free_bytes(run, block, pool) - block_largest_bytes(run, block, pool);
    return bytes_rest((uint64_t)(gap > 0 ? gap : 0), free_gap(state));
}

/* By how much each tensor can be larger than is known; the caller frees it. NULL: that is not known. */
static uint64_t *find_slacks(const struct run *run) {
    uint64_t *slacks = mem_zalloc(run->tensors.len + 1, sizeof *slacks);
    size_t next = 0;
    for (size_t i = 0; i < run->tensors.len; i++) {
        if (!run->tensors.items[i].bounded) continue;
        if (next < run->inspector->slacks.len) slacks[i] = run->inspector->slacks.items[next];
        next++;
    }
    if (next == run->inspector->slacks.len) return slacks;
    free(slacks);
    return NULL;
}

/* The least that is free outside the largest block if the buffer below each hole is as large as it can be: smaller holes are
 * less outside the largest one. */
static uint64_t least_gap(const struct run *run, const struct free_state *state, enum pool pool) {
    struct holes holes;
    uint64_t sum = 0, largest = 0, *slacks = find_slacks(run);
    if (!slacks || !holes_at(run, run->blocks.items[state->block].step, pool, &holes)) {
        free(slacks);
        return 0;
    }
    for (size_t i = 0; i < holes.list.len; i++) {
        const struct hole *hole = &holes.list.items[i];
        uint64_t slack = hole->below == NONE ? 0 : slacks[hole->below], bytes = hole->bytes > slack ? hole->bytes - slack : 0;
        sum += bytes;
        if (bytes > largest) largest = bytes;
    }
    holes_release(&holes);
    free(slacks);
    return sum - largest;
}

static void make_pools(struct making *m, const struct overview *o) {
    struct fragmentation fragmentation[POOL_COUNT];
    if (m->pass) fragmentation_between(m->run, m->pass->rank, m->pass->first_step, m->pass->end_step, fragmentation);
    else fragmentation_find(m->run, fragmentation);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        const struct peak *peak = &o->peaks.pools[pool];
        const struct fragmentation *free = &fragmentation[pool];
        const struct inspector_facts *facts = m->run->inspector;
        if (!peak->seen) continue;
        bool sparse = m->run->origin == RUN_LOG && !o->memory_per_op;
        m->f->pools[pool] =
            (struct footprint_pool){.seen = true,
                                    .sparse = sparse || peak->gaps || peak->at_submits ||
                                              (peak->at_least && !peak->of_bounds && !peak->early && !peak->unread &&
                                               !peak->unspread && !peak->of_thread && peak->source == PEAK_MEASURED),
                                    .gaps = peak->gaps && !sparse,
                                    .submits = peak->at_submits,
                                    .early = peak->early,
                                    .unread = peak->unread,
                                    .unspread = peak->unspread,
                                    .of_thread = peak->of_thread,
                                    .source = peak->source,
                                    .banks = peak->banks,
                                    .total = peak->total,
                                    .peak = peak->allocated,
                                    .peak_bytes = peak->bytes,
                                    .total_rest = peak->rest,
                                    .largest_free_rest = free->seen ? largest_rest(m->run, &free->tightest, pool) : 0,
                                    .gap_rest = free->seen ? gap_rest(m->run, &free->worst, pool) : 0,
                                    .of_meshes = peak->of_meshes,
                                    .after_op = peak->after_record,
                                    .before_op = peak->before_record,
                                    .rank = peak->rank,
                                    .line = peak->line < UINT32_MAX ? (uint32_t)peak->line : 0,
                                    .free_seen = free->seen,
                                    .largest_free = free->tightest.largest,
                                    .largest_free_op = free->seen ? free->tightest.after_record : NONE,
                                    .gap = free->seen ? free_gap(&free->worst) : 0,
                                    .gap_op = free->seen ? free->worst.after_record : NONE,
                                    .free_rank = free->seen ? free->tightest.rank : NONE,
                                    .gap_rank = free->seen ? free->worst.rank : NONE,
                                    .free_share = share_of_state(free, &free->tightest_share, free->tightest_share.largest),
                                    .gap_share = share_of_state(free, &free->worst_share, free_gap(&free->worst_share)),
                                    .tightest = share_of(&o->peaks, pool),
                                    .any_bound = o->peaks.any_bound[pool],
                                    .per_core = pool == POOL_L1 && m->run->warnings[WARN_PER_CORE_L1],
                                    .bounded = facts && facts->bounded_in[pool],
                                    .most_peak = facts && !m->pass ? facts->most_peak[pool] : 0,
                                    .most_slack = facts && !m->pass ? facts->most_slack[pool] : 0,
                                    .no_classes = m->run->origin == RUN_INSPECTOR};
        struct footprint_pool *made = &m->f->pools[pool];
        if (made->bounded && made->free_seen && made->gap && !m->pass)
            made->least_gap = least_gap(m->run, &free->worst, (enum pool)pool);
    }
}

static uint32_t argument_label(struct making *m, const struct tensor *tensor) {
    struct slice name = tensor_name(m->run, tensor);
    if (name.len || tensor->class != TENSOR_ARGUMENT) return strtab_id(&m->f->strings, name);
    char text[NUM_ROOM] = "%arg";
    return strtab_id(&m->f->strings, slice_of(text, 4 + num_write_u64(text + 4, tensor->argument)));
}

static void make_passes(struct making *m) {
    const struct run *run = m->run;
    struct footprint *f = m->f;
    struct map known = {0};
    for (size_t i = 0; i < m->leaks.left.series.len; i++) {
        const struct pass_series *s = &m->leaks.left.series.items[i];
        uint32_t name = text_of(m, run->programs.items[s->program].name);
        vec_push(&f->programs, ((struct footprint_program){name, s->passes, s->first, s->second, s->last, s->slope, s->rank}));
    }
    f->has_leaks = m->leaks.left.known && f->has_lifetimes;
    for (size_t i = 0; i < m->leaks.left.candidates.len; i++) {
        const struct leak_candidate *candidate = &m->leaks.left.candidates.items[i];
        const struct tensor *tensor = &run->tensors.items[candidate->tensor];
        if (candidate->leaks)
            footprint_leak(f, &known, kind_of(m, &run->steps.items[tensor->producer]), tensor->rank, candidate->per_bank_bytes);
    }
    footprint_sort_leaks(f);
    map_release(&known);
}

/* What an op leaves beside its results is distinguished by its class. */
static uint16_t result_of(enum live_class class, uint32_t argument) {
    return (uint16_t)(computed_has(class) ? 0xff00u + class : argument);
}

/* In a prediction, an argument of a later program is copied in after an op that did not make it. */
static bool is_made_by_op(const struct run *run, const struct tensor *tensor) {
    return tensor->producer != NONE && (run->origin != RUN_PREDICTED || !tensor_name(run, tensor).len);
}

struct footprint_tensor footprint_tensor_row(struct making *m, const struct tensor *tensor, enum pool pool) {
    const struct run *run = m->run;
    const struct step *made = is_made_by_op(run, tensor) ? &run->steps.items[tensor->producer] : NULL;
    uint32_t execution = tensor->execution;
    return (struct footprint_tensor){.op = made ? made->record : NONE,
                                     .kind = made ? kind_of(m, made) : NONE,
                                     .name = argument_label(m, tensor),
                                     .program = execution == NONE ? 0 : text_of(m, run->executions.items[execution].name),
                                     .type = tensor->type,
                                     .result = made ? result_of(tensor_live_class(run, tensor), tensor->argument) : (uint16_t)0,
                                     .class = (uint8_t)tensor_live_class(run, tensor),
                                     .pool = (uint8_t)pool};
}

/* It has no elements, so padding does not count it. */
static void computed_row(struct making *m, const struct computed_part *part) {
    const struct step *made = &m->run->steps.items[part->step];
    char bytes[NUM_ROOM];
    struct footprint_type type = {.shape = strtab_id(&m->f->strings, slice_of(bytes, num_write_u64(bytes, part->bytes))),
                                  .dtype = strtab_id(&m->f->strings, SLICE("bytes")),
                                  .pool = POOL_DRAM,
                                  .per_bank_bytes = part->bytes};
    vec_push(&m->f->types, type);
    struct footprint_tensor row = {.op = made->record,
                                   .kind = kind_of(m, made),
                                   .program = program_name(m, made),
                                   .type = (uint32_t)m->f->types.len - 1,
                                   .result = result_of((enum live_class)part->class, 0),
                                   .class = part->class,
                                   .pool = POOL_DRAM};
    vec_push(&m->f->tensors, row);
}

/* Memory in no tensor (computed.h), as far as there is room: maps, whose size is exact, before the others. */
static void add_computed(struct making *m, uint32_t step, int64_t room) {
    uint16_t rank = m->run->steps.items[step].rank;
    struct computed computed;
    room -= (int64_t)computed_before_ops(m->run, rank, step);
    if (room <= 0) return;
    computed_find(m->run, step, rank, &computed);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < computed.parts.len; i++) {
            const struct computed_part *part = &computed.parts.items[i];
            if (computed_is_estimate((enum live_class)part->class) != (round == 1) || (int64_t)part->bytes > room) continue;
            if (part->gone <= step) continue;
            room -= (int64_t)part->bytes;
            computed_row(m, part);
        }
    }
    computed_release(&computed);
}

struct sized_row {
    uint64_t bytes;
    size_t order;
    struct footprint_tensor row;
};

static int larger_row_first(const void *a, const void *b) {
    const struct sized_row *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_rows(struct footprint *f, size_t first) {
    size_t count = f->tensors.len - first;
    struct sized_row *rows = mem_alloc((count + 1) * sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        const struct footprint_tensor *t = &f->tensors.items[first + i];
        rows[i] = (struct sized_row){f->types.items[t->type].per_bank_bytes, i, *t};
    }
    qsort(rows, count, sizeof *rows, larger_row_first);
    for (size_t i = 0; i < count; i++) f->tensors.items[first + i] = rows[i].row;
    free(rows);
}

/* Logs do not show when the host releases the results of an earlier pass: a pass is not charged with them. */
static bool may_be_gone(const struct making *m, const struct tensor *tensor, uint32_t step) {
    return m->pass && !m->run->addresses.len && tensor->returned && tensor->execution != m->pass->execution &&
           tensor->gone > step; /* otherwise it is known to have stayed, by what passes leave allocated */
}

static void make_tensors(struct making *m, const struct overview *o, enum pool pool) {
    const struct run *run = m->run;
    uint32_t step = o->peaks.pools[pool].step;
    if (!o->peaks.pools[pool].seen || step == NONE) return;
    struct live_set set;
    live_at(run, step, pool, &set);
    size_t first = m->f->tensors.len;
    live_add_left(run, &m->leaks, step, pool, o->peaks.pools[pool].allocated, &set);
    int64_t room = num_milli_mb_to_bytes(live_unattributed(&set, o->peaks.pools[pool].allocated) + 1);
    for (size_t i = 0; i < set.tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[set.tensors.items[i]];
        if (!may_be_gone(m, tensor, step)) vec_push(&m->f->tensors, footprint_tensor_row(m, tensor, pool));
    }
    m->f->pools[pool].shapeless = run->origin == RUN_INSPECTOR && set.sum.unshaped;
    size_t told = m->f->tensors.len;
    if (pool == POOL_DRAM && !set.sum.bank_unknown && step < run->steps.len) add_computed(m, step, room);
    if (m->f->tensors.len > told) sort_rows(m->f, first);
    live_release(&set);
}

/* What the failed request would have brought the pool to. Not kept in a history. */
static void note_need(struct footprint *f, const struct explanation *e) {
    const struct failure *failure = &e->entry->failure;
    bool told = failure_knows(failure, FAILURE_ALLOCATED) && failure_knows(failure, FAILURE_PER_BANK);
    if (failure->kind != FAILURE_OOM || failure->pool != FAILURE_DRAM || !told || e->outcome.kind == OUTCOME_CAUGHT) return;
    uint64_t need;
    if (!num_add(failure->number[FAILURE_ALLOCATED], failure->number[FAILURE_PER_BANK], &need) || need > INT64_MAX) return;
    f->pools[POOL_DRAM].need = need;
    bool bank = failure_knows(failure, FAILURE_BANK) && failure->number[FAILURE_BANK] < INT32_MAX * 1000ull;
    f->pools[POOL_DRAM].need_total = bank ? (uint32_t)num_bytes_to_milli_mb(failure->number[FAILURE_BANK]) : 0;
    f->pools[POOL_DRAM].need_op = e->context.has_index ? (uint32_t)e->context.op_index : NONE;
}

/* A failure without an op belongs to the pass that was running when its line was printed. */
static bool is_of_pass(const struct making *m, const struct explanation *e) {
    const struct run_pass *pass = m->pass;
    if (!pass) return true;
    if (!e->context.has_index) return e->entry->line >= pass->first_line && e->entry->line < pass->end_line;
    uint64_t op = e->context.op_index;
    return op >= pass->first_record && op < pass->end_record && m->f->ops.items[op].rank == pass->rank;
}

static void make_failures(struct making *m, const struct overview *o) {
    for (size_t i = 0; i < o->failures.failures.len; i++) {
        const struct explanation *e = &o->failures.failures.items[i];
        uint64_t line = e->entry->line;
        if (!is_of_pass(m, e)) continue;
        struct footprint_failure row = {.title = strtab_id(&m->f->strings, slice_from(verdict_name(e->verdict.kind))),
                                        .op = e->context.has_index ? (uint32_t)e->context.op_index : NONE,
                                        .rank = strtab_id(&m->f->strings, e->context.rank),
                                        .line = line < UINT32_MAX ? (uint32_t)line : 0,
                                        .outcome = e->outcome.kind};
        vec_push(&m->f->failures, row);
        note_need(m->f, e);
    }
}

static void make_program(struct making *m) {
    struct footprint *f = m->f;
    const struct program_facts *l1 = &m->run->l1;
    f->l1_program_op = NONE;
    f->has_l1_program = l1->told;
    f->l1_program_bytes = l1->most_bytes;
    if (!l1->most_bytes) return;
    for (uint32_t i = l1->step; i != NONE && f->l1_program_op == NONE; i = i ? i - 1 : NONE)
        if (m->run->steps.items[i].rank == m->run->steps.items[l1->step].rank) f->l1_program_op = m->run->steps.items[i].record;
}

static void make_host(struct making *m, const struct host_use *use) {
    struct footprint *f = m->f;
    f->host_peak_op = NONE;
    if (!m->run->host || !use->known) return;
    /* if the kernel kills a run, its log ends without a message */
    bool told = false;
    for (size_t i = 0; i < m->run->failures.entries.len; i++)
        told |= m->run->failures.entries.items[i].failure.kind == FAILURE_HOST_KILLED;
    if (use->killed_by_kernel && !told && !m->pass)
        vec_push(&f->failures, ((struct footprint_failure){
                                   .title = strtab_id(&f->strings, SLICE("killed by the Linux kernel: out of host memory")),
                                   .op = NONE,
                                   .outcome = OUTCOME_ENDED}));
    const struct host_process_use *top = &use->processes.items[0];
    f->host[FOOTPRINT_HOST_PEAK] = (struct footprint_host_figure){.known = true, .bytes = (int64_t)top->peak_bytes};
    f->host[FOOTPRINT_HOST_END] = (struct footprint_host_figure){.known = true, .bytes = (int64_t)use->end_bytes};
    /* if the bounds include 0, nothing grows */
    if (use->growth.known)
        f->host[FOOTPRINT_HOST_GROWTH] = (struct footprint_host_figure){true, use->growth.rises ? use->growth.per_step : 0,
                                                                        true, use->growth.low, use->growth.high};
    if (use->hugepages_bytes != HOST_UNKNOWN)
        f->host[FOOTPRINT_HOST_HUGEPAGES] =
            (struct footprint_host_figure){.known = true, .bytes = (int64_t)use->hugepages_bytes};
    for (uint32_t i = top->peak_step; i != NONE && f->host_peak_op == NONE; i = i ? i - 1 : NONE)
        f->host_peak_op = m->run->steps.items[i].record;
}

static void make(const struct run *run, const struct overview *overview, const struct run_pass *pass, struct slice name,
                 struct footprint *out);

void footprint_of_rank(const struct run *run, const struct overview *overview, uint16_t rank, struct footprint *out) {
    struct overview own = *overview;
    own.peaks = overview->by_rank[rank];
    footprint_of_run(run, &own, run_string(run, run->ranks.items[rank].name), out);
    out->only_rank = (uint32_t)rank + 1;
}

void footprint_of_run(const struct run *run, const struct overview *overview, struct slice name, struct footprint *out) {
    make(run, overview, NULL, name, out);
    uint64_t unread = run->warnings[WARN_RANK_UNREAD];
    if (unread)
        snprintf(out->unread, sizeof out->unread, "%llu of %llu ranks %s no log that can be read", (unsigned long long)unread,
                 (unsigned long long)(unread + run->ranks.len), unread == 1 ? "has" : "have");
}

/* Facts about the whole run are unknown for single passes. */
static void limit_to_pass(const struct run *run, const struct run_pass *pass, struct footprint *f) {
    f->program_runs = 0;
    f->main_runs = 1;
    for (size_t i = 0; i < run->executions.len; i++) f->program_runs += run->executions.items[i].top == pass->execution;
    f->op_count = 0;
    for (uint32_t i = pass->first_record; i < pass->end_record; i++) f->op_count += f->ops.items[i].rank == pass->rank;
    f->programs.len = f->leaks.len = f->rank_peaks.len = 0;
    f->has_leaks = false;
    for (unsigned i = 0; i < FOOTPRINT_HOST_COUNT; i++) f->host[i] = (struct footprint_host_figure){0};
    f->host_peak_op = NONE;
    f->ends_early &= !run->executions.items[pass->execution].finished;
    if (f->other_fatal_line < pass->first_line || f->other_fatal_line >= pass->end_line)
        f->other_fatal = f->other_fatal_line = 0;
}

void footprint_of_pass(const struct run *run, const struct overview *overview, const struct passes *passes, uint32_t number,
                       struct slice name, struct footprint *out) {
    const struct run_pass *pass = &passes->items.items[number - 1];
    struct overview own = *overview;
    struct peaks all, *by_rank = mem_zalloc(run->ranks.len + 1, sizeof *by_rank);
    peaks_between(run, pass->first_step, pass->end_step, &all, by_rank);
    own.peaks = by_rank[pass->rank];
    free(by_rank);
    make(run, &own, pass, name, out);
    limit_to_pass(run, pass, out);
    out->only_rank = (uint32_t)pass->rank + 1;
    out->pass = (struct footprint_pass){
        .number = number,
        .of = (uint32_t)passes->items.len,
        .program = strtab_id(&out->strings, run_string(run, run->executions.items[pass->execution].name)),
        .first_op = pass->first_record,
        .end_op = pass->end_record,
        .start = pass->start,
        .end = pass->end};
}

static void make(const struct run *run, const struct overview *overview, const struct run_pass *pass, struct slice name,
                 struct footprint *out) {
    *out = (struct footprint){0};
    struct making m = {.run = run, .f = out, .pass = pass};
    m.strings = mem_zalloc(run->strings.strings.len + 1, sizeof *m.strings);
    out->name = strtab_id(&out->strings, name);
    out->chip = strtab_id(&out->strings, run->chip ? slice_from(run->chip->title) : SLICE(""));
    for (size_t i = 0; i < run->ranks.len; i++) vec_push(&out->ranks, text_of(&m, run->ranks.items[i].name));
    count_records(&m);
    make_types(&m);
    footprint_rank_peaks(&m, overview);
    make_pools(&m, overview);
    make_ops(&m);
    out->program_runs = overview->program_runs;
    out->main_runs = overview->main_runs;
    leaks_find(run, &m.leaks);
    make_passes(&m);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) make_tensors(&m, overview, (enum pool)pool);
    footprint_rank_figures(&m, overview);
    make_failures(&m, overview);
    make_program(&m);
    make_host(&m, &overview->host);
    out->ends_early = log_cut_any(run);
    out->more_failures = run->failures.left_out > 0;
    out->failures_left_out = run->failures.left_out < INT32_MAX ? run->failures.left_out : INT32_MAX;
    out->no_messages = run->told_by_files & TOLD_NO_FAILURES;
    uint16_t rank;
    const struct failure_entry *fatal = run_other_fatal(run, &rank);
    if (fatal) {
        out->other_fatal = strtab_id(&out->strings, slice_from(fatal->failure.words));
        out->other_fatal_line = fatal->line < UINT32_MAX ? (uint32_t)fatal->line : 0;
    }
    out->partial = run->origin == RUN_PREDICTED && run->warnings[WARN_UNFINISHED_PROGRAM] && !overview->failures.failures.len;
    leaks_release(&m.leaks);
    map_release(&m.kinds);
    map_release(&m.op_kinds);
    free(m.ordinals);
    free(m.strings);
}
