/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest set of changes that reaches the target: one, all pairs, all triples where there is time for them, else greedily.
 */
#include <stdlib.h>

#include "analysis/fit/fit.h"

static uint64_t excess_of(const struct fit *fit, const struct fit_result *r) {
    uint64_t limit = fit_limit_of(fit, r);
    return r->peak > limit ? r->peak - limit : 0;
}

static uint64_t missing_of(const struct fit_result *r) { return r->wants > r->largest ? r->wants - r->largest : 0; }

/* Nearer to the target: less beyond it, then everything placed, then further before it fails, then less missing there, then
 * lower, then with more room. */
bool fit_is_better(const struct fit *fit, const struct fit_result *a, const struct fit_result *b) {
    uint64_t x = excess_of(fit, a), y = excess_of(fit, b);
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

struct searching {
    struct fit *fit;
    size_t *from; /* changes that may be combined */
    size_t count;
};

static bool exclude_each_other(const struct fit *fit, const size_t *members, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            const struct fit_kind *kind = fit->changes.items[members[i]].kind;
            if (kind->one_of_them && kind == fit->changes.items[members[k]].kind) return true;
        }
    return false;
}

/* False: there is no time left. */
static bool try_set(struct searching *s, const size_t *members, size_t count, struct fit_set *made) {
    struct fit *fit = s->fit;
    const struct fit_change *set[FIT_SET_MOST];
    if (count > 1 && fit->work > fit->budget) return false; /* each alone was replayed before */
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
    made->found = fit_reaches(fit, &made->result);
    return true;
}

static void keep_better(const struct fit *fit, struct fit_set *best, const struct fit_set *made) {
    if (!made->found) return;
    if (best->found && best->exact && !made->exact) return;
    if (!best->found || (made->exact && !best->exact) || fit_is_better(fit, &made->result, &best->result)) *best = *made;
}

/* All sets of `size`; false when time ran out before all were tried. */
static bool try_sets(struct searching *s, size_t size, struct fit_set *best) {
    size_t at[4] = {0}, members[4];
    for (size_t i = 0; i < size; i++) at[i] = i;
    if (s->count < size) return true;
    for (;;) {
        struct fit_set made;
        for (size_t i = 0; i < size; i++) members[i] = s->from[at[i]];
        if (!try_set(s, members, size, &made)) return false;
        keep_better(s->fit, best, &made);
        size_t i = size;
        while (i-- > 0 && at[i] == s->count - size + i) continue;
        if (i >= size) return true;
        at[i]++;
        for (size_t k = i + 1; k < size; k++) at[k] = at[k - 1] + 1;
    }
}

static bool holds(const struct fit_set *set, size_t change) {
    for (size_t i = 0; i < set->count; i++)
        if (set->changes[i] == change) return true;
    return false;
}

/* Adds what brings it nearest, again and again. */
static bool try_greedily(struct searching *s, struct fit_set *best) {
    struct fit_set now = {.result = s->fit->base};
    while (!now.found && now.count < FIT_SET_MOST) {
        struct fit_set next = now;
        for (size_t i = 0; i < s->count; i++) {
            size_t members[FIT_SET_MOST];
            struct fit_set made;
            if (holds(&now, s->from[i])) continue;
            for (size_t k = 0; k < now.count; k++) members[k] = now.changes[k];
            members[now.count] = s->from[i];
            if (!try_set(s, members, now.count + 1, &made)) return false;
            if (fit_is_better(s->fit, &made.result, &next.result)) next = made;
        }
        if (next.count == now.count) return true; /* nothing helps any more */
        now = next;
    }
    if (now.found) *best = now;
    return true;
}

/* Leaves out what is not needed. */
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

void fit_search(struct fit *fit) {
    struct searching s = {.fit = fit, .from = mem_alloc((fit->changes.len + 1) * sizeof *s.from)};
    bool all = fit->left_out == 0;
    fit->set = (struct fit_set){0};
    if (fit_reaches(fit, &fit->base)) {
        fit->set =
            (struct fit_set){.found = true, .proven = true, .exact = fit->difference < FIT_LOG_ROUNDING, .result = fit->base};
    }
    for (size_t i = 0; i < fit->changes.len; i++) {
        const struct fit_change *c = &fit->changes.items[i];
        if (!c->other_device && !c->contains_others && !(fit->exact_only && c->assumption)) s.from[s.count++] = i;
    }
    size_t single = s.count; /* what is not many changes in one */
    for (size_t i = 0; i < fit->changes.len; i++) {
        const struct fit_change *c = &fit->changes.items[i];
        if (!c->other_device && c->contains_others && !(fit->exact_only && c->assumption)) s.from[s.count++] = i;
    }
    size_t every = s.count;
    s.count = single;
    for (size_t size = 1; size <= 3 && !fit->set.found && all; size++) {
        uint64_t sets = size == 1 ? 1 : size == 2 ? s.count * s.count / 2 : s.count * s.count * s.count / 6;
        if (size > 1 && sets * fit->trace->events.len > fit->budget) all = false;
        else all = try_sets(&s, size, &fit->set);
        if (fit->set.found) fit->set.proven = true; /* everything smaller was tried before */
    }
    if (!fit->set.found && fit->left_out) try_sets(&s, 1, &fit->set);
    if (fit->set.found && fit->set.count == 1) fit->set.proven = true;
    if (!fit->set.found) {
        try_greedily(&s, &fit->set);
        prune(&s, &fit->set);
    }
    /* many changes in one, alone or with one of the others */
    if (!fit->set.found && every > single) {
        s.count = every;
        if (try_sets(&s, 1, &fit->set) && !fit->set.found) try_sets(&s, 2, &fit->set);
        fit->set.proven = false;
    }
    free(s.from);
}
