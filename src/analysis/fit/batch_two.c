/* SPDX-License-Identifier: Apache-2.0 */
/* The largest batch that fits, from two runs of the same ops with different batches. */
#include <stdlib.h>

#include "analysis/fit/limits.h"
#include "base/num.h"

static uint64_t apart(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

struct two_batches {
    const struct fit_trace *one, *other;
    uint64_t n, other_n;
};

/* On the line through both. */
static uint64_t between(const struct two_batches *t, uint64_t at_n, uint64_t at_other, uint64_t n) {
    __int128 slope = ((__int128)at_other - (__int128)at_n) * ((__int128)n - (__int128)t->n);
    __int128 span = (__int128)t->other_n - (__int128)t->n, value = (__int128)at_n + slope / span;
    return value <= 0 ? 0 : value > INT64_MAX ? INT64_MAX : (uint64_t)value;
}

static bool same_events(const struct fit_trace *a, const struct fit_trace *b) {
    if (a->events.len != b->events.len || a->buffers.len != b->buffers.len) return false;
    for (size_t i = 0; i < a->events.len; i++)
        if (a->events.items[i] != b->events.items[i]) return false;
    for (size_t i = 0; i < a->buffers.len; i++)
        if (a->groups.items[a->buffers.items[i].group].class != b->groups.items[b->buffers.items[i].group].class) return false;
    return true;
}

/* The only dimension in which they differ; false: none, or several. */
static bool differs(const struct tensor_type *a, const struct tensor_type *b, struct two_batches *t, unsigned *dim) {
    uint64_t x[FIT_MOST_DIMS], y[FIT_MOST_DIMS];
    unsigned rank = fit_dims(a, x), found = 0;
    if (!rank || fit_dims(b, y) != rank) return false;
    for (unsigned i = 0; i < rank; i++) {
        if (x[i] == y[i]) continue;
        found++;
        *dim = i;
        t->n = x[i];
        t->other_n = y[i];
    }
    return found == 1;
}

/* A tensor that differs in one dimension gets that dimension from the line, and the tiles that it then takes; other differences
 * follow the line directly. */
static uint64_t told_by_both(const struct two_batches *t, uint32_t buffer, uint64_t n, bool *by_tiles) {
    const struct fit_buffer *a = &t->one->buffers.items[buffer], *b = &t->other->buffers.items[buffer];
    struct two_batches of = *t;
    unsigned dim;
    /* differences below the rounding of a log do not count */
    uint64_t least = t->one->groups.items[a->group].class == LIVE_CLASS_COUNT ? FIT_LOG_ROUNDING : 0;
    *by_tiles = true;
    if (apart(a->bytes, b->bytes) <= least) return a->bytes;
    *by_tiles = false;
    if (!differs(t->one->groups.items[a->group].type, t->other->groups.items[b->group].type, &of, &dim))
        return between(t, a->bytes, b->bytes, n);
    uint64_t size = between(t, of.n, of.other_n, n);
    return fit_bytes_with(t->one, a, dim, size ? size : 1, by_tiles);
}

static uint64_t on_line(const struct fit_scaling *scaling, uint32_t buffer, uint64_t n) {
    bool by_tiles;
    return told_by_both(scaling->context, buffer, n, &by_tiles);
}

/* Do shapes give the exact size of each buffer in both runs? Then they do so for any batch. */
static bool shapes_tell_all(const struct two_batches *t) {
    for (uint32_t i = 0; i < t->one->buffers.len; i++) {
        bool by_tiles;
        uint64_t bytes = told_by_both(t, i, t->other_n, &by_tiles);
        const struct fit_group *a = &t->one->groups.items[t->one->buffers.items[i].group];
        const struct fit_group *b = &t->other->groups.items[t->other->buffers.items[i].group];
        struct two_batches of = *t;
        unsigned dim;
        /* they may have the same number of tiles by chance: a larger batch may need more */
        bool grows = a->type && b->type && differs(a->type, b->type, &of, &dim);
        if (grows) fit_bytes_with(t->one, &t->one->buffers.items[i], dim, of.other_n, &by_tiles);
        if (!by_tiles || bytes != t->other->buffers.items[i].bytes) return false;
    }
    return true;
}

/* The batches of both, from their inputs, else from what they compute. */
static bool find_batches(struct two_batches *t) {
    const struct fit_trace *a = t->one, *b = t->other;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, k = 0; i < a->groups.len; i++) {
            const struct fit_group *group = &a->groups.items[i];
            bool wanted = pass ? group->class == LIVE_ACTIVATION : group->class == LIVE_INPUT;
            if (!wanted || !group->type) continue;
            while (k < b->groups.len && (b->groups.items[k].class != group->class || !b->groups.items[k].type)) k++;
            if (k == b->groups.len) break;
            unsigned dim;
            if (differs(group->type, b->groups.items[k++].type, t, &dim)) return true;
        }
    return false;
}

/* The highest allocation at each point of a log. */
struct place_levels {
    uint64_t *highest;
    size_t count, at;
    uint64_t level; /* current, in the place `at` */
};

static void reach(struct place_levels *l, size_t place) {
    while (l->at < place && l->at + 1 < l->count)
        if (l->level > l->highest[++l->at]) l->highest[l->at] = l->level;
}

static void on_level(void *context, const struct fit_trace *trace, uint32_t place, uint64_t allocated) {
    struct place_levels *l = context;
    (void)trace;
    if (place != NONE) reach(l, (size_t)place + 1);
    l->level = allocated;
    if (allocated > l->highest[l->at]) l->highest[l->at] = allocated;
}

static size_t places_of(const struct fit_trace *trace) {
    uint32_t most = 0;
    for (size_t i = 0; i < trace->places.len; i++)
        if (trace->places.items[i] != NONE && trace->places.items[i] + 1 > most) most = trace->places.items[i] + 1;
    return (size_t)most + 1;
}

static void levels_of(const struct fit_trace *trace, size_t count, struct place_levels *l) {
    struct fit_variant v;
    *l = (struct place_levels){.count = count};
    l->highest = mem_zalloc(l->count, sizeof *l->highest);
    fit_variant_init(&v, trace);
    fit_levels(&v, &(struct fit_watcher){l, on_level});
    reach(l, count);
    fit_variant_release(&v);
}

static size_t places_of_both(const struct fit_trace *a, const struct fit_trace *b) {
    size_t x = places_of(a), y = places_of(b);
    return x > y ? x : y;
}

static bool same_ops(const struct fit_trace *a, const struct fit_trace *b) {
    size_t count = places_of_both(a, b);
    for (uint32_t i = 0; i + 1 < count; i++) {
        struct fit_op x, y;
        a->op_of(a, i, &x);
        b->op_of(b, i, &y);
        if (!slice_equal(x.name, y.name)) return false;
    }
    return true;
}

/* A log shows what was allocated at each point: each is on the line through its own two values. */
static uint64_t peak_on_line(const struct two_batches *t, const struct place_levels *a, const struct place_levels *b,
                             uint64_t n) {
    uint64_t peak = 0;
    for (size_t i = 0; i < a->count; i++) {
        uint64_t level = between(t, a->highest[i], b->highest[i], n);
        if (level > peak) peak = level;
    }
    return peak;
}

/* A log rounds: the further the line extends beyond its points, the more it may be off. */
static uint64_t off_at(const struct two_batches *t, uint64_t n) {
    return FIT_LOG_ROUNDING * (1 + num_ceil_div(2 * apart(n, t->n), apart(t->n, t->other_n)));
}

static void search_log(struct fit *fit, const struct two_batches *t, struct fit_limit *limit) {
    struct place_levels a, b;
    const uint64_t most = (uint64_t)1 << 26;
    size_t count = places_of_both(t->one, t->other);
    levels_of(t->one, count, &a);
    levels_of(t->other, count, &b);
    uint64_t low = 0, high = 1, top = fit_limit_of(fit, &fit->base);
    while (high <= most && peak_on_line(t, &a, &b, high) + off_at(t, high) <= top) {
        low = high;
        high *= 2;
    }
    limit->bounded = high <= most;
    while (limit->bounded && high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (peak_on_line(t, &a, &b, middle) + off_at(t, middle) <= top) low = middle;
        else high = middle;
    }
    limit->best = low;
    limit->known = low > 0;
    limit->peak = peak_on_line(t, &a, &b, low);
    uint64_t one = peak_on_line(t, &a, &b, t->n), other = peak_on_line(t, &a, &b, t->other_n);
    limit->bytes_each = fit_limit_each(limit, one, apart(one, other) / apart(t->n, t->other_n));
    free(a.highest);
    free(b.highest);
}

/* Is the trace that is made for the other batch equal to that of the other run? */
static bool makes_other(const struct fit_batches *batches, const struct two_batches *t) {
    const struct fit_trace *made = batches && batches->was == t->n ? batches->with(batches->context, t->other_n) : NULL;
    if (!made || !same_events(made, t->other)) return false;
    for (size_t i = 0; i < made->buffers.len; i++)
        if (made->buffers.items[i].bytes != t->other->buffers.items[i].bytes) return false;
    return true;
}

static uint64_t peak_of(const struct fit_trace *trace) {
    struct fit_variant v;
    struct fit_result result;
    fit_variant_init(&v, trace);
    fit_sums(&v, &result);
    fit_variant_release(&v);
    return result.peak;
}

const char *fit_limit_batch_of(struct fit *fit, const struct fit_trace *other, const struct fit_batches *batches,
                               struct fit_limits *out) {
    struct two_batches t = {.one = fit->trace, .other = other};
    bool events = same_events(t.one, other);
    if (!events && !(t.one->follows && other->follows && same_ops(t.one, other))) return "does other ops, or in another order";
    if (!find_batches(&t)) return "has no other batch: no input and no result differs in one dimension";
    struct fit_limit *limit = &out->of[LIMIT_BATCH];
    *limit = (struct fit_limit){.what = "batch", .was = t.n};
    if (t.one->follows) limit->assumption = fit_without_holes;
    else limit->assumption = "what has no shape grows in a straight line";
    if (events && makes_other(batches, &t)) {
        struct fit_scaling scaling = {.batches = batches, .trace = t.one, .was = t.n, .step = 1};
        limit->exact = true;
        limit->assumption = NULL;
        fit_limit_search(fit, &scaling, limit);
        limit->bytes_each =
            fit_limit_each(limit, peak_of(t.one), apart(peak_of(t.one), peak_of(other)) / apart(t.n, t.other_n));
    } else if (events) {
        limit->exact = !t.one->follows && !t.one->compiled && shapes_tell_all(&t) && !fit->difference && !fit->blocks_off;
        if (limit->exact) limit->assumption = NULL;
        struct fit_scaling scaling = {.size = on_line,
                                      .trace = t.one,
                                      .context = &t,
                                      .was = t.n,
                                      .step = 1,
                                      .uncertainty = t.one->follows ? FIT_LOG_ROUNDING : 0};
        fit_limit_search(fit, &scaling, limit);
        limit->bytes_each = fit_limit_each(limit, fit->base.peak, fit_growth_at_peak(fit, &scaling));
    } else {
        search_log(fit, &t, limit);
    }
    return NULL;
}
