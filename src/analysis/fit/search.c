/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest set of changes that reaches the target: single changes, then all pairs, all triples and so on while there is
 * time, else greedily. A set that only may reach it is an answer if none is certain to.
 *
 * Most sets need no replay: at the present peak, a set saves no more than the sum of its changes, so sets that together save
 * less than is needed there cannot reach the target. */
#include <stdlib.h>
#include <string.h>

#include "analysis/fit/effects.h"

static uint64_t excess_of(const struct fit *fit, const struct fit_result *r) {
    uint64_t limit = fit_limit_of(fit, r);
    return r->peak > limit ? r->peak - limit : 0;
}

static uint64_t missing_of(const struct fit_result *r) { return r->wants > r->largest ? r->wants - r->largest : 0; }

/* Nearer to the target: less beyond it, then everything placed, then failing later, then less missing there, then lower,
 * then with more room. */
bool fit_is_better(const struct fit *fit, const struct fit_result *a, const struct fit_result *b) {
    uint64_t x = excess_of(fit, a), y = excess_of(fit, b);
    if (a->cut != b->cut) return b->cut;
    if (x != y) return x < y;
    if (a->fits != b->fits) return a->fits;
    if (!a->fits) {
        const struct fit_buffer *buffers = fit->trace->buffers.items;
        if (a->failed_buffer != b->failed_buffer && a->failed_buffer < fit->trace->buffers.len &&
            b->failed_buffer < fit->trace->buffers.len)
            return buffers[a->failed_buffer].take > buffers[b->failed_buffer].take;
        x = missing_of(a), y = missing_of(b);
        if (x != y) return x < y;
    }
    if (a->peak != b->peak) return a->peak < b->peak;
    return a->margin > b->margin;
}

/* Larger than any bank, yet a sum over a whole set does not overflow. */
static const int64_t UNBOUNDED = (int64_t)1 << 56;

struct member {
    size_t change;                     /* index in fit.changes */
    int64_t least, most;               /* what it saves at the peak: at least, at most */
    int64_t sums[2][FIT_SET_MOST + 1]; /* sums of the largest ones from here on: at least, at most */
};

struct searching {
    struct fit *fit;
    struct member *from; /* changes that may be combined */
    size_t count;
    uint64_t until;     /* amount of work after which no more sets are tried */
    struct fit_set may; /* the smallest that may reach the target */
};

const char *fit_exclude_each_other(const struct fit_change *a, const struct fit_change *b) {
    return a->one_of && b->one_of && strcmp(a->one_of, b->one_of) == 0 ? a->one_of : NULL;
}

static bool exclude_each_other(const struct fit *fit, const size_t *members, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            if (fit_exclude_each_other(&fit->changes.items[members[i]], &fit->changes.items[members[k]])) return true;
    return false;
}

/* False: there is no time left. */
static bool try_set(struct searching *s, const size_t *members, size_t count, struct fit_set *made) {
    struct fit *fit = s->fit;
    const struct fit_change *set[FIT_SET_MOST];
    if (count > 1 && fit->work > s->until) return false; /* each alone was replayed before */
    if (exclude_each_other(fit, members, count)) {
        *made = (struct fit_set){.result = fit->base};
        return true;
    }
    *made = (struct fit_set){.count = count, .exact = true};
    for (size_t i = 0; i < count; i++) {
        made->changes[i] = members[i];
        set[i] = &fit->changes.items[members[i]];
        made->uncertainty += set[i]->uncertainty;
        if (set[i]->assumption) made->exact = false;
    }
    if (count == 1) {
        made->result = set[0]->result;
    } else {
        fit_evaluate(fit, set, count, &made->result);
    }
    enum fit_verdict verdict = fit_to_target(fit, &made->result, made->uncertainty);
    made->found = verdict == FIT_FITS;
    made->maybe = verdict == FIT_MAY_FIT;
    return true;
}

/* Of several the exact one, then the better one; in table order. */
static bool is_preferred(const struct fit *fit, const struct fit_set *made, const struct fit_set *best) {
    if (made->exact != best->exact) return made->exact;
    if (made->result.peak != best->result.peak) return made->result.peak < best->result.peak;
    return fit_is_better(fit, &made->result, &best->result);
}

static void keep_better(struct searching *s, struct fit_set *best, const struct fit_set *made) {
    if (made->found && (!best->found || is_preferred(s->fit, made, best))) *best = *made;
    struct fit_set *may = &s->may;
    bool smaller = !may->maybe || made->count < may->count || (made->count == may->count && is_preferred(s->fit, made, may));
    if (made->maybe && smaller) *may = *made;
}

/* --- all sets of a size --- */

/* What is missing at the peak: at most, and at least. */
static int64_t missing_at_peak(const struct fit *fit, bool certain) {
    int64_t off = (int64_t)fit->difference, limit = (int64_t)fit_limit_of(fit, &fit->base);
    return (int64_t)fit->base.peak - limit + (certain ? off + (int64_t)fit->trace->higher : -off);
}

static int by_amount(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x > y ? -1 : x < y;
}

/* The sums of the largest, from each member on. */
static void sum_largest(struct searching *s) {
    int64_t *largest = mem_alloc((s->count + 1) * sizeof *largest);
    for (int most = 0; most < 2; most++) {
        for (size_t i = s->count; i-- > 0;) {
            size_t left = s->count - i;
            largest[left - 1] = most ? s->from[i].most : s->from[i].least;
            qsort(largest, left, sizeof *largest, by_amount);
            int64_t *sums = s->from[i].sums[most];
            sums[0] = 0;
            for (size_t k = 1; k <= FIT_SET_MOST; k++) sums[k] = k <= left ? sums[k - 1] + largest[k - 1] : -UNBOUNDED;
        }
    }
    free(largest);
}

struct sets {
    struct searching *s;
    struct fit_set *best;
    size_t size, count, members[FIT_SET_MOST];
    int64_t missing;
    bool most; /* by what they take off at most */
};

/* Tries the sets that begin with the members so far, which save that much; false if time ran out. */
static bool try_from(struct sets *t, size_t first, int64_t saved) {
    struct searching *s = t->s;
    for (size_t i = first; i + (t->size - t->count) <= s->count; i++) {
        const struct member *m = &s->from[i];
        if (saved + m->sums[t->most][t->size - t->count] < t->missing) return true; /* neither do later ones */
        if (s->fit->work++ > s->until && t->size > 1) return false;
        t->members[t->count++] = m->change;
        if (t->count < t->size) {
            if (!try_from(t, i + 1, saved + (t->most ? m->most : m->least))) return false;
        } else if (saved + (t->most ? m->most : m->least) >= t->missing) {
            struct fit_set made;
            if (!try_set(s, t->members, t->size, &made)) return false;
            keep_better(s, t->best, &made);
        }
        t->count--;
    }
    return true;
}

/* Tries all sets of `size` that may reach the target, of large ones only those that may be certain to; false if time ran out
 * before all were tried. */
static bool try_sets(struct searching *s, size_t size, struct fit_set *best) {
    enum { SIZE_OF_MAY = 2 };
    struct sets t = {.s = s, .best = best, .size = size, .most = size <= SIZE_OF_MAY};
    t.missing = missing_at_peak(s->fit, !t.most);
    return s->count < size || try_from(&t, 0, 0);
}

/* --- step by step --- */

static bool holds(const struct fit_set *set, size_t change) {
    for (size_t i = 0; i < set->count; i++)
        if (set->changes[i] == change) return true;
    return false;
}

/* Repeatedly adds the change that brings the set nearest to the target. */
static bool try_greedily(struct searching *s, struct fit_set now, struct fit_set *best) {
    while (!now.found && now.count < FIT_SET_MOST) {
        struct fit_set next = now;
        for (size_t i = 0; i < s->count; i++) {
            size_t members[FIT_SET_MOST];
            struct fit_set made;
            if (holds(&now, s->from[i].change)) continue;
            for (size_t k = 0; k < now.count; k++) members[k] = now.changes[k];
            members[now.count] = s->from[i].change;
            if (!try_set(s, members, now.count + 1, &made)) return false;
            keep_better(s, &(struct fit_set){.found = true, .exact = true}, &made);
            if (fit_is_better(s->fit, &made.result, &next.result)) next = made;
        }
        if (next.count == now.count) return true; /* nothing helps any more */
        now = next;
    }
    if (now.found) *best = now;
    return true;
}

/* Drops changes that are not needed. */
static void prune(struct searching *s, struct fit_set *set) {
    for (size_t i = 0; set->found && i < set->count && set->count > 1;) {
        size_t members[FIT_SET_MOST], count = 0;
        struct fit_set made;
        for (size_t k = 0; k < set->count; k++)
            if (k != i) members[count++] = set->changes[k];
        if (!try_set(s, members, count, &made)) return;
        if (made.found) *set = made;
        else i++;
    }
}

/* Single changes and pairs, including combined changes, while there is time: a set found step by step may be larger than
 * necessary. */
static void shorten(struct searching *s) {
    struct fit *fit = s->fit;
    struct fit_set pair = {0};
    s->until = fit->work + fit->budget / 4; /* its own budget: earlier steps may have used all of it */
    if (try_sets(s, 1, &pair) && !pair.found) try_sets(s, 2, &pair);
    if (pair.found) fit->set = pair;
}

/* All sets of one, of two, ... until one reaches the target; false if time ran out. */
static bool try_by_size(struct searching *s) {
    struct fit *fit = s->fit;
    for (size_t size = 1; size <= s->count && size <= FIT_SET_MOST && !fit->set.found; size++)
        if (!try_sets(s, size, &fit->set)) return false;
    return s->count <= FIT_SET_MOST || fit->set.found;
}

/* --- candidates --- */

static struct member member_of(struct fit *fit, size_t number) {
    struct fit_change *c = &fit->changes.items[number];
    struct member m = {.change = number, .least = UNBOUNDED, .most = UNBOUNDED};
    if (!c->kind->apply) return m; /* another trace altogether */
    struct fit_effects *effects = arena_alloc(&fit->arena, sizeof *effects);
    fit_effects_find(fit, c, &fit->arena, effects);
    if (effects->kept) c->effects = effects;
    m.least = (int64_t)effects->at_peak - (int64_t)c->uncertainty;
    m.most = (int64_t)effects->at_peak + (int64_t)c->uncertainty;
    return m;
}

/* Combined changes, and those that give something up, come last. */
static void add_members(struct searching *s, bool last) {
    struct fit *fit = s->fit;
    for (size_t i = 0; i < fit->changes.len; i++) {
        const struct fit_change *c = &fit->changes.items[i];
        if (c->other_device || (c->contains_others || c->gives_up) != last || (fit->exact_only && c->assumption)) continue;
        s->from[s->count++] = member_of(fit, i);
    }
    sum_largest(s);
}

/* A change that is contained in another one of the set saves nothing, and must not add its uncertainty either. */
static void drop_idle(struct searching *s, struct fit_set *set) {
    s->until = UINT64_MAX; /* for a few replays */
    for (size_t i = set->count; i-- > 0 && set->count > 1;) {
        size_t members[FIT_SET_MOST], left = 0;
        struct fit_set without;
        for (size_t k = 0; k < set->count; k++)
            if (k != i) members[left++] = set->changes[k];
        if (try_set(s, members, left, &without) && without.result.peak <= set->result.peak) *set = without;
    }
}

void fit_search(struct fit *fit) {
    struct searching s = {.fit = fit, .from = mem_alloc((fit->changes.len + 1) * sizeof *s.from)};
    fit->set = (struct fit_set){0};
    if (fit_was_to_target(fit) == FIT_FITS) {
        fit->set = (struct fit_set){.found = true,
                                    .proven = true,
                                    .exact = fit->difference < FIT_LOG_ROUNDING && !fit->trace->bounded,
                                    .result = fit->base};
        free(s.from);
        return;
    }
    add_members(&s, false);
    size_t single = s.count; /* changes that are not combined ones */
    s.until = fit->work + fit->budget / 4;
    bool all = try_by_size(&s);
    if (fit->set.found) fit->set.proven = fit->set.count == 1 || (all && !fit->left_out); /* everything smaller was tried */
    s.until = fit->work + fit->budget / 4;
    if (!fit->set.found) {
        try_greedily(&s, (struct fit_set){.result = fit->base}, &fit->set);
        prune(&s, &fit->set);
    }
    /* the last candidates, alone or with one of the others */
    add_members(&s, true);
    if (!fit->set.found && s.count > single && try_sets(&s, 1, &fit->set) && !fit->set.found) try_sets(&s, 2, &fit->set);
    size_t all_count = s.count;
    for (size_t i = single; i < all_count && !fit->set.found; i++) {
        struct fit_set start;
        s.count = single;
        if (!try_set(&s, &s.from[i].change, 1, &start)) break;
        try_greedily(&s, start, &fit->set);
        prune(&s, &fit->set);
    }
    s.count = all_count;
    if (fit->set.found && !fit->set.proven && fit->set.count > 2) shorten(&s);
    if (!fit->set.found && s.may.maybe) drop_idle(&s, &s.may);
    if (!fit->set.found && s.may.maybe) fit->set = s.may;
    free(s.from);
}
