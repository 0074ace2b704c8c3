/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fit/limits.h"

#include "analysis/fit/kinds.h"
#include "base/num.h"

enum { TILE = 32, MOST_TRIES = 80 };
static const uint64_t MOST = (uint64_t)1 << 26; /* the largest value tried */

unsigned fit_dims(const struct tensor_type *type, uint64_t dims[FIT_MOST_DIMS]) {
    unsigned rank = 0;
    for (struct slice rest = type ? type->shape : slice_of("", 0); rest.len && rank < FIT_MOST_DIMS;) {
        size_t n = num_read_u64(rest, &dims[rank]);
        if (!n || !dims[rank]) return 0;
        rank++;
        rest = slice_skip(rest, n + 1);
    }
    return rank;
}

/* By its tiles if they are known, else in proportion. */
uint64_t fit_bytes_with(const struct fit_trace *trace, const struct fit_buffer *b, unsigned dim, uint64_t size,
                        bool *by_tiles) {
    const struct tensor_type *type = trace->groups.items[b->group].type;
    uint64_t dims[FIT_MOST_DIMS], tiles, tile, made = 1;
    unsigned rank = fit_dims(type, dims);
    *by_tiles = true;
    if (dim >= rank) return b->bytes;
    uint64_t was = dims[dim];
    *by_tiles =
        rank >= 2 && trace->banks && fit_tiles(type, &tiles, &tile) && num_ceil_div(tiles, trace->banks) * tile == b->bytes;
    if (*by_tiles) {
        dims[dim] = size;
        for (unsigned i = 0; i < rank; i++)
            if (!num_mul(made, i + 2 >= rank ? num_ceil_div(dims[i], TILE) : dims[i], &made)) return UINT64_MAX >> 8;
        return made < UINT64_MAX >> 16 ? num_ceil_div(made, trace->banks) * tile : UINT64_MAX >> 8;
    }
    unsigned __int128 bytes = (unsigned __int128)b->bytes * size / was;
    return bytes < UINT64_MAX >> 8 ? (uint64_t)bytes : UINT64_MAX >> 8;
}

struct limit_search {
    struct fit *fit;
    const struct fit_scaling *scaling;
    struct fit_limit *limit;
    unsigned tries;
};

static bool fits(struct limit_search *s, uint64_t steps) {
    const struct fit_batches *batches = s->scaling->batches;
    uint64_t n = steps * s->scaling->step;
    const struct fit_trace *trace = batches ? batches->with(batches->context, n) : s->scaling->trace;
    struct fit_variant v;
    struct fit_result result;
    s->tries++;
    if (batches) s->fit->work += s->fit->source.cost;
    if (!trace) return false;
    fit_variant_init(&v, trace);
    for (uint32_t i = 0; !batches && i < trace->buffers.len; i++) {
        uint64_t bytes = s->scaling->size(s->scaling, i, n);
        if (bytes != trace->buffers.items[i].bytes) fit_variant_resize(&v, i, bytes);
    }
    fit_replay(&v, &result, NULL, &s->fit->work);
    fit_variant_release(&v);
    s->fit->replays++;
    if (!fit_reaches(s->fit, &result, s->scaling->uncertainty)) return false;
    if (n >= s->limit->best) {
        s->limit->best = n;
        s->limit->peak = result.peak;
    }
    return true;
}

/* Doubles the run's value until it does not fit, or halves it until it does, and then searches in between. */
void fit_limit_search(struct fit *fit, const struct fit_scaling *scaling, struct fit_limit *limit) {
    struct limit_search s = {.fit = fit, .scaling = scaling, .limit = limit};
    limit->uncertainty = scaling->uncertainty;
    uint64_t low = 0, high = scaling->was / scaling->step ? scaling->was / scaling->step : 1, most = MOST / scaling->step;
    while (high <= most && s.tries < MOST_TRIES && fits(&s, high)) {
        low = high;
        high *= 2;
    }
    limit->bounded = high <= most;
    while (limit->bounded && high - low > 1 && s.tries < MOST_TRIES) {
        uint64_t middle = low + (high - low) / 2;
        if (fits(&s, middle)) low = middle;
        else high = middle;
    }
    limit->known = limit->best > 0;
}

const char fit_without_holes[] = "as if there were no holes: a log does not record where buffers lie; fewer may fit";

static uint64_t apart(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

uint64_t fit_limit_each(const struct fit_limit *limit, uint64_t now, uint64_t otherwise) {
    return limit->best == limit->was || !limit->known ? otherwise : apart(limit->peak, now) / apart(limit->best, limit->was);
}

/* --- caches --- */

struct caches {
    bool paged;
    uint64_t size; /* size of the growing dimension in the first cache */
    uint64_t in_block;
    uint64_t bytes; /* of all, per bank, at their largest */
};

static unsigned growing_dim(const struct caches *c, unsigned rank) { return c->paged ? 0 : rank - 2; }

static bool is_cache(const struct fit_trace *trace, const struct caches *c, uint32_t buffer, unsigned *dim) {
    const struct fit_group *group = &trace->groups.items[trace->buffers.items[buffer].group];
    uint64_t dims[FIT_MOST_DIMS];
    unsigned rank = group->class == LIVE_KV_CACHE ? fit_dims(group->type, dims) : 0;
    if (rank < 3) return false;
    *dim = growing_dim(c, rank);
    return !c->size || dims[*dim] == c->size;
}

static uint64_t cache_size(const struct fit_scaling *scaling, uint32_t buffer, uint64_t n) {
    const struct caches *c = scaling->context;
    unsigned dim;
    bool by_tiles;
    const struct fit_buffer *b = &scaling->trace->buffers.items[buffer];
    return is_cache(scaling->trace, c, buffer, &dim) ? fit_bytes_with(scaling->trace, b, dim, n, &by_tiles) : b->bytes;
}

/* Do the tiles of all caches give their size with another length? */
static bool by_tiles_all(const struct fit_trace *trace, const struct caches *c) {
    for (uint32_t i = 0; i < trace->buffers.len; i++) {
        unsigned dim;
        bool by_tiles = true;
        if (is_cache(trace, c, i, &dim)) fit_bytes_with(trace, &trace->buffers.items[i], dim, c->size, &by_tiles);
        if (!by_tiles) return false;
    }
    return true;
}

static void find_caches(const struct fit *fit, struct caches *c) {
    const struct fit_trace *trace = fit->trace;
    for (uint32_t i = 0; i < trace->buffers.len; i++) {
        uint64_t dims[FIT_MOST_DIMS];
        unsigned dim;
        if (!is_cache(trace, c, i, &dim)) continue;
        unsigned rank = fit_dims(trace->groups.items[trace->buffers.items[i].group].type, dims);
        c->size = dims[dim];
        if (c->paged) c->in_block = dims[rank - 2];
        if (fit_is_there(fit, &trace->buffers.items[i])) c->bytes += trace->buffers.items[i].bytes;
    }
}

void fit_limit_caches(struct fit *fit, struct fit_limits *out) {
    bool paged = fit->trace->paged;
    struct caches c = {.paged = paged};
    if (fit->trace->compiled || fit->trace->pool != POOL_DRAM) return;
    find_caches(fit, &c);
    if (!c.size || !c.bytes) return;
    struct fit_scaling scaling = {.size = cache_size,
                                  .trace = fit->trace,
                                  .context = &c,
                                  .was = c.size,
                                  .step = paged ? 1 : TILE,
                                  .uncertainty = fit->trace->follows ? FIT_LOG_ROUNDING : 0};
    struct fit_limit *limit = &out->of[paged ? LIMIT_KV_BLOCKS : LIMIT_KV_LEN];
    *limit = (struct fit_limit){.what = paged ? "kv_blocks" : "kv_len",
                                .was = c.size,
                                .exact = !fit->trace->follows && by_tiles_all(fit->trace, &c),
                                .assumption = fit->trace->follows ? fit_without_holes : NULL,
                                .bytes_each = c.bytes / c.size,
                                .in_block = c.in_block};
    fit_limit_search(fit, &scaling, limit);
    if (!limit->known) return;
    if (paged && c.in_block) {
        struct fit_limit *len = &out->of[LIMIT_KV_LEN];
        *len = *limit;
        len->what = "kv_len";
        len->was *= c.in_block;
        len->best *= c.in_block;
        len->bytes_each /= c.in_block;
        len->in_block = 0;
    }
    uint64_t asked = 0;
    for (uint32_t i = 0; i < fit->trace->buffers.len; i++) {
        unsigned dim;
        if (is_cache(fit->trace, &c, i, &dim) && fit_is_there(fit, &fit->trace->buffers.items[i]))
            asked += cache_size(&scaling, i, limit->best);
    }
    /* vLLM's plugin counts the whole DRAM of the device, including what the runtime reserves */
    const struct chip *chip = fit->trace->chip;
    uint64_t bank = chip && chip->dram_view_bytes > fit->trace->bank ? chip->dram_view_bytes : fit->trace->bank;
    if (bank) out->utilization_milli = (uint64_t)((unsigned __int128)asked * 1000 / bank);
}
