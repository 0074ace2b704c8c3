/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/fit/module_sizes.h"

#include "predict/fit/module_batch.h"

enum { TILE = 32 };

static void drop(struct module_sizes *m) {
    if (m->is_made) module_trace_release(&m->made);
    m->is_made = false;
}

static const struct fit_trace *with_size(void *context, uint64_t n) {
    struct module_sizes *m = context;
    struct predict_options options = m->source->prediction->options;
    uint64_t *const values[FIT_LIMITS] = {[LIMIT_KV_LEN] = &options.scale.kv_len,
                                          [LIMIT_KV_BLOCKS] = &options.scale.kv_blocks,
                                          [LIMIT_BATCH] = &options.scale.batch};
    *values[m->what] = n;
    drop(m);
    module_trace_make(&m->made, m->source->prediction, &options, m->source->base.trace.pool);
    m->is_made = true;
    return module_trace_is_cut(&m->made) ? NULL : &m->made.trace;
}

static uint64_t size_now(const struct scaled *now, enum fit_limit_of what) {
    uint64_t block = now->paged && now->block_len ? now->block_len : 1;
    if (what == LIMIT_BATCH) return now->batch_was;
    if (what == LIMIT_KV_BLOCKS) return now->paged ? now->kv_was : 0;
    return now->caches ? now->kv_was * block : 0;
}

void module_sizes_init(struct module_sizes *m, struct module_source *source, enum fit_limit_of what) {
    uint64_t was = source->prediction ? size_now(&source->prediction->scaled, what) : 0;
    *m = (struct module_sizes){.source = source, .what = what, .sizes = {m, was, with_size}};
}

void module_sizes_release(struct module_sizes *m) { drop(m); }

/* Of all caches, as they are at the end. */
static uint64_t cache_bytes(const struct fit_trace *trace) {
    uint64_t bytes = 0;
    for (size_t i = 0; trace && i < trace->buffers.len; i++) {
        const struct fit_buffer *b = &trace->buffers.items[i];
        if (trace->groups.items[b->group].class == LIVE_KV_CACHE && b->free == NONE) bytes += b->bytes;
    }
    return bytes;
}

static void find_limit(struct fit *fit, struct module_source *source, enum fit_limit_of what, struct fit_limits *out) {
    static const char *const names[FIT_LIMITS] = {
        [LIMIT_KV_LEN] = "kv_len", [LIMIT_KV_BLOCKS] = "kv_blocks", [LIMIT_BATCH] = "batch"};
    const struct scaled *now = &source->prediction->scaled;
    uint64_t step = what != LIMIT_KV_LEN ? 1 : now->paged && now->block_len ? now->block_len : TILE;
    struct fit_limit *limit = &out->of[what];
    struct module_sizes m;
    module_sizes_init(&m, source, what);
    if (!m.sizes.was || limit->known) return; /* from two runs */
    *limit = (struct fit_limit){.what = names[what], .was = m.sizes.was, .exact = what != LIMIT_BATCH};
    if (what == LIMIT_BATCH) limit->assumption = module_batch_assumption(source->prediction);
    struct fit_scaling scaling = {.batches = &m.sizes, .trace = fit->trace, .was = m.sizes.was, .step = step};
    if (what == LIMIT_BATCH) scaling.uncertainty = module_batch_uncertainty(fit);
    fit_limit_search(fit, &scaling, limit);
    uint64_t caches = limit->known && what != LIMIT_BATCH ? cache_bytes(with_size(&m, limit->best)) : 0;
    if (caches) {
        limit->bytes_each = caches / limit->best;
        if (what == LIMIT_KV_BLOCKS) limit->in_block = now->block_len;
        const struct scaled *at_best = m.made.is_again ? &m.made.again.scaled : now;
        out->utilization_milli = scaled_utilization_milli(at_best, caches, m.made.replay.device.dram_channel_bytes);
    }
    module_sizes_release(&m);
}

void module_limits_find(struct fit *fit, struct module_source *source, struct fit_limits *out) {
    for (int what = 0; what < FIT_LIMITS; what++) find_limit(fit, source, (enum fit_limit_of)what, out);
}
