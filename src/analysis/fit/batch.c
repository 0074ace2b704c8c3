/* SPDX-License-Identifier: Apache-2.0 */
/* Another batch, from one run: scales whatever has it among its dimensions. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "analysis/fit/kinds.h"
#include "analysis/fit/limits.h"
#include "base/num.h"

static const uint64_t MOST_BATCH = (uint64_t)1 << 26;

const char *fit_batch_assumption(enum fit_batch_told told, bool paged) {
    static const char *const words[][2] = {
        [BATCH_OF_INPUTS] =
            {"the first dimension of the inputs is taken as the batch: all activations, inputs and caches with a dimension "
             "of that size grow with it",
             "the first dimension of the inputs is taken as the batch: all activations and inputs with a dimension "
             "of that size grow with it, paged caches keep their cache blocks"},
        [BATCH_OF_CACHES] =
            {"the first dimension of the caches is taken as the batch: all activations, inputs and caches with a dimension "
             "of that size grow with it",
             NULL},
    };
    return words[told][paged];
}

/* The leading dimension that all of a class share; 0: none, or they differ. */
static uint64_t shared_leading(const struct fit_trace *trace, enum live_class class, unsigned least_rank) {
    uint64_t batch = 0, dims[FIT_MOST_DIMS];
    for (size_t i = 0; i < trace->groups.len; i++) {
        const struct fit_group *group = &trace->groups.items[i];
        if (group->class != class || fit_dims(group->type, dims) < least_rank) continue;
        if (batch && dims[0] != batch) return 0;
        batch = dims[0];
    }
    return batch;
}

uint64_t fit_batch_choose(uint64_t inputs, uint64_t caches, bool paged, enum fit_batch_told *told) {
    *told = BATCH_OF_INPUTS;
    if (inputs > 1 || (inputs && !caches)) return inputs;
    /* one token per sequence is passed as 1 x batch: the caches then show the batch, unless they are paged */
    *told = BATCH_OF_CACHES;
    return paged ? 0 : caches;
}

static uint64_t batch_of(const struct fit_trace *trace, enum fit_batch_told *told) {
    *told = BATCH_OF_INPUTS;
    if (trace->compiled || trace->pool != POOL_DRAM) return 0;
    return fit_batch_choose(shared_leading(trace, LIVE_INPUT, 2), shared_leading(trace, LIVE_KV_CACHE, 3), trace->paged, told);
}

/* The cache blocks are shared by the whole batch, whatever its size. */
static bool may_grow(const struct fit_trace *trace, const struct fit_group *group) {
    return !group->request && (group->class == LIVE_ACTIVATION || group->class == LIVE_TEMPORARY ||
                               group->class == LIVE_INPUT || (group->class == LIVE_KV_CACHE && !trace->paged));
}

static uint64_t find_with_batch(const struct fit_scaling *scaling, const struct fit_buffer *b, uint64_t n) {
    const struct fit_group *group = &scaling->trace->groups.items[b->group];
    uint64_t dims[FIT_MOST_DIMS], was = scaling->was;
    unsigned rank = may_grow(scaling->trace, group) ? fit_dims(group->type, dims) : 0;
    if (group->class == LIVE_KV_CACHE && rank) rank = 1;
    bool by_tiles;
    for (unsigned i = 0; i < rank && (was > 1 || i == 0); i++)
        if (dims[i] == was) return fit_bytes_with(scaling->trace, b, i, n, &by_tiles);
    return b->bytes;
}

/* A long run has few types, each with many tensors: the last result for a type is kept. */
struct batch_memo {
    struct {
        const struct tensor_type *type;
        uint64_t bytes, n, made;
        uint8_t class;
    } of[256];
};

static uint64_t with_batch(const struct fit_scaling *scaling, uint32_t buffer, uint64_t n) {
    const struct fit_buffer *b = &scaling->trace->buffers.items[buffer];
    const struct fit_group *group = &scaling->trace->groups.items[b->group];
    struct batch_memo *memo = scaling->memo;
    if (!group->type || group->request) return b->bytes;
    size_t at = ((uintptr_t)group->type / sizeof *group->type + group->class) % (sizeof memo->of / sizeof *memo->of);
    bool known = memo->of[at].type == group->type && memo->of[at].bytes == b->bytes && memo->of[at].n == n &&
                 memo->of[at].class == group->class;
    if (!known) {
        memo->of[at].type = group->type;
        memo->of[at].bytes = b->bytes;
        memo->of[at].n = n;
        memo->of[at].class = group->class;
        memo->of[at].made = find_with_batch(scaling, b, n);
    }
    return memo->of[at].made;
}

uint64_t fit_growth_at_peak(const struct fit *fit, const struct fit_scaling *scaling) {
    uint64_t grown = 0;
    for (uint32_t i = 0; i < fit->trace->buffers.len; i++) {
        const struct fit_buffer *b = &fit->trace->buffers.items[i];
        uint64_t more = fit_is_there(fit, b) ? scaling->size(scaling, i, 2 * scaling->was) : 0;
        if (more > b->bytes) grown += more - b->bytes;
    }
    return grown / scaling->was;
}

static struct fit_scaling scaling_of(const struct fit_trace *trace, uint64_t batch, struct batch_memo *memo) {
    return (struct fit_scaling){.size = with_batch,
                                .trace = trace,
                                .was = batch,
                                .step = 1,
                                .memo = memo,
                                .uncertainty = trace->follows ? FIT_LOG_ROUNDING : 0};
}

void fit_limit_batch(struct fit *fit, struct fit_limits *out) {
    enum fit_batch_told told;
    uint64_t batch = batch_of(fit->trace, &told);
    if (!batch) return;
    struct batch_memo memo = {0};
    struct fit_scaling scaling = scaling_of(fit->trace, batch, &memo);
    struct fit_limit *limit = &out->of[LIMIT_BATCH];
    *limit = (struct fit_limit){.what = "batch",
                                .was = batch,
                                .assumption = fit_batch_assumption(told, fit->trace->paged),
                                .bytes_each = fit_growth_at_peak(fit, &scaling)};
    if (!limit->bytes_each) return;
    fit_limit_search(fit, &scaling, limit);
    limit->bytes_each = fit_limit_each(limit, fit->base.peak, limit->bytes_each);
    if (!fit->trace->follows) return;
    char words[400];
    int n = snprintf(words, sizeof words, "%s; %s", limit->assumption, fit_without_holes);
    limit->assumption = arena_copy(&fit->arena, slice_of(words, (size_t)n + 1)).ptr;
}

/* --- as a change --- */

static void apply_batch(struct fit_variant *v, const struct fit_change *change) {
    enum fit_batch_told told;
    struct batch_memo memo = {0};
    struct fit_scaling scaling = scaling_of(v->trace, batch_of(v->trace, &told), &memo);
    for (uint32_t i = 0; scaling.was && i < v->trace->buffers.len; i++) {
        uint64_t bytes = with_batch(&scaling, i, change->number);
        if (bytes != v->trace->buffers.items[i].bytes) fit_variant_resize(v, i, bytes);
    }
}

void fit_name_batch(struct fit_change *change, uint64_t batch, const char *assumption) {
    snprintf(change->name, sizeof change->name, "batch %llu", (unsigned long long)batch);
    change->number = batch;
    change->setting = "a batch of that size";
    change->assumption = assumption;
    change->one_of = "a program has one batch";
    change->gives_up = true;
}

bool fit_reads_batch(const struct fit *fit, const struct fit_kind *kind, const char *name, uint64_t *batch) {
    struct slice number = slice_from(strlen(name) > 6 ? name + 6 : "");
    if (strncasecmp(name, "batch ", 6) != 0 || num_read_u64(number, batch) != number.len || !*batch || *batch > MOST_BATCH)
        return false;
    for (size_t i = 0; i < fit->changes.len; i++)
        if (fit->changes.items[i].kind == kind && fit->changes.items[i].number == *batch) return false; /* already listed */
    return true;
}

static void ask_batch(struct fit *fit, const struct fit_kind *kind, const char *name) {
    enum fit_batch_told told;
    uint64_t batch = batch_of(fit->trace, &told), wanted;
    if (!batch || !fit_reads_batch(fit, kind, name, &wanted)) return;
    fit_name_batch(fit_add_wanted(fit, kind, 0, NONE), wanted, fit_batch_assumption(told, fit->trace->paged));
}

/* The largest batch that reaches the target, if it is not reached now; 1 if none does, because it may help together with other
 * changes. */
static void list_batch(struct fit *fit, const struct fit_kind *kind) {
    enum fit_batch_told told;
    uint64_t batch = batch_of(fit->trace, &told);
    if (batch < 2 || fit_was_to_target(fit) == FIT_FITS) return;
    struct batch_memo memo = {0};
    struct fit_scaling scaling = scaling_of(fit->trace, batch, &memo);
    struct fit_limit limit = {.was = batch};
    if (!fit_growth_at_peak(fit, &scaling)) return;
    fit_limit_search(fit, &scaling, &limit);
    if (limit.best >= batch) return;
    struct fit_change *change = fit_add(fit, kind, 0, NONE);
    if (change) fit_name_batch(change, limit.best ? limit.best : 1, fit_batch_assumption(told, fit->trace->paged));
}

const struct fit_kind fit_batch = {"batch", list_batch, apply_batch, ask_batch};
