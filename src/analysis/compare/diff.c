/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/diff.h"

#include <stdlib.h>

#include "analysis/compare/align.h"
#include "analysis/compare/diff_parts.h"

const char *const diff_cause_names[CAUSE_COUNT] = {[CAUSE_NEW] = "new",
                                                   [CAUSE_KEPT] = "kept",
                                                   [CAUSE_POOL_IN] = "pool_in",
                                                   [CAUSE_GONE] = "gone",
                                                   [CAUSE_FREED] = "freed",
                                                   [CAUSE_POOL_OUT] = "pool_out",
                                                   [CAUSE_ELSEWHERE] = "peak_elsewhere",
                                                   [CAUSE_LEFT] = "left",
                                                   [CAUSE_SHAPE] = "shape",
                                                   [CAUSE_DTYPE] = "dtype",
                                                   [CAUSE_LAYOUT] = "layout",
                                                   [CAUSE_GRID] = "grid",
                                                   [CAUSE_PADDING] = "padding",
                                                   [CAUSE_BANKS] = "banks"};

const char *const diff_cause_words[CAUSE_COUNT] = {[CAUSE_NEW] = "new",
                                                   [CAUSE_KEPT] = "no longer freed",
                                                   [CAUSE_POOL_IN] = "from another memory",
                                                   [CAUSE_GONE] = "gone",
                                                   [CAUSE_FREED] = "freed earlier",
                                                   [CAUSE_POOL_OUT] = "to another memory",
                                                   [CAUSE_ELSEWHERE] = "the peak is elsewhere",
                                                   [CAUSE_LEFT] = "from an earlier pass",
                                                   [CAUSE_SHAPE] = "shape",
                                                   [CAUSE_DTYPE] = "dtype",
                                                   [CAUSE_LAYOUT] = "layout",
                                                   [CAUSE_GRID] = "grid",
                                                   [CAUSE_PADDING] = "padding",
                                                   [CAUSE_BANKS] = "number of banks"};

enum { LEVELS = 3 }; /* the whole identity; numbers in the location left out; the op's name */

/* The location without its digits: compilers number values consecutively, so one more op shifts all that follow. */
static uint64_t hash_without_digits(struct slice s) {
    uint64_t h = 0;
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] < '0' || s.ptr[i] > '9') h = hash_mix(h, (unsigned char)s.ptr[i]);
    return h;
}

uint64_t kind_identity(const struct footprint *f, const struct footprint_kind *kind) {
    uint64_t name = hash_bytes64(footprint_text(f, kind->name)), place = hash_bytes64(footprint_text(f, kind->location));
    return hash_mix(hash_mix(hash_bytes64(footprint_text(f, kind->program)), name), place);
}

/* Keys of every level for the ops of a sequence; [level][item]. */
struct keys {
    uint64_t *of[LEVELS];
};

static void make_keys(const struct footprint *f, const uint32_t *ops, size_t len, struct keys *keys) {
    uint64_t *kinds[LEVELS];
    for (unsigned level = 0; level < LEVELS; level++) {
        kinds[level] = mem_alloc((f->kinds.len + 1) * sizeof **kinds);
        keys->of[level] = mem_alloc((len + 1) * sizeof **kinds);
    }
    for (size_t i = 0; i < f->kinds.len; i++) {
        const struct footprint_kind *kind = &f->kinds.items[i];
        uint64_t name = hash_bytes64(footprint_text(f, kind->name));
        kinds[0][i] = kind_identity(f, kind);
        kinds[1][i] = hash_mix(name, hash_without_digits(footprint_text(f, kind->location)));
        kinds[2][i] = name;
    }
    for (unsigned level = 0; level < LEVELS; level++) {
        for (size_t i = 0; i < len; i++) keys->of[level][i] = kinds[level][f->ops.items[ops[i]].kind];
        free(kinds[level]);
    }
}

static void keys_release(struct keys *keys) {
    for (unsigned level = 0; level < LEVELS; level++) free(keys->of[level]);
}

/* The rank that is compared: the one with the DRAM peak. */
static uint32_t peak_rank(const struct footprint *f) {
    if (f->only_rank) return f->only_rank - 1;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (f->pools[pool].seen) return f->pools[pool].rank;
    return f->ops.len ? f->ops.items[0].rank : 0;
}

uint32_t footprint_rank_like(const struct footprint *f, const struct footprint *other, uint32_t rank) {
    if (rank >= other->ranks.len) return NONE;
    struct slice name = footprint_text(other, other->ranks.items[rank]);
    uint32_t found = NONE, numbers = 0;
    uint64_t number, own;
    for (uint32_t i = 0; i < f->ranks.len; i++)
        if (slice_equal(footprint_text(f, f->ranks.items[i]), name)) return i;
    if (!num_at_end(name, &number)) return NONE;
    for (size_t i = 0; i < other->ranks.len; i++)
        if (num_at_end(footprint_text(other, other->ranks.items[i]), &own) && own == number) numbers++;
    for (uint32_t i = 0; i < f->ranks.len; i++) {
        if (!num_at_end(footprint_text(f, f->ranks.items[i]), &own) || own != number) continue;
        numbers++;
        found = i;
    }
    return numbers == 2 ? found : NONE; /* one in each */
}

/* The rank of `f` that corresponds to that of the other run, if it ran ops, or its own. */
static uint32_t same_rank(const struct footprint *f, const struct footprint *other, uint32_t rank) {
    uint32_t like = f->only_rank ? NONE : footprint_rank_like(f, other, rank);
    for (size_t op = 0; like != NONE && op < f->ops.len; op++)
        if (f->ops.items[op].rank == like) return like;
    return peak_rank(f);
}

/* Aligns twice, with and without the numbers in locations, and keeps the alignment with more matches. Shifted numbers make
 * different ops of the same name look equal. */
static void align_ops(struct diff *d) {
    uint32_t rank = peak_rank(d->b), a_rank = same_rank(d->a, d->b, rank);
    d->a_rank = a_rank;
    d->b_rank = rank;
    for (uint32_t i = 0; i < d->a->ops.len; i++)
        if (d->a->ops.items[i].rank == a_rank && footprint_has_op(d->a, i)) vec_push(&d->a_ops, i);
    for (uint32_t i = 0; i < d->b->ops.len; i++)
        if (d->b->ops.items[i].rank == rank && footprint_has_op(d->b, i)) vec_push(&d->b_ops, i);
    struct keys a, b;
    make_keys(d->a, d->a_ops.items, d->a_ops.len, &a);
    make_keys(d->b, d->b_ops.items, d->b_ops.len, &b);
    uint32_t *strict = mem_alloc((d->a_ops.len + 1) * sizeof *strict),
             *lenient = mem_alloc((d->a_ops.len + 1) * sizeof *strict);
    const uint64_t *a_keys[LEVELS], *b_keys[LEVELS];
    for (unsigned level = 0; level < LEVELS; level++) {
        a_keys[level] = a.of[level];
        b_keys[level] = b.of[level];
    }
    struct align_side a_side = {a_keys, d->a_ops.len}, b_side = {b_keys, d->b_ops.len};
    struct align_side a_loose = {a_keys + 1, d->a_ops.len}, b_loose = {b_keys + 1, d->b_ops.len};
    size_t by_strict = align_sides(&a_side, &b_side, LEVELS, strict);
    bool all = by_strict == d->a_ops.len || by_strict == d->b_ops.len;
    size_t by_lenient = all ? 0 : align_sides(&a_loose, &b_loose, LEVELS - 1, lenient);
    const uint32_t *best = by_lenient > by_strict ? lenient : strict;
    vec_reserve(&d->match, d->a_ops.len + 1);
    vec_reserve(&d->back, d->b_ops.len + 1);
    for (size_t i = 0; i < d->b_ops.len; i++) vec_push(&d->back, NONE);
    for (size_t i = 0; i < d->a_ops.len; i++) {
        vec_push(&d->match, best[i]);
        if (best[i] != NONE) d->back.items[best[i]] = (uint32_t)i;
    }
    d->matched = by_lenient > by_strict ? by_lenient : by_strict;
    free(strict);
    free(lenient);
    keys_release(&a);
    keys_release(&b);
}

static void find_hunks(struct diff *d) {
    uint32_t b = 0;
    struct diff_hunk hunk = {0};
    for (uint32_t a = 0; a <= d->a_ops.len; a++) {
        if (a < d->a_ops.len && d->match.items[a] == NONE) continue;
        uint32_t to = a < d->a_ops.len ? d->match.items[a] : (uint32_t)d->b_ops.len;
        hunk.a_end = a;
        hunk.b = b;
        hunk.b_end = to;
        if (hunk.a < hunk.a_end || hunk.b < hunk.b_end) vec_push(&d->hunks, hunk);
        hunk.a = a + 1;
        b = to + 1;
    }
    d->removed = d->a_ops.len - d->matched;
    d->added = d->b_ops.len - d->matched;
}

static uint64_t item_identity(const struct footprint *f, uint32_t op) {
    return kind_identity(f, &f->kinds.items[f->ops.items[op].kind]);
}

/* An op that is missing at one place and added at another has moved. Marks such items in both sequences. */
static void find_moves(struct diff *d, bool *a_moved, bool *b_moved) {
    struct map left = {0}, known = {0}; /* identity -> first unmatched item that is still free, + 1; -> its move, + 1 */
    bool added;
    uint32_t *next = mem_alloc((d->a_ops.len + 1) * sizeof *next);
    for (uint32_t i = (uint32_t)d->a_ops.len; i-- > 0;) {
        if (d->match.items[i] != NONE) continue;
        uint64_t key = item_identity(d->a, d->a_ops.items[i]);
        uint32_t *head = map_at(&left, (struct hash128){key, key}, &added);
        next[i] = added ? 0 : *head;
        *head = i + 1;
    }
    for (uint32_t i = 0; left.len && i < d->b_ops.len; i++) {
        if (d->back.items[i] != NONE) continue;
        uint64_t key = item_identity(d->b, d->b_ops.items[i]);
        uint32_t *head = map_find(&left, (struct hash128){key, key});
        if (!head || !*head) continue;
        uint32_t from = *head - 1;
        *head = next[from];
        d->moved++;
        a_moved[from] = b_moved[i] = true;
        uint32_t *move = map_at(&known, (struct hash128){key, key}, &added);
        if (added) {
            vec_push(&d->moves, ((struct diff_move){from, i, 0}));
            *move = (uint32_t)d->moves.len;
        }
        d->moves.items[*move - 1].count++;
    }
    map_release(&left);
    map_release(&known);
    free(next);
    d->removed -= d->moved;
    d->added -= d->moved;
}

static bool same_text(const struct diff *d, uint32_t a, uint32_t b) {
    return slice_equal(footprint_text(d->a, a), footprint_text(d->b, b));
}

static bool same_type(const struct diff *d, uint32_t a, uint32_t b) {
    if (a == NONE || b == NONE) return a == b;
    const struct footprint_type *x = &d->a->types.items[a], *y = &d->b->types.items[b];
    return x->pool == y->pool && same_text(d, x->shape, y->shape) && same_text(d, x->dtype, y->dtype) &&
           same_text(d, x->layout, y->layout) && same_text(d, x->grid, y->grid);
}

static void find_retypes(struct diff *d) {
    struct map known = {0}; /* kinds of both -> retype + 1 */
    for (uint32_t i = 0; i < d->a_ops.len; i++) {
        if (d->match.items[i] == NONE) continue;
        uint32_t a = d->a->ops.items[d->a_ops.items[i]].kind, b = d->b->ops.items[d->b_ops.items[d->match.items[i]]].kind;
        if (same_type(d, d->a->kinds.items[a].type, d->b->kinds.items[b].type)) continue;
        bool added;
        uint32_t *retype = map_at(&known, (struct hash128){hash_mix(a, b), (uint64_t)a << 32 | b}, &added);
        if (added) {
            vec_push(&d->retypes, ((struct diff_retype){i, d->match.items[i], 0}));
            *retype = (uint32_t)d->retypes.len;
        }
        d->retypes.items[*retype - 1].count++;
        d->retyped++;
    }
    map_release(&known);
}

/* Did the run stop at its last op? */
static bool stops_there(const struct footprint *f, uint32_t last_op) {
    if (f->ends_early) return true;
    for (size_t i = 0; i < f->failures.len; i++) {
        const struct footprint_failure *failure = &f->failures.items[i];
        if (failure->outcome != OUTCOME_CAUGHT && failure->op != NONE && failure->op >= last_op) return true;
    }
    return false;
}

/* Ops of one run after the partner of the last op of the other, where that one stopped: it does not lack them, it did not get
 * there. `ops` are those of the run that stopped. They are neither added nor removed; moved ones are counted as such. */
static void find_unreached(struct diff *d, unsigned side, const struct footprint *stopped, const uint32_t *ops, size_t len,
                           const uint32_t *match, size_t other_len, const bool *moved) {
    d->unreached_at[side] = NONE;
    if (!len || match[len - 1] == NONE || match[len - 1] + (size_t)1 >= other_len || !stops_there(stopped, ops[len - 1]))
        return;
    d->unreached_at[side] = match[len - 1] + 1;
    for (size_t i = d->unreached_at[side]; i < other_len; i++) d->unreached[side] += !moved[i];
    if (side) d->added -= d->unreached[side];
    else d->removed -= d->unreached[side];
}

bool diff_hunk_is_unreached(const struct diff *d, const struct diff_hunk *hunk) {
    bool of_a = hunk->a < hunk->a_end && hunk->b == hunk->b_end && hunk->a == d->unreached_at[0];
    return of_a || (hunk->b < hunk->b_end && hunk->a == hunk->a_end && hunk->b == d->unreached_at[1]);
}

static int frequent_first(const void *x, const void *y) {
    const struct diff_rewrite *a = x, *b = y;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    return a->hunk < b->hunk ? -1 : a->hunk > b->hunk;
}

static bool all_moved(const struct diff_hunk *hunk, const bool *a_moved, const bool *b_moved) {
    for (uint32_t a = hunk->a; a < hunk->a_end; a++)
        if (!a_moved[a]) return false;
    for (uint32_t b = hunk->b; b < hunk->b_end; b++)
        if (!b_moved[b]) return false;
    return true;
}

/* Hunks that consist only of moved ops are reported as moves. */
static void group_hunks(struct diff *d, const bool *a_moved, const bool *b_moved) {
    struct map known = {0};
    for (uint32_t i = 0; i < d->hunks.len; i++) {
        const struct diff_hunk *hunk = &d->hunks.items[i];
        uint64_t key = 0;
        if (all_moved(hunk, a_moved, b_moved) || diff_hunk_is_unreached(d, hunk)) continue;
        for (uint32_t a = hunk->a; a < hunk->a_end; a++)
            key = hash_mix(key, hash_bytes64(footprint_op_name(d->a, d->a_ops.items[a])));
        key = hash_mix(key, 1);
        for (uint32_t b = hunk->b; b < hunk->b_end; b++)
            key = hash_mix(key, hash_bytes64(footprint_op_name(d->b, d->b_ops.items[b])));
        bool added;
        uint32_t *row = map_at(&known, (struct hash128){key, hash_mix(0, key)}, &added);
        if (added) {
            *row = (uint32_t)d->rewrites.len;
            vec_push(&d->rewrites, ((struct diff_rewrite){i, 0}));
        }
        d->rewrites.items[*row].count++;
    }
    if (d->rewrites.len) qsort(d->rewrites.items, d->rewrites.len, sizeof *d->rewrites.items, frequent_first);
    map_release(&known);
}

/* For blocks without op lines only the class of the op is known. */
static bool has_op_lines(const struct footprint *f) {
    for (size_t i = 0; i < f->kinds.len; i++)
        if (f->kinds.items[i].type != NONE) return true;
    return false;
}

void diff_make(const struct footprint *a, const struct footprint *b, struct diff *d) {
    *d = (struct diff){
        .a = a, .b = b, .has_ops = a->has_ops && b->has_ops && (a->ops.len || b->ops.len), .unreached_at = {NONE, NONE}};
    if (a->ops.len && b->ops.len && has_op_lines(a) != has_op_lines(b)) d->has_ops = false;
    if (d->has_ops) {
        align_ops(d);
        find_hunks(d);
        bool *a_moved = mem_zalloc(d->a_ops.len + 1, sizeof *a_moved), *b_moved = mem_zalloc(d->b_ops.len + 1, sizeof *b_moved);
        find_moves(d, a_moved, b_moved);
        find_unreached(d, 0, b, d->b_ops.items, d->b_ops.len, d->back.items, d->a_ops.len, a_moved);
        find_unreached(d, 1, a, d->a_ops.items, d->a_ops.len, d->match.items, d->b_ops.len, b_moved);
        find_retypes(d);
        group_hunks(d, a_moved, b_moved);
        free(a_moved);
        free(b_moved);
    }
    diff_pools(d);
}

void diff_release(struct diff *d) {
    vec_release(&d->a_ops);
    vec_release(&d->b_ops);
    vec_release(&d->match);
    vec_release(&d->retypes);
    vec_release(&d->back);
    vec_release(&d->hunks);
    vec_release(&d->rewrites);
    vec_release(&d->moves);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        vec_release(&d->pools[pool].tensors);
        vec_release(&d->pools[pool].parts);
    }
}
