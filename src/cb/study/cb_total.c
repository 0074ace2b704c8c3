/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/study/cb_total.h"

#include "base/num.h"

int64_t cb_decl_cost(const struct cb_decl *decl) { return decl->tensor_backed || decl->global ? 0 : decl->total_bytes; }

bool cb_total_is_known(const struct cb_total *total) { return total->bounded && total->min_bytes == total->max_bytes; }

/* One side of a branch. Sides that exclude each other count once: the largest for the upper bound, the smallest for the
 * lower bound, which is 0 if a side is missing. */
struct total_side {
    uint32_t parent, leader; /* leader: first side of the same branch */
    const struct cb_condition *condition;
    uint64_t bytes;       /* of the buffers made there */
    uint64_t least, most; /* of the branch, at its leader */
    uint32_t seen;        /* sides of the branch, at its leader */
};
typedef VEC(struct total_side) sides;

static uint32_t side_below(sides *all, uint32_t parent, const struct cb_condition *condition) {
    uint32_t leader = (uint32_t)all->len;
    for (uint32_t i = parent + 1; i < all->len; i++) {
        if (all->items[i].parent != parent || all->items[i].condition->id != condition->id) continue;
        if (all->items[i].condition->which == condition->which) return i;
        if (leader == all->len) leader = i;
    }
    vec_push(all, ((struct total_side){.parent = parent, .leader = leader, .condition = condition, .least = UINT64_MAX}));
    return (uint32_t)all->len - 1;
}

static uint64_t fold(sides *all, bool most) {
    for (size_t i = all->len; i-- > 1;) {
        struct total_side *s = &all->items[i], *leader = &all->items[s->leader];
        if (s->bytes > leader->most) leader->most = s->bytes;
        if (s->bytes < leader->least) leader->least = s->bytes;
        leader->seen++;
        if (s->leader != i) continue;
        uint64_t part = most ? s->most : s->seen >= s->condition->sides ? s->least : 0;
        num_add(all->items[s->parent].bytes, part, &all->items[s->parent].bytes);
    }
    return all->items[0].bytes;
}

static bool shares_index(const struct cb_decl *a, const struct cb_decl *b) {
    for (uint32_t i = 0; i < a->n_indices; i++)
        for (uint32_t k = 0; k < b->n_indices; k++)
            if (a->indices[i].index >= 0 && a->indices[i].index == b->indices[k].index && !a->indices[i].sometimes &&
                !b->indices[k].sometimes)
                return true;
    return false;
}

/* Which buffers to add up. */
struct sum {
    const struct cb_source *source;
    uint32_t program;
    bool most;
    const struct slice *cores; /* only those on these cores; NULL: all, as if they were on the same ones */
};

static bool counts(const struct sum *sum, const struct cb_decl *d) {
    if (d->program != sum->program) return false;
    if (sum->most) return true;
    return !d->sometimes && (!sum->cores || slice_equal(d->core_expr, *sum->cores));
}

static bool same_conditions(const struct cb_decl *a, const struct cb_decl *b) {
    if (a->n_conditions != b->n_conditions) return false;
    for (uint32_t i = 0; i < a->n_conditions; i++)
        if (a->conditions[i].id != b->conditions[i].id || a->conditions[i].which != b->conditions[i].which) return false;
    return true;
}

/* Does it share the memory of a buffer that was already counted? */
static bool is_counted(const struct sum *sum, const struct cb_decl *d) {
    for (const struct cb_decl *e = sum->source->decls.items; e < d; e++)
        if (e->program == d->program && e->kind == d->kind && slice_equal(e->name, d->alias) && same_conditions(e, d))
            return true;
    return false;
}

static uint64_t cost_of(const struct sum *sum, const struct cb_decl *d) {
    if (d->alias.len && is_counted(sum, d)) return 0;
    if (!sum->most && slice_equal(d->alias, SLICE("?"))) return 0;
    if (!sum->most) return (uint64_t)d->min_bytes;
    return d->max_bytes > 0 ? (uint64_t)d->max_bytes : 0;
}

/* What a buffer adds to the core that has most. A core has each index once, so buffers of the same index under the same
 * conditions are on different cores, and only the largest counts. `where`: the sides of the buffers counted so far, from 1. */
static uint64_t added_cost(const struct sum *sum, size_t i, const uint32_t *where) {
    const struct cb_decl *d = &sum->source->decls.items[i];
    uint64_t cost = cost_of(sum, d), largest = 0;
    for (size_t k = 0; k < i; k++) {
        const struct cb_decl *e = &sum->source->decls.items[k];
        if (where[k] != where[i] || !shares_index(d, e)) continue;
        if (cost_of(sum, e) > largest) largest = cost_of(sum, e);
    }
    return cost > largest ? cost - largest : 0;
}

static uint64_t sum_of(const struct sum *sum) {
    const struct cb_source *source = sum->source;
    sides all = {0};
    uint32_t *where = mem_zalloc(source->decls.len + 1, sizeof *where);
    vec_push(&all, ((struct total_side){0}));
    for (size_t i = 0; i < source->decls.len; i++) {
        const struct cb_decl *d = &source->decls.items[i];
        if (!counts(sum, d)) continue;
        uint32_t at = 0;
        for (uint32_t k = 0; k < d->n_conditions; k++) at = side_below(&all, at, &d->conditions[k]);
        where[i] = at + 1;
        num_add(all.items[at].bytes, added_cost(sum, i, where), &all.items[at].bytes);
    }
    free(where);
    uint64_t bytes = fold(&all, sum->most);
    vec_release(&all);
    return bytes;
}

/* Buffers whose cores are written differently may be on different cores, so the lower bound is the largest need of one core
 * expression. */
static uint64_t least_of(const struct cb_source *source, uint32_t program) {
    uint64_t least = 0;
    for (size_t i = 0; i < source->decls.len; i++) {
        const struct cb_decl *d = &source->decls.items[i];
        if (d->program != program) continue;
        bool earlier = false;
        for (size_t k = 0; k < i && !earlier; k++)
            earlier = source->decls.items[k].program == program && slice_equal(source->decls.items[k].core_expr, d->core_expr);
        if (earlier) continue;
        uint64_t bytes = sum_of(&(struct sum){source, program, false, &d->core_expr});
        if (bytes > least) least = bytes;
    }
    return least;
}

struct cb_total cb_total_of(const struct cb_source *source, uint32_t program) {
    struct cb_total total = {.bounded = !source->partial_everywhere && !source->programs.items[program].open};
    for (size_t i = 0; i < source->decls.len; i++) {
        const struct cb_decl *d = &source->decls.items[i];
        if (d->program != program) continue;
        total.buffers++;
        total.kinds[d->kind]++;
        total.tensor_backed += d->tensor_backed;
        total.adaptive += d->strategy == CB_ADAPTIVE;
        total.unknown += cb_decl_cost(d) < 0;
        total.bounded &= d->max_bytes >= 0 && !d->repeats;
    }
    total.min_bytes = least_of(source, program);
    total.max_bytes = sum_of(&(struct sum){source, program, true, NULL});
    return total;
}
