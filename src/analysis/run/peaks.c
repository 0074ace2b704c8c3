/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/peaks.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/failure/cut.h"
#include "analysis/run/live_curve.h"
#include "analysis/run/live.h"
#include "base/num.h"
#include "model/buffer/block_bytes.h"

const char *const peak_source_names[PEAK_SOURCES] = {"measured", "tensors", "failure"};

const char *peak_source_of(const struct run *run, unsigned source) {
    return peak_source_word(source, run->origin == RUN_PREDICTED);
}

/* Of equal peaks that of the first rank stays: who printed first is chance. */
static bool is_higher(const struct peak *a, const struct peak *b) {
    if (!a->seen || !b->seen) return a->seen;
    return a->allocated != b->allocated ? a->allocated > b->allocated : a->bytes > b->bytes;
}

static bool is_tighter(const struct peak *a, const struct peak *b) {
    if (!a->seen || !a->total || !b->seen || !b->total) return a->seen && a->total;
    return (uint64_t)a->allocated * b->total > (uint64_t)b->allocated * a->total;
}

/* Position of a rank while its steps are walked. */
struct reached {
    uint32_t record; /* the last one, or NONE */
    uint32_t submit; /* the submit of the latest state, if no op is known in it; else 0 */
    bool before_submit, any;
    uint32_t submits;
};

/* Without op lines the ops of a submit show only by their blocks: a submit without any is a place of its own. */
static void reach(const struct run *run, struct reached *at, const struct step *step) {
    bool before = step->kind == STEP_BEFORE_SUBMIT;
    at->submits += before;
    if (before || step->kind == STEP_AFTER_SUBMIT) {
        bool alone = !run->op_lines && run->origin == RUN_LOG && at->any && (before || at->before_submit);
        at->submit = alone ? at->submits : 0;
        if (alone && !before) at->record = NONE;
        at->before_submit = before;
    }
    at->any |= step->block != NONE;
}

static void take(const struct run *run, struct peak *peak, const struct step *step, enum pool pool, const struct reached *at) {
    const struct block *block = &run->blocks.items[step->block];
    const struct pool_config *config = block_config(run, block, pool);
    *peak = (struct peak){.seen = true,
                          .allocated = block->allocated[pool],
                          .bytes = run->rests.len ? (uint64_t)block_allocated_bytes(run, block, pool) : 0,
                          .total = config->total,
                          .rest = config->rest,
                          .banks = config->banks,
                          .block = step->block,
                          .step = (uint32_t)(step - run->steps.items),
                          .after_record = at->record,
                          .submit = at->record == NONE ? at->submit : 0,
                          .before_submit = at->before_submit,
                          .before_record = step->record,
                          .rank = step->rank,
                          .line = block->line};
}

static void consider(const struct run *run, struct peak *peak, const struct step *step, enum pool pool,
                     const struct reached *at) {
    const struct block *block = &run->blocks.items[step->block];
    if (peak->seen && block->allocated[pool] < peak->allocated) return;
    if (peak->seen && block->allocated[pool] == peak->allocated &&
        (!run->rests.len || block_allocated_bytes(run, block, pool) <= (int64_t)peak->bytes))
        return;
    take(run, peak, step, pool, at);
}

static void consider_share(const struct run *run, struct peak *peak, const struct step *step, enum pool pool,
                           const struct reached *at) {
    const struct block *block = &run->blocks.items[step->block];
    uint32_t total = block_config(run, block, pool)->total;
    if (!total) return;
    if (peak->seen && (uint64_t)block->allocated[pool] * peak->total <= (uint64_t)peak->allocated * total) return;
    take(run, peak, step, pool, at);
}

/* Do banks of a pool differ in size, between ranks or run parts? */
static bool sizes_differ(const struct run *run, unsigned pool) {
    uint32_t total = 0;
    for (size_t i = 0; i < run->configs.len; i++) {
        if (run->configs.items[i].pool != pool || !run->configs.items[i].total) continue;
        if (total && run->configs.items[i].total != total) return true;
        total = run->configs.items[i].total;
    }
    return false;
}

static uint32_t record_from(const struct run *run, uint32_t step, uint16_t rank) {
    for (uint32_t i = step; i < run->steps.len; i++)
        if (run->steps.items[i].rank == rank && run->steps.items[i].record != NONE) return run->steps.items[i].record;
    return NONE;
}

/* A block before a deallocate, get_device or submit precedes the next record of that rank. */
static void find_before(const struct run *run, struct peak *peak) {
    if (!peak->seen || peak->before_record != NONE) return;
    peak->before_record = record_from(run, run->blocks.items[peak->block].step, peak->rank);
}

static uint32_t record_before(const struct run *run, uint32_t step, uint16_t rank) {
    for (uint32_t i = step; i-- > 0;)
        if (run->steps.items[i].rank == rank && run->steps.items[i].record != NONE) return run->steps.items[i].record;
    return NONE;
}

/* The steps to consider: [first, end). */
struct steps_of {
    uint32_t first, end;
};

/* How much of a rank was measured. */
struct measured {
    bool per_op;  /* before ops, not only around submits */
    uint8_t seen; /* bit i for pool i */
    uint8_t gaps; /* likewise: not before all of them; a log may be cut after its last op line */
    bool lost;    /* lines are missing */
    /* only while searching from the end */
    bool any_later;
    const struct step *submit; /* the block after a submit in which no step was met so far; or NULL */
};

static void set_bound(const struct run *run, struct peak *peak, enum peak_source source, uint64_t bytes, uint32_t step,
                      uint16_t rank, uint64_t line) {
    peak->seen = peak->at_least = true;
    peak->source = (uint8_t)source;
    peak->allocated = (uint32_t)num_bytes_to_milli_mb(bytes);
    peak->bytes = source == PEAK_FAILURE ? bytes : 0; /* sums are compared with printed figures, which are rounded */
    peak->block = NONE;
    peak->step = step;
    peak->rank = rank;
    peak->line = line;
    peak->before_record = record_from(run, step, rank);
    peak->after_record = step == NONE ? NONE : record_before(run, step, rank);
}

/* Replaces the measured value if it is higher. Size and number of banks stay, if known. */
static void raise(const struct run *run, struct peak *peak, enum peak_source source, uint64_t bytes, uint32_t step,
                  uint16_t rank, uint64_t line) {
    int64_t milli = num_bytes_to_milli_mb(bytes);
    if (milli > UINT32_MAX || (peak->seen && milli <= (int64_t)peak->allocated)) return;
    set_bound(run, peak, source, bytes, step, rank, line);
}

/* The same if it is a higher share of its bank. */
static void raise_share(const struct run *run, struct peak *peak, enum peak_source source, uint64_t bytes, uint32_t step,
                        uint16_t rank, uint64_t line, uint32_t total, uint32_t banks) {
    int64_t milli = num_bytes_to_milli_mb(bytes);
    if (milli <= 0 || milli > UINT32_MAX || !total) return;
    if (peak->seen && (uint64_t)milli * peak->total <= (uint64_t)peak->allocated * total) return;
    *peak = (struct peak){.total = total, .banks = banks};
    set_bound(run, peak, source, bytes, step, rank, line);
}

/* The size of the bank in a rank's last block before a step; or 0. */
static uint32_t size_before(const struct run *run, uint32_t step, uint16_t rank, enum pool pool) {
    for (uint32_t i = step == NONE ? 0 : step + 1; i-- > 0;) {
        const struct step *at = &run->steps.items[i];
        if (at->rank != rank || at->block == NONE) continue;
        const struct block *block = &run->blocks.items[at->block];
        if (block->have >> pool & 1) return block_config(run, block, pool)->total;
    }
    return 0;
}

/* The size of a pool that no block shows: the files of a report state it. */
static uint32_t told_size(const struct run *run, enum pool pool) {
    for (size_t i = 0; i < run->configs.len; i++)
        if (run->configs.items[i].pool == pool) return run->configs.items[i].total;
    return 0;
}

static void note_sizes(const struct run *run, const struct step *step, uint32_t (*size)[LIVE_POOLS]) {
    for (unsigned pool = 0; step->block != NONE && pool < LIVE_POOLS; pool++) {
        const struct block *block = &run->blocks.items[step->block];
        if (block->have >> pool & 1) size[step->rank][pool] = block_config(run, block, (enum pool)pool)->total;
    }
}

/* A program: what was measured before its submit, and the sum of its arguments and kept results as it starts. From there on
 * only its ops change what is allocated. */
struct submitted {
    bool measured, started;
    uint8_t have; /* bit i for pool i */
    uint32_t allocated[LIVE_POOLS];
    uint64_t sum[LIVE_POOLS];
};

static void follow_program(const struct run *run, const struct step *step, const struct live_point *points,
                           struct submitted *program) {
    if (step->kind == STEP_BEFORE_SUBMIT && step->block != NONE) {
        const struct block *block = &run->blocks.items[step->block];
        *program = (struct submitted){.measured = true, .have = block->have};
        for (unsigned pool = 0; pool < LIVE_POOLS; pool++) program->allocated[pool] = block->allocated[pool];
    } else if (step->kind == STEP_AFTER_SUBMIT || step->flags & STEP_AFTER_LOSS) {
        *program = (struct submitted){0};
    } else if (program->measured && !program->started) {
        program->started = true;
        for (unsigned pool = 0; pool < LIVE_POOLS; pool++) program->sum[pool] = points[pool].per_bank_bytes;
    }
}

/* A lower bound: the sum of the tensors, or what was measured plus what the program added since then. Printed figures are
 * rounded. */
static uint64_t least_there(const struct live_point *point, const struct submitted *program, unsigned pool) {
    enum { HALF_A_THOUSANDTH = 525 }; /* of a MB, in bytes */
    uint64_t sum = point->per_bank_bytes, measured = (uint64_t)num_milli_mb_to_bytes(program->allocated[pool]);
    if (!program->started || !(program->have >> pool & 1) || sum <= program->sum[pool] || measured < HALF_A_THOUSANDTH)
        return sum;
    uint64_t since = measured - HALF_A_THOUSANDTH + sum - program->sum[pool];
    return since > sum ? since : sum;
}

/* A lower bound for the state before a step, in the pools that are not measured there. */
static void consider_sum(const struct run *run, const struct live_point *points, const struct submitted *program, uint32_t step,
                         uint16_t rank, unsigned measured, const uint32_t *size, struct peaks *peaks) {
    uint64_t line = run->steps.items[step < run->steps.len ? step : step - 1].line;
    for (unsigned pool = 0; pool < LIVE_POOLS; pool++) {
        if (measured >> pool & 1) continue;
        const struct live_point *point = &points[pool];
        struct peak *peak = &peaks->pools[pool];
        if (point->bank_unknown && point->padded_bytes > peak->all_banks_bytes) {
            peak->all_banks_bytes = point->padded_bytes;
            peak->all_banks_step = step;
        }
        if (point->bank_unknown || !point->per_bank_bytes) continue;
        uint64_t least = least_there(point, program, pool);
        raise(run, peak, PEAK_TENSORS, least, step, rank, line);
        if (!peak->total) peak->total = told_size(run, (enum pool)pool);
        if (!peak->banks) peak->banks = pool == POOL_DRAM ? run->geometry.dram_banks : run->geometry.l1_banks;
        raise_share(run, &peaks->tightest[pool], PEAK_TENSORS, least, step, rank, line, size[pool] ? size[pool] : peak->total,
                    peak->banks);
    }
}

/* If memory is not measured before an op, the tensors in the op lines are a lower bound. Every step counts: before a
 * deallocate the operands of an op and its result exist together. */
static void consider_tensors(const struct run *run, struct steps_of part, struct peaks *ranks,
                             const struct measured *measured) {
    bool wanted = false;
    for (size_t i = 0; i < run->ranks.len; i++) wanted |= !measured[i].per_op || measured[i].gaps;
    struct live_walk walk;
    if (!wanted || !live_walk_begin_sure(&walk, run)) return;
    uint32_t(*size)[LIVE_POOLS] = mem_zalloc(run->ranks.len + 1, sizeof *size); /* of the bank, from the rank's last block */
    bool *lost = mem_zalloc(run->ranks.len + 1, sizeof *lost); /* lines are missing before it: a free may be among them */
    struct submitted *programs = mem_zalloc(run->ranks.len + 1, sizeof *programs);
    for (uint32_t step = 0; step < part.end; step++) {
        uint16_t rank = run->steps.items[step].rank;
        note_sizes(run, &run->steps.items[step], size);
        uint32_t block = run->steps.items[step].block;
        unsigned have = measured[rank].per_op && block != NONE ? run->blocks.items[block].have : 0;
        lost[rank] |= (run->steps.items[step].flags & STEP_AFTER_LOSS) != 0;
        const struct live_point *points = live_walk_to(&walk, step);
        follow_program(run, &run->steps.items[step], points, &programs[rank]);
        if (step >= part.first && !lost[rank])
            consider_sum(run, points, &programs[rank], step, rank, have, size[rank], &ranks[rank]);
    }
    if (part.end == run->steps.len && part.end && run->origin == RUN_LOG && !measured[0].per_op && !lost[0])
        consider_sum(run, live_walk_to(&walk, part.end), &programs[0], part.end, 0, 0, size[0], &ranks[0]);
    free(programs);
    free(lost);
    free(size);
    live_walk_end(&walk);
}

uint32_t failing_step(const struct run *run, const struct failure_site *site, uint64_t line) {
    if (site->step != NONE || run->op_lines) return site->step;
    for (size_t i = run->steps.len; i-- > 0;) {
        const struct step *step = &run->steps.items[i];
        if (step->rank == site->rank && step->line < line) return step->record != NONE ? (uint32_t)i : NONE;
    }
    return NONE;
}

static void consider_failures(const struct run *run, struct steps_of part, struct peaks *ranks) {
    static const enum pool pools[] = {
        [FAILURE_DRAM] = POOL_DRAM, [FAILURE_L1] = POOL_L1, [FAILURE_L1_SMALL] = POOL_L1_SMALL, [FAILURE_TRACE] = POOL_TRACE};
    for (size_t i = 0; i < run->failures.entries.len && i < run->failure_sites.len; i++) {
        const struct failure *f = &run->failures.entries.items[i].failure;
        const struct failure_site *site = &run->failure_sites.items[i];
        bool known = failure_knows(f, FAILURE_ALLOCATED) && f->pool >= FAILURE_DRAM && f->pool <= FAILURE_TRACE;
        uint32_t step = failing_step(run, site, run->failures.entries.items[i].line);
        bool inside = step == NONE ? part.first == 0 && part.end == run->steps.len : step >= part.first && step < part.end;
        if (!known || f->kind != FAILURE_OOM || !inside) continue;
        struct peak *peak = &ranks[site->rank].pools[pools[f->pool]];
        raise(run, peak, PEAK_FAILURE, f->number[FAILURE_ALLOCATED], step, site->rank, run->failures.entries.items[i].line);
        if (!peak->banks && failure_knows(f, FAILURE_BANKS)) peak->banks = (uint32_t)f->number[FAILURE_BANKS];
        if (!peak->total && failure_knows(f, FAILURE_BANK))
            peak->total = (uint32_t)num_bytes_to_milli_mb(f->number[FAILURE_BANK]);
        uint32_t total = size_before(run, step, site->rank, pools[f->pool]);
        raise_share(run, &ranks[site->rank].tightest[pools[f->pool]], PEAK_FAILURE, f->number[FAILURE_ALLOCATED], step,
                    site->rank, run->failures.entries.items[i].line, total ? total : peak->total, peak->banks);
    }
}

/* A submit with nothing between its two blocks: without op lines its ops were not measured; with them, memory that changed
 * shows that something is missing. */
static bool is_unmeasured_submit(const struct run *run, const struct step *before, const struct step *after) {
    if (!run->op_lines || before->block == NONE || after->block == NONE) return !run->op_lines;
    const struct block *a = &run->blocks.items[before->block], *b = &run->blocks.items[after->block];
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (a->have & b->have & 1u << pool && a->allocated[pool] != b->allocated[pool]) return true;
    return false;
}

/* A deallocate counts as well: only the block before it shows an operand and a result together. */
static void find_measured(const struct run *run, struct measured *ranks) {
    enum { ALL_POOLS = (1 << POOL_COUNT) - 1 };
    for (size_t i = run->steps.len; i-- > 0;) {
        const struct step *step = &run->steps.items[i];
        struct measured *rank = &ranks[step->rank];
        unsigned have = step->block == NONE ? 0 : run->blocks.items[step->block].have;
        rank->per_op |= have && block_is_of_op(run, &run->blocks.items[step->block]);
        rank->seen |= (uint8_t)have;
        if (rank->any_later) rank->gaps |= (uint8_t)(ALL_POOLS & ~have);
        if (step->kind == STEP_BEFORE_SUBMIT && rank->submit && is_unmeasured_submit(run, step, rank->submit))
            rank->gaps = ALL_POOLS;
        rank->submit = step->kind == STEP_AFTER_SUBMIT ? step : NULL;
        rank->any_later = true;
        rank->lost |= (step->flags & STEP_AFTER_LOSS) != 0;
    }
    /* frees in the files of a report have no blocks; its warnings say whether those of the log had */
    bool whole = run->told_by_files && !run->warnings[WARN_OP_WITHOUT_BLOCK];
    /* messages that a logger dropped may be from any rank, and a report's files do not say whose lines are missing */
    bool dropped = run->warnings[WARN_DROPPED] || (run->told_by_files && run->warnings[WARN_LOST_LINES]);
    for (size_t i = 0; i < run->ranks.len; i++) {
        ranks[i].lost |= dropped;
        ranks[i].gaps = ranks[i].lost ? ranks[i].seen : whole ? 0 : ranks[i].gaps & ranks[i].seen;
    }
}

/* Which ranks end in the middle of something, if the steps considered are their last ones; the caller frees it. */
static bool *find_cut(const struct run *run, struct steps_of part) {
    bool *cut = mem_zalloc(run->ranks.len + 1, sizeof *cut);
    log_cut_ranks(run, cut);
    for (size_t i = part.end; i < run->steps.len; i++) cut[run->steps.items[i].rank] = false;
    return cut;
}

/* The module of a prediction is incomplete; if memory runs out, anything later is not requested. */
static bool lacks_parts(const struct run *run) {
    return run->origin == RUN_PREDICTED && run->warnings[WARN_UNFINISHED_PROGRAM] && !run->failures.entries.len;
}

/* Some buffers have only a lower bound, and at their upper bound the peak is higher. */
static bool may_be_higher(const struct run *run, const struct peak *peak, enum pool pool) {
    const struct inspector_facts *facts = run->inspector;
    return facts && facts->bounded_in[pool] && num_bytes_to_milli_mb(facts->most_peak[pool]) > peak->allocated;
}

/* Blocks are in thousandths of a MB, as logs print them. From Inspector every buffer is known to the byte: the highest sum
 * as they came and went. */
static void set_exact(const struct run *run, struct peaks *peaks, enum pool pool) {
    struct peak *peak = &peaks->pools[pool];
    uint64_t sum = 0, most = 0;
    if (!run->inspector || !peak->seen || peak->source != PEAK_MEASURED) return;
    for (size_t i = 0; i < run->moves.len; i++) {
        const struct tensor *tensor = &run->tensors.items[run->moves.items[i] / 2];
        if (tensor->rank != peak->rank || !tensor_in_pool(run, tensor, pool)) continue;
        uint64_t bytes = tensor_sum(run, tensor).per_bank_bytes;
        sum = run->moves.items[i] & 1 ? sum - bytes : sum + bytes;
        if (sum > most) most = sum;
    }
    if (num_bytes_to_milli_mb(most) == peak->allocated) peak->bytes = most;
}

void peaks_find(const struct run *run, struct peaks *all, struct peaks *by_rank) {
    peaks_between(run, 0, (uint32_t)run->steps.len, all, by_rank);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) set_exact(run, all, (enum pool)pool);
    for (unsigned pool = 0; run->warnings[WARN_RANK_UNREAD] && pool < POOL_COUNT; pool++)
        if (all->pools[pool].seen) all->pools[pool].of_others = all->pools[pool].at_least = true;
}

void peaks_between(const struct run *run, uint32_t first, uint32_t end, struct peaks *all, struct peaks *by_rank) {
    struct steps_of part = {first, end};
    struct reached *reached = mem_zalloc(run->ranks.len + 1, sizeof *reached);
    struct peaks *ranks = mem_zalloc(run->ranks.len + 1, sizeof *ranks);
    bool differ[POOL_COUNT];
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) differ[pool] = sizes_differ(run, pool);
    for (size_t i = 0; i < run->ranks.len; i++) reached[i].record = NONE;
    for (size_t i = first; i < end; i++) {
        const struct step *step = &run->steps.items[i];
        struct reached *at = &reached[step->rank];
        reach(run, at, step);
        for (unsigned pool = 0; step->block != NONE && pool < POOL_COUNT; pool++) {
            if (!(run->blocks.items[step->block].have & 1u << pool)) continue;
            if (differ[pool]) consider_share(run, &ranks[step->rank].tightest[pool], step, (enum pool)pool, at);
            if (run->blocks.items[step->block].allocated[pool] < ranks[step->rank].pools[pool].allocated) continue;
            consider(run, &ranks[step->rank].pools[pool], step, (enum pool)pool, at);
        }
        if (step->record != NONE) at->record = step->record;
    }
    struct measured *measured = mem_zalloc(run->ranks.len + 1, sizeof *measured);
    find_measured(run, measured);
    bool *cut = find_cut(run, part);
    for (size_t i = 0; i < run->ranks.len; i++)
        for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
            struct peak *peak = &ranks[i].pools[pool];
            find_before(run, peak);
            /* other inputs than logs record a state where they have one */
            bool is_log = peak->seen && run->origin == RUN_LOG;
            peak->at_submits = is_log && !measured[i].per_op;
            peak->gaps = is_log && measured[i].per_op && measured[i].gaps >> pool & 1;
            peak->lost = peak->gaps && measured[i].lost;
            peak->early = is_log && cut[i] ? EARLY_CUT : peak->seen && lacks_parts(run) ? EARLY_MODULE : EARLY_NOT;
            peak->at_least = peak->at_submits || peak->gaps || peak->early;
            peak->unmeasured = !(measured[i].seen >> pool & 1);
            peak->before_only = peak->seen && (run->told_by_files & TOLD_BEFORE_ONLY);
            peak->at_least |= peak->before_only;
            peak->unread = peak->seen && run->unread_pools >> pool & 1;
            peak->unspread = peak->seen && run->unspread_pools >> pool & 1;
            peak->of_thread = peak->seen && run->one_thread_pools >> pool & 1;
            peak->at_least |= peak->unread || peak->unspread || peak->of_thread;
            peak->of_meshes = peak->seen && run->inspector && run->inspector->meshes > 1;
            peak->of_bounds = peak->seen && !peak->at_least && !peak->of_meshes && may_be_higher(run, peak, (enum pool)pool);
            peak->at_least |= peak->of_meshes || peak->of_bounds;
            struct peak *tightest = &ranks[i].tightest[pool];
            if (!tightest->seen) continue;
            find_before(run, tightest);
            tightest->at_submits = peak->at_submits;
            tightest->gaps = peak->gaps;
            tightest->lost = peak->lost;
            tightest->early = peak->early;
            tightest->unmeasured = peak->unmeasured;
            tightest->before_only = peak->before_only;
            tightest->unread = peak->unread;
            tightest->unspread = peak->unspread;
            tightest->of_thread = peak->of_thread;
            tightest->of_meshes = peak->of_meshes;
            tightest->at_least = peak->at_least;
        }
    consider_tensors(run, part, ranks, measured);
    consider_failures(run, part, ranks);
    *all = (struct peaks){0};
    for (size_t i = 0; i < run->ranks.len; i++) {
        for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
            struct peak *peak = &ranks[i].pools[pool];
            uint64_t bytes = all->pools[pool].all_banks_bytes;
            uint32_t step = all->pools[pool].all_banks_step;
            if (!differ[pool]) ranks[i].tightest[pool] = *peak;
            if (is_tighter(&ranks[i].tightest[pool], &all->tightest[pool])) all->tightest[pool] = ranks[i].tightest[pool];
            ranks[i].any_bound[pool] = peak->seen && peak->at_least;
            all->any_bound[pool] |= ranks[i].any_bound[pool];
            if (is_higher(peak, &all->pools[pool])) all->pools[pool] = *peak;
            all->pools[pool].all_banks_bytes = bytes > peak->all_banks_bytes ? bytes : peak->all_banks_bytes;
            all->pools[pool].all_banks_step = bytes > peak->all_banks_bytes ? step : peak->all_banks_step;
        }
        if (by_rank) by_rank[i] = ranks[i];
    }
    free(cut);
    free(measured);
    free(ranks);
    free(reached);
}

const char *peak_place_words(const struct peak *peak, char room[PEAK_PLACE_ROOM]) {
    if (!peak->submit) return "from the start";
    snprintf(room, PEAK_PLACE_ROOM, "%s submit %u", peak->before_submit ? "before" : "after", peak->submit);
    return room;
}

const char peak_without_circular[] = "L1 leaves out circular buffers and what an op allocates inside";

const char *peak_source_word(unsigned source, bool predicted) {
    return predicted && source == PEAK_MEASURED ? "predicted" : peak_source_names[source];
}

bool peak_of_all_banks(const struct run *run, const struct peak *peak, struct peak *out) {
    if (peak->seen || !peak->all_banks_bytes) return false;
    *out = *peak;
    uint32_t step = peak->all_banks_step;
    uint16_t rank = run->steps.items[step < run->steps.len ? step : step - 1].rank;
    set_bound(run, out, PEAK_TENSORS, 0, step, rank, run->steps.items[step < run->steps.len ? step : step - 1].line);
    return true;
}

const char *early_end_words(unsigned early) {
    return early == EARLY_RANK     ? "the rank ends inside a program, or with a failure"
           : early == EARLY_MODULE ? "the module is cut, lacks parts, or has tensors of unknown size"
                                   : "the log ends in the middle of a run";
}

const char *peak_bound_words(const struct peak *peak) {
    static const char *const words[PEAK_SOURCES] = {
        [PEAK_MEASURED] = "memory is not measured at every op",
        [PEAK_TENSORS] = "from the sizes of its tensors, more than was measured",
        [PEAK_FAILURE] = "stated by the failure message",
    };
    if (peak->of_others) return "some ranks have no log that can be read";
    if (peak->unread) return "parts of the input could not be read";
    if (peak->unspread) return "the number of banks that buffers lie on is not known";
    if (peak->of_thread) return "tt-metal from 2026-05-27 on counts only one thread";
    if (peak->of_meshes) return "the sum over several meshes; what they hold at equal addresses counts once";
    if (peak->of_bounds) return "of some buffers the bytes per bank are lower bounds";
    if (peak->source == PEAK_MEASURED && peak->before_only) return "the files hold the memory before each op only";
    if (peak->source == PEAK_TENSORS && (!peak->total || peak->unmeasured))
        return "the sum of the known tensors, nothing was measured";
    if (peak->source == PEAK_MEASURED && peak->at_submits) return "memory is measured around submits only";
    if (peak->source == PEAK_MEASURED && peak->lost) return "lines of the log are missing";
    if (peak->source == PEAK_MEASURED && !peak->gaps && peak->early) return early_end_words(peak->early);
    return words[peak->source];
}
