/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/run_failures.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/failure/alive.h"
#include "analysis/failure/asked.h"
#include "analysis/failure/places.h"
#include "analysis/pass/leaks.h"
#include "analysis/rules/computed.h"
#include "base/num.h"
#include "model/buffer/block_bytes.h"

uint32_t run_failure_step(const struct run *run, size_t number) {
    return number < run->failure_sites.len ? run->failure_sites.items[number].step : NONE;
}

/* The op's first result on the device, in the usual notation. Its unpadded size says something about the request only if the
 * request is for that tensor: ops also allocate buffers of their own. */
static void describe_result(const struct run *run, const struct op *op, const struct failure *failure,
                            struct failure_context *out) {
    for (unsigned i = op->result_count; i-- > 0;) {
        const struct tensor_type *type = &run->types.items[run->refs.items[op->first_ref + op->operand_count + i].type];
        if (!tensor_on_device(type)) continue;
        out->shape = type->shape;
        out->layout = slice_from(memory_layout_name(type->memory_layout));
        bool asked_for = failure_knows(failure, FAILURE_REQUESTED) &&
                         failure->number[FAILURE_REQUESTED] == tensor_padded_bytes(type, &run->geometry);
        if (asked_for && type->logical_known) out->unpadded_bytes = type->logical_bytes;
        if (asked_for) out->bfp8_per_bank = alive_bfp8_per_bank(run, type);
    }
}

/* Do two messages on one line say the same? */
static bool says_same(const struct failure *a, const struct failure *b) {
    bool same = a->kind == b->kind && a->pool == b->pool && a->known == b->known && strcmp(a->core_range, b->core_range) == 0;
    for (unsigned n = 0; same && n < FAILURE_NUMBERS; n++) same = !failure_knows(a, n) || a->number[n] == b->number[n];
    return same;
}

/* Number of the failure at the line of an entry of another set over the same text, or SLICE_NONE. */
static size_t number_at(const struct failure_set *set, const struct failure_entry *entry, size_t likely) {
    if (likely < set->entries.len && set->entries.items[likely].line == entry->line &&
        says_same(&set->entries.items[likely].failure, &entry->failure))
        return likely;
    size_t low = 0, high = set->entries.len; /* entries are in line order, except for the last few */
    if (high > FAILURE_SET_MAX) high = FAILURE_SET_MAX;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->entries.items[middle].line < entry->line) low = middle + 1;
        else high = middle;
    }
    for (size_t i = low; i < set->entries.len && set->entries.items[i].line == entry->line; i++)
        if (says_same(&set->entries.items[i].failure, &entry->failure)) return i;
    for (size_t i = low; i < set->entries.len && set->entries.items[i].line == entry->line; i++)
        if (set->entries.items[i].failure.kind == entry->failure.kind) return i;
    for (size_t i = FAILURE_SET_MAX; i < set->entries.len; i++)
        if (set->entries.items[i].line == entry->line && set->entries.items[i].failure.kind == entry->failure.kind) return i;
    return SLICE_NONE;
}

/* Number of the site with the text around it, with SITE_NOTE for a note; NONE if the run did not meet it. */
static uint32_t site_number(const struct run *run, const struct failure_entry *entry, size_t own) {
    if (own != SLICE_NONE) return own < run->failure_sites.len ? (uint32_t)own : NONE;
    size_t note = failure_is_memory(&entry->failure) ? SLICE_NONE : number_at(&run->notes, entry, SLICE_NONE);
    return note != SLICE_NONE && note < run->note_sites.len ? (uint32_t)note | SITE_NOTE : NONE;
}

static const struct failure_site *site_of(const struct run *run, uint32_t number) {
    if (number == NONE) return NULL;
    return number & SITE_NOTE ? &run->note_sites.items[number & ~(uint32_t)SITE_NOTE] : &run->failure_sites.items[number];
}

static struct slice string_or_empty(const struct run *run, uint32_t id) { return id ? run_string(run, id) : slice_of("", 0); }

/* Phases that a message implies. */
static enum around_phase phase_of_kind(enum failure_kind kind) {
    static const enum around_phase phases[FAILURE_KINDS] = {
        [FAILURE_TRACE_REGION] = PHASE_TRACE_CAPTURE,
        [FAILURE_TRACE_OVERLAP] = PHASE_TRACE_CAPTURE,
        [FAILURE_KV_CACHE] = PHASE_KV_CACHE,
        [FAILURE_COMPILE_L1] = PHASE_COMPILE,
        [FAILURE_COMPILE_DRAM] = PHASE_COMPILE,
        [FAILURE_KERNEL_CONFIG] = PHASE_PROGRAM_COMPILE,
        [FAILURE_KERNEL_BINARY] = PHASE_PROGRAM_COMPILE,
        [FAILURE_RUNTIME_ARGS] = PHASE_PROGRAM_COMPILE,
        [FAILURE_SEMAPHORES] = PHASE_PROGRAM_COMPILE,
    };
    return phases[kind];
}

/* If nothing names an op: circular buffers and kernels are checked when a program is compiled. */
static bool is_checked_when_compiled(enum failure_kind kind) {
    return kind == FAILURE_CB_CLASH || kind == FAILURE_CB_BEYOND_L1 || kind == FAILURE_CB_RULE || kind == FAILURE_DFB_CLASH ||
           kind == FAILURE_DFB_BEYOND_L1 || kind == FAILURE_DFB_OP;
}

/* Ops that mean a phase, by their names in op lines and memory blocks. */
static enum around_phase phase_of_op(struct slice op) {
    static const struct {
        const char *words;
        enum around_phase phase;
    } ops[] = {{"load_cached", PHASE_WEIGHTS},
               {"LoadCachedOp", PHASE_WEIGHTS},
               {"capture_or_execute_trace", PHASE_TRACE_CAPTURE},
               {"CaptureOrExecuteTraceOp", PHASE_TRACE_CAPTURE},
               {"begin_trace_capture", PHASE_TRACE_CAPTURE},
               {"BeginTraceCaptureOp", PHASE_TRACE_CAPTURE}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (slice_find(op, slice_from(ops[i].words)) != SLICE_NONE) return ops[i].phase;
    return PHASE_NONE;
}

/* "ttnn.concat" and "concat" */
static bool is_same_op(struct slice a, struct slice b) {
    struct slice lead = SLICE("ttnn.");
    if (slice_starts(a, lead)) a = slice_skip(a, lead.len);
    if (slice_starts(b, lead)) b = slice_skip(b, lead.len);
    return slice_equal(a, b);
}

/* The op, if no op line names it: from the message itself, or from its context. */
static void describe_around(const struct run *run, const struct failure *f, const struct failure_site *site,
                            struct failure_context *out) {
    out->phase = site && site->phase ? (enum around_phase)site->phase : phase_of_kind(f->kind);
    if (!out->phase && f->pool == FAILURE_TRACE) out->phase = PHASE_TRACE_CAPTURE; /* nothing else is allocated there */
    if (!out->has_op) out->op = slice_from(f->op);
    if (!site) return;
    out->rank = run_string(run, run->ranks.items[site->rank].name);
    out->rank_index = run_rank_index(run, site->rank);
    /* next to op and memory lines a tag with a single value means nothing; without such lines it may be the only hint */
    const struct rank *rank = &run->ranks.items[site->rank];
    if (!out->rank.len && !rank->records && !rank->blocks) out->rank = string_or_empty(run, site->tag);
    if (!out->op.len) out->op = run_site_op(run, site);
    out->inner = string_or_empty(run, site->inner);
    if (is_same_op(out->inner, out->op)) out->inner.len = 0;
    out->test = string_or_empty(run, site->test);
    out->python = string_or_empty(run, site->python);
    if (!out->phase && out->has_op) out->phase = phase_of_op(out->op);
}

/* A deallocate allocates nothing: the failed op came after it and left no line. */
static void describe_op(const struct run *run, uint32_t number, const struct failure *failure, struct failure_context *out) {
    const struct step *step = &run->steps.items[number];
    if (step->record == NONE) return;
    out->has_op = true;
    out->op = step_name(run, step);
    out->has_index = true;
    out->op_index = step->record;
    describe_result(run, &run->ops.items[step->op], failure, out);
}

void run_describe_step(const struct run *run, uint32_t step, const struct failure *failure, struct failure_context *out) {
    describe_op(run, step, failure, out);
    alive_before(run, step, out);
}

/* In a log without op lines the memory block before a failure names the op that was about to run. A deallocate did not fail:
 * its rank went on to something that left no block. */
static void describe_block(const struct run *run, const struct failure_entry *entry, uint16_t rank,
                           struct failure_context *out) {
    for (size_t i = run->steps.len; i-- > 0;) {
        const struct step *step = &run->steps.items[i];
        if (step->rank != rank || step->line > entry->line) continue;
        if (step->kind != STEP_BLOCK || step->record == NONE) return;
        out->op = step_name(run, step);
        out->has_index = true;
        out->op_index = step->record;
        out->phase = phase_of_op(out->op);
        return;
    }
}

/* The pool whose tensors matter to a failure. */
static bool pool_concerned(const struct failure *f, enum pool *pool) {
    static const enum pool pools[] = {
        [FAILURE_DRAM] = POOL_DRAM, [FAILURE_L1] = POOL_L1, [FAILURE_L1_SMALL] = POOL_L1_SMALL, [FAILURE_TRACE] = POOL_TRACE};
    bool clash = f->kind == FAILURE_CB_CLASH || f->kind == FAILURE_DFB_CLASH;
    bool memory = f->kind == FAILURE_OOM || f->kind == FAILURE_OOM_ADDRESS;
    if (clash) *pool = POOL_L1;
    else if (memory && f->pool && f->pool != FAILURE_SYSTEM_MEMORY) *pool = pools[f->pool];
    return clash || (memory && f->pool && f->pool != FAILURE_SYSTEM_MEMORY);
}

static void find_live(const struct run *run, const struct leaks *leaks, uint32_t step, const struct failure *f,
                      struct failure_live *out) {
    if (!pool_concerned(f, &out->pool)) return;
    out->answer = !run->op_lines ? LIVE_NO_OPS : step == NONE ? LIVE_NO_OP_RUNNING : LIVE_KNOWN;
    if (out->answer != LIVE_KNOWN) return;
    live_at(run, step, out->pool, &out->set);
    uint32_t number = run->steps.items[step].block;
    const struct block *block = number == NONE ? NULL : &run->blocks.items[number];
    if (failure_knows(f, FAILURE_ALLOCATED)) {
        out->has_allocated = true;
        out->allocated_milli = num_bytes_to_milli_mb(f->number[FAILURE_ALLOCATED]);
        out->allocated_bytes = (int64_t)f->number[FAILURE_ALLOCATED];
    } else if (block && (block->have >> out->pool & 1)) {
        out->has_allocated = true;
        out->allocated_milli = block->allocated[out->pool];
        out->allocated_bytes = block_allocated_bytes(run, block, out->pool);
    }
    /* the message is about a moment inside the op, the block about the one before it */
    bool inside = failure_knows(f, FAILURE_ALLOCATED) && failure_knows(f, FAILURE_PER_BANK);
    uint64_t want = inside ? f->number[FAILURE_PER_BANK] : 0;
    if (!out->has_allocated) return;
    live_add_left(run, leaks, step, out->pool, out->allocated_milli, &out->set);
    live_compute(run, step, out->pool, out->allocated_milli, want, &out->set);
}

/* A status code, or a fatal error without its message, is reported only if no message says what happened on the device. */
static bool only_repeats(const struct failure_set *set, const struct failure *f) {
    bool bare = f->kind == FAILURE_XLA || failure_is_cut(f);
    for (size_t i = 0; bare && i < set->entries.len; i++) {
        const struct failure *other = &set->entries.items[i].failure;
        if (other->kind != FAILURE_XLA && failure_is_memory(other)) return true;
    }
    return false;
}

/* What ended the run comes first, then what may have, then what was caught; of equals the last one during an op. 0: leaves
 * the first where it is. */
static int weight_of(const struct explanation *e, bool met_op) {
    static const int weights[] = {[OUTCOME_UNKNOWN] = 2, [OUTCOME_ENDED] = 4, [OUTCOME_CAUGHT] = 0, [OUTCOME_TEST] = 4};
    if (!failure_is_memory(&e->entry->failure)) return 0;
    int weight = weights[e->outcome.kind] + met_op;
    return met_op || weight >= 4 ? weight : 0;
}

struct numbered_line {
    uint64_t line;
    size_t number;
};

static int by_line(const void *a, const void *b) {
    const struct numbered_line *x = a, *y = b;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : x->number < y->number ? -1 : x->number > y->number;
}

/* Numbers of entries in line order. Entries are already in that order, except the latest ones beyond the limit of the set. */
static struct numbered_line *in_order(const struct failure_set *set) {
    struct numbered_line *order = mem_zalloc(set->entries.len + 1, sizeof *order);
    for (size_t i = 0; i < set->entries.len; i++) order[i] = (struct numbered_line){set->entries.items[i].line, i};
    if (set->entries.len > FAILURE_SET_MAX) qsort(order, set->entries.len, sizeof *order, by_line);
    return order;
}

void run_explain_set(const struct run *run, const struct failure_set *set, struct explain *out) {
    *out = (struct explain){.left_out = set->left_out, .run = run, .cut = log_cut_of(run)};
    size_t looked_up = 0, described = 0, likely = 0;
    int heaviest = 0;
    struct failure_context common = {.rank_index = NONE, .chip = run->chip ? run->chip : run->logged_chip};
    common.product = run_product(run, &common.has_product);
    struct slice date = string_or_empty(run, run->created), change = SLICE("2026-06-22"); /* tt-metal abf1dd34b55 */
    common.trace_per_bank = date.len == change.len && memcmp(date.ptr, change.ptr, change.len) < 0;
    struct leaks leaks = {0};
    struct places places;
    places_init(&places, run);
    if (set->entries.len) alive_pools(run, &common);
    if (set->entries.len) leaks_find(run, &leaks);
    struct numbered_line *order = in_order(set);
    for (size_t k = 0; k < set->entries.len; k++) {
        const size_t i = order[k].number;
        const struct failure_entry *entry = &set->entries.items[i];
        if (only_repeats(set, &entry->failure)) continue;
        struct explanation *e = vec_add(&out->failures);
        *e = (struct explanation){.entry = entry, .line = entry->line, .count = entry->count, .context = common};
        const struct failure *f = &e->entry->failure;
        size_t own = set == &run->failures ? i : number_at(&run->failures, e->entry, likely);
        likely = own == SLICE_NONE ? likely : own + 1;
        e->number = own;
        uint32_t step = own == SLICE_NONE || f->maybe_other ? NONE : run_failure_step(run, own);
        if (step != NONE) run_describe_step(run, step, f, &e->context);
        e->site = site_number(run, e->entry, own);
        const struct failure_site *site = site_of(run, e->site);
        describe_around(run, f, site, &e->context);
        places_ranks(&places, e->site, &out->arena, &e->context);
        if (f->maybe_other)
            e->context.op.len = e->context.inner.len = 0, e->context.phase = PHASE_NONE; /* the running op or phase */
        if (!e->context.op.len && !e->context.phase && is_checked_when_compiled(f->kind))
            e->context.phase = PHASE_PROGRAM_COMPILE;
        bool by_block =
            site && !run->op_lines && !e->context.op.len && failure_is_memory(f) && !f->maybe_other && !e->context.phase;
        if (by_block && described++ < FAILURES_WITH_LIVE) describe_block(run, entry, site->rank, &e->context);
        e->outcome = failure_outcome(f, site);
        int weight = weight_of(e, step != NONE);
        if (weight > 0 && weight >= heaviest) out->decisive = out->failures.len - 1, heaviest = weight;
        if (step == NONE || looked_up++ < FAILURES_WITH_LIVE) find_live(run, &leaks, step, f, &e->live);
        else e->live.answer = LIVE_NOT_LOOKED_UP;
        if (e->live.answer == LIVE_KNOWN) e->context.alive = alive_sum(run, &e->live.set);
        verdict_judge(f, &e->context, &out->arena, &e->verdict);
    }
    free(order);
    places_release(&places);
    leaks_release(&leaks);
    explain_match_run(out, run);
}

const struct failure_entry *run_other_fatal(const struct run *run, uint16_t *rank) {
    for (size_t i = run->notes.entries.len < run->note_sites.len ? run->notes.entries.len : run->note_sites.len; i-- > 0;) {
        const struct failure_entry *entry = &run->notes.entries.items[i];
        const struct failure_site *site = &run->note_sites.items[i];
        if (entry->failure.kind != FAILURE_NOT_MEMORY || entry->failure.warning) continue;
        if (only_repeats(&run->failures, &entry->failure)) continue;
        if (failure_outcome(&entry->failure, site).kind != OUTCOME_ENDED) continue;
        *rank = site->rank;
        return entry;
    }
    return NULL;
}

void run_explain(const struct run *run, struct explain *out) { run_explain_set(run, &run->failures, out); }
