/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fit/run_trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/fit/fit.h"
#include "base/num.h"
#include "parse/log.h"

/* A log rounds by half a thousandth of a MB each way; smaller changes of unattributed memory are ignored. */
enum { NOISE = 2100, SPARE_STEPS = 2 };

struct run_telling {
    struct fit_trace *trace;
    const struct run *run;
    uint16_t rank;
    struct map groups;     /* op and result, argument -> group + 1 */
    uint32_t *buffers;     /* of the tensors; NONE */
    VEC(uint32_t) filler;  /* buffers, newest last */
    uint64_t filled, told; /* bytes of the filler, of the tensors */
    uint32_t filler_group;
    uint32_t *end_of; /* step -> first event after it */
    const struct failure *failure;
    bool has_failed;
    bool has_levels;  /* what was allocated between ops is known */
    uint32_t failed;  /* step of the failure */
    uint32_t last_op; /* step of the rank's last op */
    bool ended;       /* the trace ends with the failure */
};

/* --- names --- */

static void run_op_of(const struct fit_trace *trace, uint32_t place, struct fit_op *op) {
    const struct run *run = trace->context;
    *op = (struct fit_op){.index = NONE};
    if (place == NONE || place >= run->steps.len) return;
    const struct step *step = &run->steps.items[place];
    uint32_t top = step_top(run, step);
    op->index = step->record;
    op->name = step_name(run, step);
    op->line = step->line;
    if (step->op != NONE) op->location = run_string(run, run->ops.items[step->op].display);
    if (top != NONE) op->program = run_string(run, run->executions.items[top].name);
    op->rank = run_string(run, run->ranks.items[step->rank].name);
}

static struct slice value_name(struct fit_trace *trace, uint32_t code, uint32_t result, uint32_t results) {
    char text[48];
    if (!code || code & VALUE_NAMED) return slice_of("", 0);
    int n = snprintf(text, sizeof text, "%%%s%u", code & VALUE_ARG ? "arg" : "", (code & ~(uint32_t)VALUE_ARG) - 1);
    if (results > 1) n += snprintf(text + n, sizeof text - (size_t)n, "#%u", result);
    return arena_copy(&trace->arena, slice_of(text, (size_t)n));
}

static struct slice name_of(struct fit_trace *trace, const struct run *run, const struct tensor *tensor) {
    struct slice name = tensor_name(run, tensor);
    if (name.len) return name;
    if (tensor->class == TENSOR_ARGUMENT) return value_name(trace, (tensor->argument + 1) | VALUE_ARG, 0, 1);
    if (tensor->producer == NONE || run->steps.items[tensor->producer].op == NONE) return slice_of("", 0);
    const struct op *op = &run->ops.items[run->steps.items[tensor->producer].op];
    if (tensor->argument >= op->result_count) return slice_of("", 0);
    return value_name(trace, op->result, tensor->argument, op->result_count);
}

static enum fit_holder holder_of(const struct tensor *tensor, enum live_class class) {
    static const enum fit_holder holders[LIVE_CLASS_COUNT] = {
        [LIVE_ACTIVATION] = HOLDER_PROGRAM,  [LIVE_WEIGHT] = HOLDER_RUNTIME,   [LIVE_CONST_EVAL] = HOLDER_RUNTIME,
        [LIVE_INPUT] = HOLDER_CALLER,        [LIVE_KV_CACHE] = HOLDER_RUNTIME, [LIVE_TEMPORARY] = HOLDER_OP,
        [LIVE_RESHAPE_MAP] = HOLDER_RUNTIME, [LIVE_TABLE] = HOLDER_RUNTIME,    [LIVE_BINARY] = HOLDER_RUNTIME,
    };
    if (tensor->returned) return HOLDER_RETURNED;
    if (tensor->retained) return HOLDER_RUNTIME;
    return holders[class];
}

/* --- buffers --- */

static uint32_t group_of(struct run_telling *t, const struct tensor *tensor) {
    const struct run *run = t->run;
    uint32_t op = tensor->producer == NONE ? NONE : run->steps.items[tensor->producer].op;
    enum live_class class = tensor_live_class(run, tensor);
    uint32_t program = tensor->execution == NONE ? NONE : run->executions.items[tensor->execution].program;
    bool added;
    struct hash128 key = {hash_mix((uint64_t)op << 32 | tensor->argument, tensor->type),
                          hash_mix((uint64_t) class << 32 | program, op)};
    uint32_t *known = map_at(&t->groups, key, &added);
    if (added) {
        struct fit_group group = {.name = name_of(t->trace, run, tensor),
                                  .key = t->trace->groups.len + 1, /* unique within the only trace of a run */
                                  .class = (uint8_t) class,
                                  .holder = (uint8_t)holder_of(tensor, class),
                                  .place = tensor->producer,
                                  .type = &run->types.items[tensor->type]};
        *known = fit_trace_group(t->trace, &group);
    }
    return *known;
}

static uint64_t bytes_of(const struct run *run, const struct tensor *tensor) {
    return tensor_per_bank_bytes(&run->types.items[tensor->type], &run->geometry);
}

/* Made by the op at which a log ends in the middle of a program: it may never have existed. */
static bool is_of_cut_op(const struct run_telling *t, const struct tensor *tensor) {
    const struct run *run = t->run;
    if (!t->trace->follows || tensor->producer == NONE || tensor->producer != t->last_op) return false;
    const struct step *step = &run->steps.items[tensor->producer];
    return step->after == NONE && step->execution != NONE && !run->executions.items[step->execution].finished;
}

static void take(struct run_telling *t, uint32_t id, uint32_t step) {
    const struct tensor *tensor = &t->run->tensors.items[id];
    uint64_t bytes = bytes_of(t->run, tensor);
    if (!bytes || t->buffers[id] != NONE) return;
    if (is_of_cut_op(t, tensor)) return;
    if (t->has_failed && tensor->producer != NONE && tensor->producer == t->failed) return; /* it never existed */
    uint64_t address = t->trace->placed ? t->run->addresses.items[id] : UINT64_MAX;
    t->buffers[id] = fit_trace_take(t->trace, group_of(t, tensor), bytes, address, step);
    t->told += t->trace->buffers.items[t->buffers[id]].bytes;
}

static void let_go(struct run_telling *t, uint32_t id, uint32_t step) {
    if (t->buffers[id] == NONE || t->trace->buffers.items[t->buffers[id]].free != NONE) return;
    fit_trace_free(t->trace, t->buffers[id], step);
    t->told -= t->trace->buffers.items[t->buffers[id]].bytes;
}

static bool is_ours(const struct run_telling *t, uint32_t id) {
    const struct tensor *tensor = &t->run->tensors.items[id];
    return tensor->rank == t->rank && tensor->born < tensor->gone && tensor_in_pool(t->run, tensor, t->trace->pool);
}

static void note_level(struct run_telling *t, uint64_t held) {
    uint64_t level = t->told + t->filled, off = level > held ? level - held : held - level;
    if (off > t->trace->off) t->trace->off = off;
}

static void add_filler(struct run_telling *t, uint64_t bytes, uint32_t step) {
    uint32_t buffer = fit_trace_take(t->trace, t->filler_group, bytes, UINT64_MAX, step);
    t->filled += t->trace->buffers.items[buffer].bytes;
    vec_push(&t->filler, buffer);
}

/* Adds what the block holds beyond the tensors. */
static void fill_up_to(struct run_telling *t, uint64_t held, uint32_t step) {
    uint64_t wanted = held > t->told ? held - t->told : 0;
    if (wanted > t->filled + NOISE) {
        add_filler(t, wanted - t->filled, step);
        return;
    }
    if (t->filled <= wanted + NOISE) return;
    while (t->filled > wanted && t->filler.len) {
        uint32_t buffer = vec_last(&t->filler);
        t->filler.len--;
        t->filled -= t->trace->buffers.items[buffer].bytes;
        fit_trace_free(t->trace, buffer, step);
    }
    if (wanted > t->filled + NOISE) add_filler(t, wanted - t->filled, step);
}

/* The request with which the run ran out of memory. If the run continued, the request was dropped. */
static void add_request(struct run_telling *t, bool went_on) {
    struct fit_group request = {.name = SLICE("the request that failed"),
                                .class = LIVE_ACTIVATION,
                                .holder = HOLDER_OP,
                                .request = true,
                                .place = t->failed};
    if (t->trace->follows && failure_knows(t->failure, FAILURE_ALLOCATED)) {
        fill_up_to(t, t->failure->number[FAILURE_ALLOCATED], t->failed); /* what the op took before that */
        note_level(t, t->failure->number[FAILURE_ALLOCATED]);
    }
    uint32_t group = fit_trace_group(t->trace, &request);
    uint32_t buffer = fit_trace_take(t->trace, group, t->failure->number[FAILURE_PER_BANK], UINT64_MAX, t->failed);
    if (went_on) fit_trace_free(t->trace, buffer, t->failed);
    t->failure = NULL;
    t->ended = t->trace->ended = !went_on;
}

/* Does an op of the rank follow? Deallocates do not count. */
static bool goes_on(const struct run_telling *t, uint32_t step) {
    for (size_t i = step; i < t->run->steps.len; i++) {
        const struct step *s = &t->run->steps.items[i];
        if (s->rank == t->rank && s->kind == STEP_OP && s->record != NONE) return true;
    }
    return false;
}

/* --- from addresses --- */

/* What appears or disappears before a step did so while the previous op ran, or afterwards. */
static void tell_moves(struct run_telling *t) {
    const struct run *run = t->run;
    uint32_t step = 0;
    for (size_t i = 0; i < run->moves.len; i++) {
        uint32_t id = run->moves.items[i] / 2;
        const struct tensor *tensor = &run->tensors.items[id];
        bool free = run->moves.items[i] & 1;
        if (tensor->rank != t->rank || !tensor_in_pool(run, tensor, t->trace->pool)) continue;
        uint32_t at = free ? tensor->gone : tensor->born;
        for (; step + 1 < at && step <= run->steps.len; step++) t->end_of[step] = (uint32_t)t->trace->events.len;
        uint32_t running = at ? at - 1 : NONE;
        if (free) let_go(t, id, running);
        else take(t, id, running);
    }
    for (; step <= run->steps.len; step++) t->end_of[step] = (uint32_t)t->trace->events.len;
}

/* --- from a log --- */

/* The room that the largest block before a step leaves beside the largest tensor that its op made. */
static void note_room(struct run_telling *t, uint32_t step, size_t first_event) {
    const struct run *run = t->run;
    struct fit_trace *trace = t->trace;
    uint64_t most = 0;
    if (run->steps.items[step].rank != t->rank || run->steps.items[step].block == NONE) return;
    const struct block *block = &run->blocks.items[run->steps.items[step].block];
    if (!(block->have >> trace->pool & 1) || block->partial >> trace->pool & 1) return;
    for (size_t i = first_event; i < trace->events.len; i++) {
        uint64_t bytes = trace->buffers.items[trace->events.items[i] / 2].bytes;
        if (!fit_is_free(trace->events.items[i]) && bytes > most) most = bytes;
    }
    int64_t room = (int64_t)((uint64_t)block->largest[trace->pool] * NUM_MIB / 1000) - (int64_t)most;
    /* a tensor larger than the block was not placed in it: something was freed first, or the tensor belongs to another op */
    if (!most || room >= trace->room || room < -FIT_LOG_ROUNDING) return;
    trace->room = room < 0 ? 0 : room;
    trace->room_place = step;
}

static void follow_block(struct run_telling *t, const struct block *block, uint32_t step) {
    if (!(block->have >> t->trace->pool & 1)) return;
    uint64_t held = (uint64_t)block->allocated[t->trace->pool] * NUM_MIB / 1000;
    if (held > t->trace->measured) t->trace->measured = held;
    t->has_levels = true;
    fill_up_to(t, held, step);
    note_level(t, held);
}

struct by_step {
    uint32_t *first, *ids; /* ids of the step s: [first[s], first[s + 1]) */
};

/* Tensors of the rank by the step before which they appear or disappear. */
static void sort_by_step(const struct run_telling *t, bool gone, struct by_step *out) {
    const struct run *run = t->run;
    size_t steps = run->steps.len + SPARE_STEPS;
    out->first = mem_zalloc(steps + 1, sizeof *out->first);
    out->ids = mem_alloc((run->tensors.len + 1) * sizeof *out->ids);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < run->tensors.len; i++) {
            uint32_t at = gone ? run->tensors.items[i].gone : run->tensors.items[i].born;
            if (!is_ours(t, i) || at >= steps - 1) continue;
            if (pass) out->ids[out->first[at]++] = i;
            else out->first[at + 1]++;
        }
        if (pass) break;
        for (size_t s = 0; s < steps; s++) out->first[s + 1] += out->first[s];
    }
    for (size_t s = steps; s > 0; s--) out->first[s] = out->first[s - 1]; /* filling moved each start to the next */
    out->first[0] = 0;
}

static void tell_steps(struct run_telling *t) {
    const struct run *run = t->run;
    struct by_step born, gone;
    struct fit_group filler = {
        .name = SLICE("what no op line explains"), .class = LIVE_CLASS_COUNT, .holder = HOLDER_RUNTIME, .place = NONE};
    t->filler_group = fit_trace_group(t->trace, &filler);
    t->trace->follows = true;
    t->last_op = NONE;
    for (uint32_t s = 0; s < run->steps.len; s++)
        if (run->steps.items[s].rank == t->rank && run->steps.items[s].kind == STEP_OP) t->last_op = s;
    t->trace->room = INT64_MAX;
    sort_by_step(t, false, &born);
    sort_by_step(t, true, &gone);
    for (uint32_t s = 0; s <= run->steps.len; s++) {
        uint32_t running = s ? s - 1 : NONE;
        /* what is freed in the step of a failed request was freed after it */
        if (t->failure && s && t->failed == s - 1) add_request(t, goes_on(t, s));
        size_t first_event = t->trace->events.len;
        for (uint32_t i = gone.first[s]; i < gone.first[s + 1]; i++) let_go(t, gone.ids[i], running);
        for (uint32_t i = born.first[s]; i < born.first[s + 1]; i++) take(t, born.ids[i], running);
        if (s) note_room(t, running, first_event);
        /* what the block before the next op shows beyond tensors was allocated while this op ran */
        bool block = s < run->steps.len && run->steps.items[s].rank == t->rank && run->steps.items[s].block != NONE;
        if (block) follow_block(t, &run->blocks.items[run->steps.items[s].block], s);
        if (s) t->end_of[s - 1] = (uint32_t)t->trace->events.len;
    }
    t->end_of[run->steps.len] = (uint32_t)t->trace->events.len;
    free(born.first);
    free(born.ids);
    free(gone.first);
    free(gone.ids);
}

/* Is every use of the tensor known? What still existed when a run failed or stopped may have been needed. */
static bool uses_are_known(const struct run_telling *t, const struct tensor *tensor) {
    const struct execution *of = tensor->execution == NONE ? NULL : &t->run->executions.items[tensor->execution];
    bool freed = tensor->gone != NONE && !(t->ended && tensor->gone > t->failed) &&
                 !(of && !of->finished && tensor->gone >= of->end_step); /* not if the program did not get that far */
    if (freed || tensor->left) return true;
    return !t->ended && (!of || of->finished);
}

/* Const-eval functions run first: a tensor that they use last is used by nothing else. */
static bool is_const_eval(const struct run *run, uint32_t step) {
    uint32_t execution = run->steps.items[step].execution;
    return execution != NONE && run->executions.items[execution].const_eval;
}

/* By step: the op of the rank that it ran inside, or NONE; NULL if ops are not nested. */
static uint32_t *outer_ops(const struct run_telling *t) {
    const struct run *run = t->run;
    if (!run->ends.len) return NULL;
    uint32_t *outer = mem_alloc(run->steps.len * sizeof *outer), open = NONE;
    for (uint32_t s = 0; s < run->steps.len; s++) {
        outer[s] = NONE;
        if (run->steps.items[s].rank != t->rank) continue;
        while (open != NONE && run->ends.items[open] <= s) open = outer[open];
        outer[s] = open;
        if (run->ends.items[s] > s + 1) open = s;
    }
    return outer;
}

/* The first event after the op that uses the tensor, and after the enclosing ops that take it: none of them frees it before
 * it has finished. */
static uint32_t end_of_use(const struct run_telling *t, const struct tensor *tensor, uint32_t use, const uint32_t *outer) {
    const struct run *run = t->run;
    while (outer && outer[use] != NONE && tensor->born <= outer[use]) use = outer[use];
    uint32_t end = outer ? run->ends.items[use] : use + 1;
    for (; end < run->steps.len; end++) {
        const struct step *step = &run->steps.items[end];
        if (step->rank == t->rank && !(step->flags & STEP_INSIDE)) break;
    }
    return t->end_of[end - 1];
}

/* A buffer freed by the op after its last use is not late: `unused` is where that op ends. */
static void tell_last_uses(struct run_telling *t) {
    const struct run *run = t->run;
    uint32_t *outer = outer_ops(t);
    t->trace->no_uses = true;
    bool *seen = mem_zalloc(t->trace->groups.len + 1, sizeof *seen);
    for (uint32_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        uint32_t use = tensor->last_use;
        bool program = tensor->class == TENSOR_RESHAPE_MAP || tensor->class == TENSOR_TABLE || tensor->class == TENSOR_BINARY;
        if (program) use = tensor->producer; /* a program's memory is needed while it runs */
        if (t->buffers[i] == NONE || (!program && !uses_are_known(t, tensor))) continue;
        if (use == NONE && tensor->class == TENSOR_ACTIVATION && run->origin == RUN_LOG)
            use = tensor->producer; /* made and never used */
        if (use == NONE || use >= run->steps.len) continue;
        if (!program) t->trace->no_uses = false;
        struct fit_buffer *b = &t->trace->buffers.items[t->buffers[i]];
        struct fit_group *group = &t->trace->groups.items[b->group];
        group->const_eval = (group->const_eval || !seen[b->group]) && is_const_eval(run, use);
        seen[b->group] = true;
        uint32_t end = end_of_use(t, tensor, use, outer);
        if (end > b->take && (b->free == NONE || end < b->free)) b->unused = end;
    }
    free(outer);
    free(seen);
}

/* Inspector does not print bytes per bank: for some buffers only their neighbours limit the size. */
static void tell_bounds(struct fit_trace *trace, const struct run *run) {
    struct fit_variant v;
    struct fit_result result;
    if (!run->inspector || !run->inspector->bounded_in[trace->pool]) return;
    fit_variant_init(&v, trace);
    fit_sums(&v, &result);
    fit_variant_release(&v);
    uint64_t most = run->inspector->most_peak[trace->pool];
    trace->bounded = run->inspector->bounded_in[trace->pool];
    trace->higher = most > result.peak ? most - result.peak : 0;
}

/* --- the pool --- */

static const enum failure_pool failure_pools[POOL_COUNT] = {FAILURE_DRAM, FAILURE_L1, FAILURE_L1_SMALL, FAILURE_TRACE};

static const struct failure *failure_in(const struct run *run, uint16_t rank, enum pool pool, uint32_t *step) {
    for (size_t i = 0; i < run->failures.entries.len; i++) {
        const struct failure *f = &run->failures.entries.items[i].failure;
        const struct failure_site *site = &run->failure_sites.items[i];
        if (f->kind != FAILURE_OOM || f->pool != failure_pools[pool] || site->rank != rank ||
            !failure_knows(f, FAILURE_PER_BANK))
            continue;
        *step = site->step;
        return f;
    }
    return NULL;
}

/* From the rank's own blocks; without them, the last ones of any rank. */
static const struct pool_config *config_of(const struct run *run, uint16_t rank, enum pool pool) {
    const struct pool_config *found = NULL;
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        if (!(block->have >> pool & 1) || run->steps.items[block->step].rank != rank) continue;
        if (block_config(run, block, pool)->total) found = block_config(run, block, pool);
    }
    for (size_t i = run->configs.len; i-- > 0 && !found;)
        if (run->configs.items[i].pool == pool && run->configs.items[i].total) found = &run->configs.items[i];
    return found;
}

static void find_pool(struct fit_trace *trace, const struct run *run, uint16_t rank) {
    uint32_t step;
    const struct failure *failure = failure_in(run, rank, trace->pool, &step);
    const struct pool_config *config = config_of(run, rank, trace->pool);
    if (config) {
        trace->banks = config->banks;
        trace->capacity = (uint64_t)config->total * NUM_MIB / 1000;
    }
    if (failure && failure_knows(failure, FAILURE_BANK)) trace->capacity = failure->number[FAILURE_BANK];
    trace->bank = trace->capacity;
    /* without addresses, holes that were too small are assumed to be lost, as they were at the failure */
    if (failure && !run->moves.len && failure_knows(failure, FAILURE_ALLOCATED) && failure_knows(failure, FAILURE_LARGEST)) {
        uint64_t usable = failure->number[FAILURE_ALLOCATED] + failure->number[FAILURE_LARGEST];
        if (usable >= failure->number[FAILURE_LARGEST] && usable < trace->capacity) trace->capacity = usable;
    }
    for (size_t i = 0; i < run->regions.len; i++) {
        const struct region *r = &run->regions.items[i];
        if (r->rank != rank || r->pool != trace->pool) continue;
        trace->base = r->base;
        trace->bank = trace->capacity = r->bytes;
    }
    trace->has_capacity = trace->capacity > 0;
    trace->chip = run->chip;
    const struct pool_config *aside = config_of(run, rank, POOL_TRACE);
    if (aside) trace->trace_region = (uint64_t)aside->total * NUM_MIB / 1000;
    trace->alignment = run->geometry.dram_align > 1 ? run->geometry.dram_align : 32;
    trace->device_assumed = run->device_assumed;
}

/* Sizes per bank are those of one device: they cannot be compared with blocks of another one. */
static bool banks_differ(const struct run *run, uint16_t rank, enum pool pool) {
    if (pool != POOL_DRAM || run->moves.len) return false;
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        if (!(block->have >> pool & 1) || run->steps.items[block->step].rank != rank) continue;
        if (block_config(run, block, pool)->banks != run->geometry.dram_banks) return true;
    }
    return false;
}

/* It ran out of memory there, and the message does not give the size of the request. */
static bool request_is_lost(const struct run *run, uint16_t rank, enum pool pool) {
    uint32_t step;
    for (size_t i = 0; i < run->failures.entries.len; i++) {
        const struct failure *f = &run->failures.entries.items[i].failure;
        if (f->kind == FAILURE_OOM && run->failure_sites.items[i].rank == rank && !failure_knows(f, FAILURE_PER_BANK) &&
            (f->pool == FAILURE_POOL_UNKNOWN || f->pool == failure_pools[pool]))
            return !failure_in(run, rank, pool, &step);
    }
    return false;
}

/* Are the caches paged? */
static bool has_paged_ops(const struct run *run) {
    for (size_t i = 0; i < run->ops.len; i++)
        if (slice_find(run_string(run, run->ops.items[i].name), SLICE("paged_")) != SLICE_NONE) return true;
    return false;
}

enum fit_lacks fit_run_trace(struct fit_trace *trace, const struct run *run, uint16_t rank, enum pool pool) {
    *trace = (struct fit_trace){.pool = pool, .context = run, .op_of = run_op_of};
    struct run_telling t = {.trace = trace, .run = run, .rank = rank};
    size_t tensors = 0, sized = 0;
    for (uint32_t i = 0; i < run->tensors.len; i++) {
        if (!is_ours(&t, i)) continue;
        tensors++;
        sized += bytes_of(run, &run->tensors.items[i]) > 0;
    }
    if (!tensors) return FIT_LACKS_TENSORS;
    if (!sized) return FIT_LACKS_SIZES;
    find_pool(trace, run, rank);
    t.failure = failure_in(run, rank, pool, &t.failed);
    t.has_failed = t.failure != NULL;
    if (!trace->has_capacity) return FIT_LACKS_CAPACITY;
    if (banks_differ(run, rank, pool)) return FIT_LACKS_BANKS;
    if (request_is_lost(run, rank, pool)) return FIT_LACKS_REQUEST;
    if (run->origin == RUN_PREDICTED && run->warnings[WARN_UNFINISHED_PROGRAM]) return FIT_LACKS_END;
    trace->paged = has_paged_ops(run);
    trace->placed = run->moves.len && run->addresses.len == run->tensors.len && run->regions.len;
    t.buffers = mem_alloc((run->tensors.len + 1) * sizeof *t.buffers);
    t.end_of = mem_alloc((run->steps.len + 1) * sizeof *t.end_of);
    for (size_t i = 0; i < run->tensors.len; i++) t.buffers[i] = NONE;
    if (run->moves.len) tell_moves(&t);
    else tell_steps(&t);
    if (t.failure) add_request(&t, false);
    for (uint32_t s = t.failed; t.ended && s <= run->steps.len; s++) t.end_of[s] = (uint32_t)trace->events.len;
    tell_last_uses(&t);
    tell_bounds(trace, run);
    fit_trace_ends(trace);
    map_release(&t.groups);
    vec_release(&t.filler);
    free(t.buffers);
    free(t.end_of);
    /* what op lines do not explain is added as measured: without it the sums could not be trusted */
    if (!trace->follows || t.has_levels || t.has_failed) return FIT_LACKS_NOTHING;
    fit_trace_release(trace);
    *trace = (struct fit_trace){0};
    return FIT_LACKS_LEVELS;
}

uint16_t fit_rank_of(const struct run *run, enum pool pool) {
    uint32_t step, best = 0;
    uint16_t rank = 0;
    for (size_t i = 0; i < run->ranks.len; i++)
        if (failure_in(run, (uint16_t)i, pool, &step)) return (uint16_t)i;
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        if (!(block->have >> pool & 1) || block->allocated[pool] <= best) continue;
        best = block->allocated[pool];
        rank = run->steps.items[block->step].rank;
    }
    return rank;
}

enum pool fit_pool_of(const struct run *run) {
    for (size_t i = 0; i < run->failures.entries.len; i++) {
        const struct failure *f = &run->failures.entries.items[i].failure;
        if (f->kind != FAILURE_OOM || f->pool == FAILURE_POOL_UNKNOWN) continue;
        return f->pool == FAILURE_L1         ? POOL_L1
               : f->pool == FAILURE_L1_SMALL ? POOL_L1_SMALL
               : f->pool == FAILURE_TRACE    ? POOL_TRACE
                                             : POOL_DRAM;
    }
    return POOL_DRAM;
}
