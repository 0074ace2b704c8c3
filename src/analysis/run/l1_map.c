/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/l1_map.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/run/live.h"
#include "base/num.h"
#include "device/chip.h"
#include "device/core_range.h"
#include "device/tensor_type.h"

enum { PLACED_ALIKE = 32 };

static struct l1_layout layout_of(const struct run *run, uint16_t rank) {
    struct l1_layout layout = {0};
    for (size_t i = 0; i < run->regions.len; i++) {
        const struct region *r = &run->regions.items[i];
        if (r->rank != rank) continue;
        if (r->pool == POOL_L1) {
            layout.base = r->base;
            layout.told = true;
            layout.top = r->base + r->bytes;
        } else if (r->pool == POOL_L1_SMALL) {
            layout.small_bytes = r->bytes;
        }
    }
    if (run->chip && !layout.top) {
        layout.base = run->chip->l1_unreserved_base;
        layout.top = run->chip->l1_bytes;
    }
    layout.end = run->chip && run->chip->l1_bytes >= layout.top ? run->chip->l1_bytes : layout.top + layout.small_bytes;
    return layout;
}

/* Which of the three the type's name means. */
static uint64_t *part_of(struct l1_op *op, struct slice dtype) {
    if (slice_find(dtype, SLICE("dataflow")) != SLICE_NONE) return &op->dataflow;
    if (slice_find(dtype, SLICE("scratchpad")) != SLICE_NONE) return &op->scratchpad;
    return &op->circular;
}

static void add_tensor(const struct run *run, struct l1_op *op, uint32_t id) {
    const struct tensor *t = &run->tensors.items[id];
    const struct tensor_type *type = &run->types.items[t->type];
    uint64_t bytes = tensor_per_bank_bytes(type, &run->geometry), address = run->addresses.items[id];
    if (t->class == TENSOR_CIRCULAR_BUFFER) {
        *part_of(op, type->dtype) += bytes;
        return;
    }
    op->buffers++;
    op->buffer_bytes += bytes;
    if (!address || (op->has_lowest && address >= op->lowest)) return;
    op->has_lowest = true;
    op->lowest = address;
}

/* The first area of a step, or of a later one. */
static size_t first_area(const struct run *run, uint32_t step) {
    size_t low = 0, high = run->l1_areas.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (run->l1_areas.items[middle].step < step) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void finish(const struct run *run, struct l1_op *op, const struct l1_layout *layout) {
    const uint64_t parts[] = {op->circular, op->dataflow, op->scratchpad};
    op->program_end = layout->base;
    for (size_t i = 0; i < 3; i++) op->program_end += num_ceil_div(parts[i], PLACED_ALIKE) * PLACED_ALIKE;
    if (op->scratchpad + op->dataflow == 0) op->program_end = layout->base + op->circular;
    /* buffers on different cores may overlap in addresses where no core holds them all */
    size_t area = first_area(run, op->step);
    if (area < run->l1_areas.len && run->l1_areas.items[area].step == op->step &&
        run->l1_areas.items[area].end > op->program_end)
        op->program_end = run->l1_areas.items[area].end;
    op->margin = (int64_t)((op->has_lowest ? op->lowest : layout->top) - op->program_end);
}

struct l1_move {
    uint32_t step, tensor;
    bool comes;
};

static int by_step(const void *a, const void *b) {
    const struct l1_move *x = a, *y = b;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    if (x->comes != y->comes) return x->comes ? 1 : -1;
    return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

typedef VEC(struct l1_move) l1_moves;
typedef VEC(uint32_t) l1_tensors;

static void find_moves(const struct run *run, uint16_t rank, l1_moves *out) {
    vec_clear(out);
    for (uint32_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *t = &run->tensors.items[i];
        if (t->rank != rank || !tensor_in_pool(run, t, POOL_L1)) continue;
        vec_push(out, ((struct l1_move){t->born, i, true}));
        if (t->gone != NONE) vec_push(out, ((struct l1_move){t->gone, i, false}));
    }
    if (out->len) qsort(out->items, out->len, sizeof *out->items, by_step);
}

static void forget(l1_tensors *alive, uint32_t id) {
    for (size_t i = 0; i < alive->len; i++)
        if (alive->items[i] == id) {
            alive->items[i] = vec_last(alive);
            alive->len--;
            return;
        }
}

/* The op whose program is in L1: calls that began later may have ended while their caller still runs. NONE: no program. */
static uint32_t program_record(const struct run *run, const l1_tensors *alive) {
    uint32_t record = NONE;
    for (size_t i = 0; i < alive->len; i++) {
        const struct tensor *t = &run->tensors.items[alive->items[i]];
        if (t->class != TENSOR_CIRCULAR_BUFFER || t->producer == NONE || t->producer >= run->steps.len) continue;
        uint32_t own = run->steps.items[t->producer].record;
        if (own != NONE && (record == NONE || own > record)) record = own;
    }
    return record;
}

/* A state belongs to the op whose program it holds, else to the op before it. */
static void walk(const struct run *run, uint16_t rank, const struct l1_layout *layout, struct l1_map *out) {
    l1_moves moves = {0};
    l1_tensors alive = {0};
    struct l1_op best = {.record = NONE};
    uint32_t record = NONE;
    size_t next = 0;
    find_moves(run, rank, &moves);
    for (uint32_t at = 0; at <= run->steps.len; at++) {
        bool last = at == run->steps.len;
        if (!last && run->steps.items[at].rank != rank) continue;
        for (; next < moves.len && moves.items[next].step <= at; next++) {
            if (moves.items[next].comes) vec_push(&alive, moves.items[next].tensor);
            else forget(&alive, moves.items[next].tensor);
        }
        uint32_t owner = program_record(run, &alive);
        struct l1_op now = {
            .record = owner == NONE ? record : owner, .step = at, .failure = NONE, .program_known = true, .rank = rank};
        for (size_t i = 0; i < alive.len; i++) add_tensor(run, &now, alive.items[i]);
        finish(run, &now, layout);
        if (record != NONE && alive.len && (best.record == NONE || now.margin < best.margin)) best = now;
        if (last || run->steps.items[at].record == NONE) continue;
        if (best.record != NONE) vec_push(&out->ops, best);
        best.record = NONE;
        record = run->steps.items[at].record;
    }
    if (best.record != NONE) vec_push(&out->ops, best);
    vec_release(&moves);
    vec_release(&alive);
}

/* --- messages of refused programs --- */

static bool is_of_program(enum failure_kind kind) {
    return kind == FAILURE_CB_CLASH || kind == FAILURE_CB_BEYOND_L1 || kind == FAILURE_DFB_CLASH ||
           kind == FAILURE_DFB_BEYOND_L1;
}

struct slice l1_failure_op(const struct run *run, uint32_t failure) {
    const struct failure *f = &run->failures.entries.items[failure].failure;
    struct slice name = slice_from(f->op);
    if (name.len || failure >= run->failure_sites.len) return name;
    return run_site_op(run, &run->failure_sites.items[failure]);
}

static void add_failure(const struct run *run, uint32_t number, struct l1_map *out) {
    const struct failure *f = &run->failures.entries.items[number].failure;
    const struct failure_site *site = number < run->failure_sites.len ? &run->failure_sites.items[number] : NULL;
    if (!is_of_program(f->kind) || f->warning || !failure_knows(f, FAILURE_REGION_END)) return;
    struct l1_op op = {.record = NONE, .step = NONE, .failure = number, .rank = site ? site->rank : 0};
    const struct l1_layout *layout = op.rank < out->layouts.len ? &out->layouts.items[op.rank] : NULL;
    if (!layout) return;
    uint64_t limit = failure_knows(f, FAILURE_LIMIT) ? f->number[FAILURE_LIMIT] : 0;
    if (site && site->step != NONE) op.record = run->steps.items[site->step].record;
    op.program_end = f->number[FAILURE_REGION_END];
    op.program_known = layout->told && layout->base < op.program_end;
    bool dataflow = f->kind == FAILURE_DFB_CLASH || f->kind == FAILURE_DFB_BEYOND_L1;
    if (op.program_known) *(dataflow ? &op.dataflow : &op.circular) = op.program_end - layout->base;
    op.has_lowest = failure_knows(f, FAILURE_L1_ADDRESS) && !limit;
    op.lowest = op.has_lowest ? f->number[FAILURE_L1_ADDRESS] : 0;
    if (!op.has_lowest && !limit) return;
    uint64_t most = op.has_lowest ? op.lowest : limit;
    if (op.program_end > INT64_MAX || most > INT64_MAX) return;
    op.margin = (int64_t)most - (int64_t)op.program_end;
    vec_push(&out->ops, op);
}

uint64_t l1_op_end(const struct run *run, const struct l1_map *map, const struct l1_op *op) {
    uint64_t end = map->layouts.items[op->rank].end;
    const struct failure *f = op->failure == NONE ? NULL : &run->failures.entries.items[op->failure].failure;
    if (f && failure_knows(f, FAILURE_LIMIT)) end = f->number[FAILURE_LIMIT];
    return end;
}

void l1_op_areas(const struct run *run, const struct l1_op *op, l1_areas *out) {
    if (op->failure != NONE) {
        struct core_ranges cores = {0};
        const char *text = run->failures.entries.items[op->failure].failure.core_range;
        uint64_t bytes = op->circular + op->dataflow + op->scratchpad;
        char braced[FAILURE_CORES_MAX + 2];
        snprintf(braced, sizeof braced, text[0] == '[' ? "{%s}" : "%s", text);
        if (core_ranges_parse(&cores, slice_from(braced)) == CORE_TEXT_OK)
            for (size_t i = 0; i < cores.len; i++)
                vec_push(out, ((struct l1_area){NONE, bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX, 0, cores.items[i]}));
        core_ranges_release(&cores);
        return;
    }
    for (size_t i = first_area(run, op->step); i < run->l1_areas.len && run->l1_areas.items[i].step == op->step; i++)
        if (run->l1_areas.items[i].cores.x1 < UINT16_MAX) vec_push(out, run->l1_areas.items[i]);
}

bool l1_fullest(const l1_areas *areas, struct l1_area *core) {
    for (size_t i = 0; i < areas->len; i++)
        if (!i || areas->items[i].bytes > core->bytes) *core = areas->items[i];
    return areas->len > 0;
}

static int tightest_first(const void *a, const void *b) {
    const struct l1_op *x = a, *y = b;
    if (x->margin != y->margin) return x->margin < y->margin ? -1 : 1;
    if (x->record != y->record) return x->record < y->record ? -1 : 1;
    return x->failure < y->failure ? -1 : x->failure > y->failure;
}

/* An op may have several states: the tightest represents it. Messages have their own rows. */
static void keep_tightest(const struct run *run, struct l1_map *out) {
    bool *seen = mem_zalloc(run->records.len + 1, sizeof *seen);
    size_t kept = 0;
    for (size_t i = 0; i < out->ops.len; i++) {
        const struct l1_op *op = &out->ops.items[i];
        bool of_state = op->failure == NONE && op->record != NONE && op->record < run->records.len;
        if (of_state && seen[op->record]) continue;
        if (of_state) seen[op->record] = true;
        out->ops.items[kept++] = *op;
    }
    out->ops.len = kept;
    free(seen);
}

void l1_map_find(const struct run *run, struct l1_map *out) {
    *out = (struct l1_map){0};
    out->known = run->addresses.len && run->addresses.len == run->tensors.len;
    for (uint16_t rank = 0; rank < run->ranks.len; rank++) {
        struct l1_layout layout = layout_of(run, rank);
        vec_push(&out->layouts, layout);
        if (out->known && layout.top) walk(run, rank, &layout, out);
    }
    for (uint32_t i = 0; i < run->failures.entries.len; i++) add_failure(run, i, out);
    out->known |= out->ops.len > 0;
    if (out->ops.len) qsort(out->ops.items, out->ops.len, sizeof *out->ops.items, tightest_first);
    keep_tightest(run, out);
}

void l1_map_release(struct l1_map *map) {
    vec_release(&map->ops);
    vec_release(&map->layouts);
}
