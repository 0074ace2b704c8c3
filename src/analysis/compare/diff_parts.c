/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/diff_parts.h"

#include <stdlib.h>

#include "analysis/rules/computed.h"
#include "base/num.h"

/* State while one pool is compared. */
struct matching {
    struct diff *d;
    enum pool pool;
    uint32_t *a_place, *b_place; /* op -> its index in the aligned sequence, or NONE */
    struct map to_b;             /* identity of a kind of the first run -> kind of the second that it became, + 1 */
    struct map a_kinds, b_kinds; /* identity -> kind + 1, of kinds that ops of the sequences have */
    uint32_t *partner;           /* per tensor of the first run: tensor of the second, NONE */
    uint32_t *partner_of_b;
};

static struct hash128 wide(uint64_t key) { return (struct hash128){key, hash_mix(0, key)}; }

static int64_t per_bank(const struct footprint *f, uint32_t type) {
    return type < f->types.len ? (int64_t)f->types.items[type].per_bank_bytes : 0;
}

/* --- one tensor --- */

/* Number of elements of a shape such as 8x1000; 0 if unknown. */
static uint64_t elements(struct slice shape) {
    uint64_t product = 1, dim = 0;
    bool digits = false;
    for (size_t i = 0; i <= shape.len; i++) {
        if (i < shape.len && shape.ptr[i] >= '0' && shape.ptr[i] <= '9' && dim < UINT32_MAX) {
            dim = dim * 10 + (uint64_t)(shape.ptr[i] - '0');
            digits = true;
        } else if (i == shape.len || shape.ptr[i] == 'x') {
            if (!digits && shape.len) return 0;
            if (digits && (dim == 0 || product > UINT64_MAX / dim)) return 0;
            if (digits) product *= dim;
            dim = 0;
            digits = false;
        } else {
            return 0;
        }
    }
    return product;
}

static int64_t scaled(int64_t bytes, uint64_t by, uint64_t of) {
    if (!of) return bytes;
    __int128 value = (__int128)bytes * (__int128)by / (__int128)of;
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

void diff_split(const struct footprint *a, const struct footprint_type *from, const struct footprint *b,
                const struct footprint_type *to, bool other_banks, int64_t by_cause[CAUSE_COUNT]) {
    int64_t start = (int64_t)from->per_bank_bytes, end = (int64_t)to->per_bank_bytes, reached = start;
    struct slice a_shape = footprint_text(a, from->shape), b_shape = footprint_text(b, to->shape);
    bool shape = !slice_equal(a_shape, b_shape);
    bool dtype = !slice_equal(footprint_text(a, from->dtype), footprint_text(b, to->dtype));
    bool layout = !slice_equal(footprint_text(a, from->layout), footprint_text(b, to->layout));
    bool grid = !slice_equal(footprint_text(a, from->grid), footprint_text(b, to->grid));
    uint64_t a_elements = elements(a_shape), b_elements = elements(b_shape);
    bool measured = from->logical_bytes && to->logical_bytes;
    /* the unpadded part of what a bank holds; if the spread over banks changes, at the old spread */
    bool spread = layout || grid || other_banks;
    if (measured && (shape || dtype) && from->padded_bytes && to->padded_bytes) {
        int64_t bare = scaled(start, from->logical_bytes, from->padded_bytes);
        int64_t bare_end = scaled(spread ? start : end, to->logical_bytes, spread ? from->padded_bytes : to->padded_bytes);
        bool both = shape && dtype && a_elements && b_elements;
        int64_t resized = both ? scaled(bare, b_elements, a_elements) : shape ? bare_end : bare;
        by_cause[CAUSE_SHAPE] = resized - bare;
        by_cause[CAUSE_DTYPE] = bare_end - resized;
        reached += bare_end - bare;
    }
    /* tiles and banks are whole, so sizes that grew in proportion may round differently */
    bool even =
        (unsigned __int128)from->padded_bytes * to->logical_bytes == (unsigned __int128)to->padded_bytes * from->logical_bytes;
    if (measured && even && (shape || dtype) && !layout && !grid && !other_banks) {
        by_cause[dtype ? CAUSE_DTYPE : CAUSE_SHAPE] += end - reached;
        return;
    }
    enum diff_cause cause = layout        ? CAUSE_LAYOUT
                            : grid        ? CAUSE_GRID
                            : other_banks ? CAUSE_BANKS
                            : measured    ? CAUSE_PADDING
                            : dtype       ? CAUSE_DTYPE
                                          : CAUSE_SHAPE;
    by_cause[cause] += end - reached;
}

/* --- which tensor is which --- */

static uint64_t tensor_key(const struct footprint *f, const struct footprint_tensor *t) {
    if (t->kind == NONE) return hash_mix(0, hash_bytes64(footprint_text(f, t->name)));
    return hash_mix(kind_identity(f, &f->kinds.items[t->kind]), t->result);
}

/* The key that a tensor of the first run has in the second: its op may be at another location there. */
static uint64_t translated_key(const struct matching *m, const struct footprint_tensor *t) {
    const struct footprint *a = m->d->a, *b = m->d->b;
    if (t->kind == NONE) return tensor_key(a, t);
    uint64_t identity = kind_identity(a, &a->kinds.items[t->kind]);
    const uint32_t *became = map_find(&m->to_b, wide(identity));
    if (became && *became) identity = kind_identity(b, &b->kinds.items[*became - 1]);
    return hash_mix(identity, t->result);
}

static void note_kind(struct map *kinds, const struct footprint *f, uint32_t kind) {
    bool added;
    uint32_t *place = map_at(kinds, wide(kind_identity(f, &f->kinds.items[kind])), &added);
    if (added) *place = kind + 1;
}

static void prepare(struct matching *m) {
    struct diff *d = m->d;
    bool added;
    m->a_place = mem_alloc((d->a->ops.len + 1) * sizeof *m->a_place);
    m->b_place = mem_alloc((d->b->ops.len + 1) * sizeof *m->b_place);
    memset(m->a_place, 0xff, d->a->ops.len * sizeof *m->a_place);
    memset(m->b_place, 0xff, d->b->ops.len * sizeof *m->b_place);
    bool *a_seen = mem_zalloc(d->a->kinds.len + 1, 1), *b_seen = mem_zalloc(d->b->kinds.len + 1, 1);
    for (uint32_t i = 0; i < d->a_ops.len; i++) {
        uint32_t kind = d->a->ops.items[d->a_ops.items[i]].kind;
        m->a_place[d->a_ops.items[i]] = i;
        if (a_seen[kind]) continue;
        a_seen[kind] = true;
        note_kind(&m->a_kinds, d->a, kind);
        if (d->match.items[i] == NONE) {
            a_seen[kind] = false; /* a later one of the kind may have a partner */
            continue;
        }
        uint32_t *became = map_at(&m->to_b, wide(kind_identity(d->a, &d->a->kinds.items[kind])), &added);
        if (added) *became = d->b->ops.items[d->b_ops.items[d->match.items[i]]].kind + 1;
    }
    for (uint32_t i = 0; i < d->b_ops.len; i++) {
        uint32_t kind = d->b->ops.items[d->b_ops.items[i]].kind;
        m->b_place[d->b_ops.items[i]] = i;
        if (!b_seen[kind]) note_kind(&m->b_kinds, d->b, kind);
        b_seen[kind] = true;
    }
    free(a_seen);
    free(b_seen);
}

static void pair_up(struct matching *m, uint32_t a, uint32_t b) {
    m->partner[a] = b;
    m->partner_of_b[b] = a;
}

static uint64_t type_key(const struct footprint *f, const struct footprint_tensor *t) {
    const struct footprint_type *type = &f->types.items[t->type];
    uint64_t text = hash_mix(hash_bytes64(footprint_text(f, type->shape)), hash_bytes64(footprint_text(f, type->dtype)));
    uint64_t key = hash_mix(text, hash_mix(hash_bytes64(footprint_text(f, type->layout)), type->per_bank_bytes));
    return t->kind == NONE ? key : hash_mix(key, t->class);
}

/* A log identifies a const-eval result by the op that loads it, a prediction by the op that made it; both identify arguments
 * by a number or a name, which may differ. */
static bool is_known_by_type(const struct matching *m, const struct footprint_tensor *t) {
    return t->pool == m->pool && (t->kind == NONE || t->class == LIVE_CONST_EVAL);
}

/* Matches those by equal types, in order. */
static void match_by_type(struct matching *m) {
    const struct footprint *a = m->d->a, *b = m->d->b;
    struct map by_type = {0};
    bool added;
    uint32_t *next = mem_alloc((b->tensors.len + 1) * sizeof *next);
    for (uint32_t i = (uint32_t)b->tensors.len; i-- > 0;) {
        const struct footprint_tensor *t = &b->tensors.items[i];
        if (!is_known_by_type(m, t) || m->partner_of_b[i] != NONE || t->type >= b->types.len) continue;
        uint32_t *head = map_at(&by_type, wide(type_key(b, t)), &added);
        next[i] = added ? 0 : *head;
        *head = i + 1;
    }
    for (uint32_t i = 0; i < a->tensors.len; i++) {
        const struct footprint_tensor *t = &a->tensors.items[i];
        if (!is_known_by_type(m, t) || m->partner[i] != NONE || t->type >= a->types.len) continue;
        uint32_t *head = map_find(&by_type, wide(type_key(a, t)));
        if (!head || !*head) continue;
        uint32_t found = *head - 1;
        *head = next[found];
        pair_up(m, i, found);
    }
    map_release(&by_type);
    free(next);
}

/* The op of the second run that an op of the first became, or NONE. Tensors made before two passes of one run are the same. */
static uint32_t op_of_partner(const struct matching *m, uint32_t op) {
    const struct diff *d = m->d;
    uint32_t place = m->a_place[op];
    if (place != NONE) return d->match.items[place] == NONE ? NONE : d->b_ops.items[d->match.items[place]];
    bool before_both = d->a->pass.number && d->b->pass.number && op < d->b->ops.len && m->b_place[op] == NONE;
    return before_both ? op : NONE;
}

/* First by the op itself, then by key: equal ones in order. */
static void match_tensors(struct matching *m) {
    const struct diff *d = m->d;
    const struct footprint *a = d->a, *b = d->b;
    struct map by_op = {0}, by_key = {0};
    bool added;
    uint32_t *next = mem_alloc((b->tensors.len + 1) * sizeof *next);
    for (uint32_t i = (uint32_t)b->tensors.len; i-- > 0;) {
        const struct footprint_tensor *t = &b->tensors.items[i];
        m->partner_of_b[i] = NONE;
        if (t->pool == m->pool && t->op != NONE) *map_at(&by_op, wide((uint64_t)t->op << 16 | t->result), &added) = i + 1;
    }
    for (uint32_t i = 0; i < a->tensors.len; i++) {
        const struct footprint_tensor *t = &a->tensors.items[i];
        m->partner[i] = NONE;
        if (t->pool != m->pool || t->op >= a->ops.len) continue;
        uint32_t to = op_of_partner(m, t->op);
        uint32_t *found = to == NONE ? NULL : map_find(&by_op, wide((uint64_t)to << 16 | t->result));
        if (found && m->partner_of_b[*found - 1] == NONE) pair_up(m, i, *found - 1);
    }
    for (uint32_t i = (uint32_t)b->tensors.len; i-- > 0;) {
        if (b->tensors.items[i].pool != m->pool || m->partner_of_b[i] != NONE) continue;
        uint32_t *head = map_at(&by_key, wide(tensor_key(b, &b->tensors.items[i])), &added);
        next[i] = added ? 0 : *head;
        *head = i + 1;
    }
    for (uint32_t i = 0; i < a->tensors.len; i++) {
        if (a->tensors.items[i].pool != m->pool || m->partner[i] != NONE) continue;
        uint32_t *head = map_find(&by_key, wide(translated_key(m, &a->tensors.items[i])));
        if (!head || !*head) continue;
        uint32_t found = *head - 1;
        *head = next[found];
        pair_up(m, i, found);
    }
    match_by_type(m);
    map_release(&by_op);
    map_release(&by_key);
    free(next);
}

/* --- why a tensor is alive at only one peak --- */

/* One run seen from the other. */
struct diff_side {
    const struct footprint *own, *other;
    const uint32_t *own_place; /* op -> place in the aligned sequence */
    const uint32_t *own_match; /* place -> place in the other's sequence */
    const uint32_t *other_ops; /* index -> op */
    const struct map *other_kinds;
    enum diff_cause alone, freed, moved; /* the names of the causes on this side */
    uint32_t unreached;                  /* place of the first op that the other run did not reach, or NONE */
};

/* Index in the other's sequence of what runs at this run's peak; or NONE. */
static uint32_t peak_there(const struct diff_side *s, const struct footprint_pool *pool) {
    if (pool->after_op >= s->own->ops.len || s->own_place[pool->after_op] == NONE) return NONE;
    for (size_t i = s->own_place[pool->after_op] + (size_t)1; i-- > 0;)
        if (s->own_match[i] != NONE) return s->own_match[i];
    return NONE;
}

static bool leaks_of(const struct footprint *f, uint64_t identity) {
    for (size_t i = 0; i < f->leaks.len; i++)
        if (kind_identity(f, &f->kinds.items[f->leaks.items[i].kind]) == identity) return true;
    return false;
}

/* Why a tensor is alive only at its own run's peak; *type becomes its type in the other run, or NONE. */
static enum diff_cause reason(const struct diff_side *s, const struct footprint_tensor *t, enum pool pool, uint32_t *type) {
    *type = NONE;
    if (t->kind == NONE) return s->alone;
    if (!s->own->has_ops || !s->other->has_ops) return CAUSE_ELSEWHERE;
    if (s->own->pass.number && t->op < s->own->pass.first_op) return CAUSE_LEFT;
    uint32_t place = t->op < s->own->ops.len ? s->own_place[t->op] : NONE, there = place == NONE ? NONE : s->own_match[place];
    const struct footprint_kind *kind = NULL;
    if (there != NONE) {
        kind = &s->other->kinds.items[s->other->ops.items[s->other_ops[there]].kind];
    } else {
        if (place != NONE && place >= s->unreached) return CAUSE_ELSEWHERE;
        uint32_t *same = map_find(s->other_kinds, wide(kind_identity(s->own, &s->own->kinds.items[t->kind])));
        if (!same) return s->alone;
        kind = &s->other->kinds.items[*same - 1];
    }
    if (!t->result && kind->type < s->other->types.len) {
        uint8_t other_pool = s->other->types.items[kind->type].pool;
        if (other_pool != pool && other_pool != POOL_COUNT) return s->moved;
        if (other_pool == pool) *type = kind->type;
    }
    /* made in a pass that the other run does not have: check whether it frees such tensors in its own passes */
    if (there == NONE && pool == POOL_DRAM && s->other->has_leaks) {
        uint64_t identity = kind_identity(s->own, &s->own->kinds.items[t->kind]);
        return leaks_of(s->own, identity) && !leaks_of(s->other, identity) ? s->freed : CAUSE_ELSEWHERE;
    }
    uint32_t moment = peak_there(s, &s->own->pools[pool]);
    if (there == NONE || moment == NONE || t->result || !s->other->has_lifetimes) return CAUSE_ELSEWHERE;
    uint32_t held = s->other->ops.items[s->other_ops[there]].held;
    return held != NONE && there + held <= moment ? s->freed : CAUSE_ELSEWHERE;
}

/* --- sums --- */

enum diff_cause diff_main_cause(const struct diff_tensor *row) {
    unsigned most = CAUSE_ELSEWHERE;
    for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
        if (cause != CAUSE_ELSEWHERE && row->by_cause[cause] &&
            (most == CAUSE_ELSEWHERE || llabs(row->by_cause[cause]) > llabs(row->by_cause[most])))
            most = cause;
    return (enum diff_cause)most;
}

/* Real changes first, then tensors listed only because the peak is at another point; larger ones first. */
static int larger_first(const void *x, const void *y) {
    const struct diff_tensor *a = x, *b = y;
    int64_t p = llabs(a->bytes - a->by_cause[CAUSE_ELSEWHERE]), q = llabs(b->bytes - b->by_cause[CAUSE_ELSEWHERE]);
    if (p != q) return p < q ? 1 : -1;
    p = llabs(a->bytes);
    q = llabs(b->bytes);
    if (p != q) return p < q ? 1 : -1;
    uint64_t i = (uint64_t)a->a << 32 | a->b, j = (uint64_t)b->a << 32 | b->b;
    return i < j ? -1 : i > j;
}

static int larger_part_first(const void *x, const void *y) {
    const struct diff_part *a = x, *b = y;
    uint64_t p = (uint64_t)llabs(a->bytes), q = (uint64_t)llabs(b->bytes);
    if (p != q) return p < q ? 1 : -1;
    return a->class != b->class ? a->class - b->class : a->cause - b->cause;
}

static unsigned class_of(const struct diff *d, const struct diff_tensor *row, unsigned cause) {
    if (cause == CAUSE_ELSEWHERE) return LIVE_CLASS_COUNT;
    return row->b != NONE ? d->b->tensors.items[row->b].class : d->a->tensors.items[row->a].class;
}

static void sum_parts(const struct diff *d, struct diff_pool *pool) {
    struct diff_part sums[LIVE_CLASS_COUNT + 1][CAUSE_COUNT] = {0};
    for (uint32_t i = 0; i < pool->tensors.len; i++) {
        const struct diff_tensor *row = &pool->tensors.items[i];
        for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) {
            if (!row->by_cause[cause]) continue;
            struct diff_part *part = &sums[class_of(d, row, cause)][cause];
            int64_t most = part->tensors ? llabs(pool->tensors.items[part->row].by_cause[cause]) : 0;
            if (llabs(row->by_cause[cause]) > most) part->row = i;
            part->tensors++;
            part->bytes += row->by_cause[cause];
        }
    }
    pool->rest = pool->difference;
    for (unsigned class = 0; class <= LIVE_CLASS_COUNT; class ++)
        for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) {
            struct diff_part part = sums[class][cause];
            if (!part.tensors) continue;
            part.class = (uint8_t) class;
            part.cause = (uint8_t)cause;
            pool->rest -= part.bytes;
            vec_push(&pool->parts, part);
        }
    if (pool->parts.len) qsort(pool->parts.items, pool->parts.len, sizeof *pool->parts.items, larger_part_first);
}

static void add_paired(struct matching *m, struct diff_pool *pool, uint32_t a, uint32_t b, bool other_banks) {
    const struct diff *d = m->d;
    uint32_t from = d->a->tensors.items[a].type, to = d->b->tensors.items[b].type;
    struct diff_tensor row = {.a = a, .b = b, .other_type = NONE, .bytes = per_bank(d->b, to) - per_bank(d->a, from)};
    if (!row.bytes || from >= d->a->types.len || to >= d->b->types.len) return;
    diff_split(d->a, &d->a->types.items[from], d->b, &d->b->types.items[to], other_banks, row.by_cause);
    vec_push(&pool->tensors, row);
}

static void add_sums(struct diff_pool *pool, const struct footprint *f, unsigned side, enum pool wanted) {
    for (size_t i = 0; i < f->tensors.len; i++) {
        const struct footprint_tensor *t = &f->tensors.items[i];
        if (t->pool != wanted || t->type >= f->types.len) continue;
        pool->logical[side] += f->types.items[t->type].logical_bytes;
        pool->padding[side] += footprint_padding(&f->types.items[t->type]);
    }
}

static bool has_tensors(const struct footprint *f, enum pool pool) {
    for (size_t i = 0; i < f->tensors.len; i++)
        if (f->tensors.items[i].pool == pool) return true;
    return false;
}

/* Computed memory is limited to what one peak has to explain. How much of it the other peak holds is unknown, and remains
 * unexplained. */
static bool is_guess(const struct footprint *own, const struct footprint *other, const struct footprint_tensor *t,
                     enum diff_cause cause) {
    bool of_place = cause == CAUSE_ELSEWHERE || cause == CAUSE_LEFT;
    if (!of_place || !computed_has((enum live_class)t->class)) return false;
    /* a prediction states all of it; temporary memory exists only at the peak of its op */
    return !footprint_is_predicted(own) || (!footprint_is_predicted(other) && t->class != LIVE_TEMPORARY);
}

static void compare_pool(struct matching *m) {
    struct diff *d = m->d;
    const struct footprint *a = d->a, *b = d->b;
    struct diff_pool *pool = &d->pools[m->pool];
    pool->seen = a->pools[m->pool].seen && b->pools[m->pool].seen;
    if (!pool->seen) return;
    uint64_t from = a->pools[m->pool].peak_bytes, to = b->pools[m->pool].peak_bytes;
    pool->exact = from && to;
    pool->difference =
        pool->exact ? (int64_t)(to - from) : num_milli_mb_to_bytes((int64_t)b->pools[m->pool].peak - a->pools[m->pool].peak);
    /* a side where nothing is alive is a change; a side without op lines is not */
    pool->has_live = (has_tensors(a, m->pool) || a->tensors.len) && (has_tensors(b, m->pool) || b->tensors.len);
    pool->rest = pool->difference;
    if (!pool->has_live) return;
    add_sums(pool, a, 0, m->pool);
    add_sums(pool, b, 1, m->pool);
    match_tensors(m);
    struct diff_side from_a = {a,           b,          m->a_place,  d->match.items, d->b_ops.items,
                               &m->b_kinds, CAUSE_GONE, CAUSE_FREED, CAUSE_POOL_OUT, d->unreached_at[0]};
    struct diff_side from_b = {b,           a,         m->b_place, d->back.items, d->a_ops.items,
                               &m->a_kinds, CAUSE_NEW, CAUSE_KEPT, CAUSE_POOL_IN, d->unreached_at[1]};
    bool other_banks = a->pools[m->pool].banks != b->pools[m->pool].banks;
    /* A tensor at one peak only that the other run holds at that point in another size: its growth made this point the peak, or
     * its shrinking made it no longer the peak. That part is charged to what changed, the rest to the move of the peak. */
    for (uint32_t i = 0; i < a->tensors.len; i++) {
        const struct footprint_tensor *t = &a->tensors.items[i];
        if (t->pool != m->pool) continue;
        if (m->partner[i] != NONE) {
            add_paired(m, pool, i, m->partner[i], other_banks);
            continue;
        }
        struct diff_tensor row = {.a = i, .b = NONE, .bytes = -per_bank(a, t->type)};
        enum diff_cause cause = reason(&from_a, t, m->pool, &row.other_type);
        const uint32_t after = row.other_type;
        if (is_guess(a, b, t, cause)) continue;
        bool shrank = pool->difference < 0 && cause == CAUSE_ELSEWHERE && after != NONE && t->type < a->types.len;
        if (shrank) diff_split(a, &a->types.items[t->type], b, &b->types.items[after], other_banks, row.by_cause);
        row.by_cause[cause] += shrank ? -per_bank(b, after) : row.bytes;
        if (row.bytes) vec_push(&pool->tensors, row);
    }
    for (uint32_t i = 0; i < b->tensors.len; i++) {
        const struct footprint_tensor *t = &b->tensors.items[i];
        if (t->pool != m->pool || m->partner_of_b[i] != NONE) continue;
        struct diff_tensor row = {.a = NONE, .b = i, .bytes = per_bank(b, t->type)};
        enum diff_cause cause = reason(&from_b, t, m->pool, &row.other_type);
        const uint32_t before = row.other_type;
        if (is_guess(b, a, t, cause)) continue;
        bool grew = pool->difference >= 0 && cause == CAUSE_ELSEWHERE && before != NONE && t->type < b->types.len;
        if (grew) diff_split(a, &a->types.items[before], b, &b->types.items[t->type], other_banks, row.by_cause);
        row.by_cause[cause] += grew ? per_bank(a, before) : row.bytes;
        if (row.bytes) vec_push(&pool->tensors, row);
    }
    if (pool->tensors.len) qsort(pool->tensors.items, pool->tensors.len, sizeof *pool->tensors.items, larger_first);
    sum_parts(d, pool);
}

void diff_pools(struct diff *d) {
    struct matching m = {.d = d};
    prepare(&m);
    m.partner = mem_alloc((d->a->tensors.len + 1) * sizeof *m.partner);
    m.partner_of_b = mem_alloc((d->b->tensors.len + 1) * sizeof *m.partner_of_b);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        m.pool = (enum pool)pool;
        compare_pool(&m);
    }
    map_release(&m.to_b);
    map_release(&m.a_kinds);
    map_release(&m.b_kinds);
    free(m.a_place);
    free(m.b_place);
    free(m.partner);
    free(m.partner_of_b);
}
