/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fit/trace.h"

#include <stdlib.h>

#include "device/allocator_or_end.h"

void fit_trace_release(struct fit_trace *trace) {
    vec_release(&trace->buffers);
    vec_release(&trace->groups);
    vec_release(&trace->events);
    vec_release(&trace->places);
    arena_release(&trace->arena);
}

uint32_t fit_trace_group(struct fit_trace *trace, const struct fit_group *group) {
    vec_push(&trace->groups, *group);
    return (uint32_t)trace->groups.len - 1;
}

static uint64_t rounded(const struct fit_trace *trace, uint64_t bytes) {
    struct allocator a = {.alignment = trace->alignment ? trace->alignment : 1};
    return allocator_round(&a, bytes);
}

uint32_t fit_trace_take(struct fit_trace *trace, uint32_t group, uint64_t bytes, uint64_t address, uint32_t place) {
    uint32_t buffer = (uint32_t)trace->buffers.len;
    struct fit_group *g = &trace->groups.items[group];
    bytes = rounded(trace, bytes);
    vec_push(&trace->buffers, ((struct fit_buffer){.bytes = bytes,
                                                   .address = address,
                                                   .group = group,
                                                   .take = (uint32_t)trace->events.len,
                                                   .free = NONE,
                                                   .unused = NONE}));
    vec_push(&trace->events, 2 * buffer);
    vec_push(&trace->places, place);
    g->buffers++;
    if (bytes > g->bytes) g->bytes = bytes;
    return buffer;
}

void fit_trace_free(struct fit_trace *trace, uint32_t buffer, uint32_t place) {
    if (trace->buffers.items[buffer].free != NONE) return;
    trace->buffers.items[buffer].free = (uint32_t)trace->events.len;
    vec_push(&trace->events, 2 * buffer + 1);
    vec_push(&trace->places, place);
}

/* DRAM is filled from its low end; L1 from its high end. */
static bool fills_up(const struct fit_trace *trace) { return trace->pool == POOL_DRAM || trace->pool == POOL_TRACE; }

static bool try_end(struct allocator *a, uint64_t bytes, bool up, uint64_t wanted) {
    uint64_t address;
    if (!allocator_ok(allocator_take(a, bytes, up, &address))) return false;
    if (address == wanted) return true;
    allocator_free(a, address);
    return false;
}

void fit_trace_ends(struct fit_trace *trace) {
    struct allocator a;
    if (!trace->placed || !allocator_ok(allocator_init(&a, trace->base, trace->capacity, trace->alignment))) return;
    bool up = fills_up(trace);
    bool *there = mem_zalloc(trace->buffers.len + 1, sizeof *there);
    for (size_t i = 0; i < trace->events.len; i++) {
        uint32_t event = trace->events.items[i], id = event / 2;
        struct fit_buffer *b = &trace->buffers.items[id];
        if (fit_is_free(event)) {
            if (there[id]) allocator_free(&a, b->address);
            there[id] = false;
        } else if (b->address != UINT64_MAX) {
            there[id] = true;
            if (try_end(&a, b->bytes, up, b->address)) continue;
            b->high = try_end(&a, b->bytes, !up, b->address);
            if (!b->high) there[id] = allocator_ok(allocator_take_at(&a, b->address, b->bytes));
        }
    }
    free(there);
    allocator_release(&a);
}

/* --- variants --- */

void fit_variant_init(struct fit_variant *v, const struct fit_trace *trace) {
    *v = (struct fit_variant){.trace = trace, .capacity = trace->capacity};
}

void fit_variant_release(struct fit_variant *v) {
    free(v->bytes);
    free(v->elements);
    vec_release(&v->moves);
}

void fit_variant_move(struct fit_variant *v, uint32_t event, uint32_t before) {
    vec_push(&v->moves, ((struct fit_move){before, event, v->trace->events.items[event]}));
}

void fit_variant_end(struct fit_variant *v, uint32_t buffer, uint32_t before) {
    uint32_t free = v->trace->buffers.items[buffer].free;
    vec_push(&v->moves, ((struct fit_move){before, free, 2 * buffer + 1}));
}

static uint64_t *sizes_of(const struct fit_trace *trace) {
    uint64_t *bytes = mem_alloc((trace->buffers.len + 1) * sizeof *bytes);
    for (size_t i = 0; i < trace->buffers.len; i++) bytes[i] = trace->buffers.items[i].bytes;
    return bytes;
}

void fit_variant_element(struct fit_variant *v, uint32_t buffer, uint64_t bytes) {
    if (!v->bytes) v->bytes = sizes_of(v->trace);
    if (!v->elements) v->elements = sizes_of(v->trace);
    uint64_t was = v->elements[buffer];
    if (bytes >= was) return;
    v->elements[buffer] = bytes;
    v->bytes[buffer] = rounded(v->trace, (uint64_t)((unsigned __int128)v->bytes[buffer] * bytes / was));
}

void fit_variant_resize(struct fit_variant *v, uint32_t buffer, uint64_t bytes) {
    const struct fit_trace *trace = v->trace;
    if (!v->bytes) v->bytes = sizes_of(trace);
    uint64_t was = trace->buffers.items[buffer].bytes, now = v->bytes[buffer];
    /* another change already made it smaller: both count */
    if (now != was && was) bytes = (uint64_t)((unsigned __int128)bytes * now / was);
    v->bytes[buffer] = rounded(trace, bytes);
}

/* The events of a variant one after another. */
struct walk {
    const struct fit_variant *v;
    struct fit_move *moves; /* sorted; if an event is moved twice, the earlier place counts */
    size_t move_count, next_move;
    uint32_t next_event;
    bool *moved; /* by event; NULL without moves */
};

static int by_place(const void *a, const void *b) {
    const struct fit_move *x = a, *y = b;
    if (x->before != y->before) return x->before < y->before ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

static void walk_init(struct walk *w, const struct fit_variant *v) {
    *w = (struct walk){.v = v};
    if (!v->moves.len) return;
    w->moves = mem_alloc(v->moves.len * sizeof *w->moves);
    memcpy(w->moves, v->moves.items, v->moves.len * sizeof *w->moves);
    qsort(w->moves, v->moves.len, sizeof *w->moves, by_place);
    w->moved = mem_zalloc(v->trace->events.len + 1, sizeof *w->moved);
    for (size_t i = 0; i < v->moves.len; i++) {
        if (w->moves[i].event != NONE && w->moved[w->moves[i].event]) continue;
        if (w->moves[i].event != NONE) w->moved[w->moves[i].event] = true;
        w->moves[w->move_count++] = w->moves[i];
    }
}

static void walk_release(struct walk *w) {
    free(w->moves);
    free(w->moved);
}

/* False at the end. */
static bool walk_next(struct walk *w, uint32_t *event, uint32_t *place) {
    const struct fit_trace *t = w->v->trace;
    while (w->moved && w->next_event < t->events.len && w->moved[w->next_event] &&
           !(w->next_move < w->move_count && w->moves[w->next_move].before <= w->next_event))
        w->next_event++;
    if (w->next_move < w->move_count && w->moves[w->next_move].before <= w->next_event) {
        uint32_t at = w->moves[w->next_move].before;
        *event = w->moves[w->next_move++].code;
        *place = at < t->places.len ? t->places.items[at] : NONE;
        return true;
    }
    if (w->next_event >= t->events.len) return false;
    uint32_t index = w->next_event++;
    *event = t->events.items[index];
    *place = t->places.items[index];
    return true;
}

static uint64_t bytes_of(const struct fit_variant *v, uint32_t buffer) {
    return v->bytes ? v->bytes[buffer] : v->trace->buffers.items[buffer].bytes;
}

void fit_levels(const struct fit_variant *v, const struct fit_watcher *watcher) {
    struct walk w;
    uint32_t event, place;
    uint64_t sum = 0;
    walk_init(&w, v);
    while (walk_next(&w, &event, &place)) {
        uint64_t bytes = bytes_of(v, event / 2);
        sum = fit_is_free(event) ? sum - bytes : sum + bytes;
        watcher->level(watcher->context, v->trace, place, sum);
    }
    walk_release(&w);
}

void fit_sums(const struct fit_variant *v, struct fit_result *result) {
    struct walk w;
    uint32_t event, place;
    uint64_t sum = 0;
    *result = (struct fit_result){
        .fits = true, .capacity = v->capacity, .peak_place = NONE, .failed_place = NONE, .failed_pool = v->trace->pool};
    walk_init(&w, v);
    for (uint32_t i = 0; walk_next(&w, &event, &place); i++) {
        uint64_t bytes = bytes_of(v, event / 2);
        uint64_t before = sum;
        sum = fit_is_free(event) ? sum - bytes : sum + bytes;
        if (sum <= result->peak) continue;
        result->peak = sum;
        result->peak_place = place;
        result->peak_event = i;
        if (sum <= v->capacity || !result->fits) continue;
        result->fits = false;
        result->wants = bytes;
        result->allocated = before;
        result->free = result->largest = v->capacity > before ? v->capacity - before : 0;
        result->failed_place = place;
        result->failed_buffer = event / 2;
        result->failed_event = i;
    }
    result->margin = result->fits ? (int64_t)(v->capacity - result->peak) : INT64_MAX;
    result->margin_place = result->peak_place;
    walk_release(&w);
}

static void note_failure(struct fit_result *result, const struct allocator *a, uint32_t buffer, uint64_t bytes,
                         uint32_t place) {
    struct allocator_stats stats = allocator_stats(a);
    result->fits = false;
    result->wants = bytes;
    result->allocated = stats.allocated;
    result->free = stats.free;
    result->largest = stats.largest_free;
    result->failed_place = place;
    result->failed_buffer = buffer;
}

/* Placements up to a failure in another pool say nothing about the whole program. */
static void note_stop(struct fit_result *result, const struct fit_trace *t) {
    result->cut = t->cut;
    if (!t->cut || !result->fits) return;
    result->fits = false;
    result->failed_pool = t->stop.pool;
    result->wants = t->stop.wants;
    result->allocated = t->stop.allocated;
    result->free = t->stop.free;
    result->largest = t->stop.largest;
    result->failed_place = t->stop.place;
    result->failed_buffer = NONE;
}

void fit_replay(const struct fit_variant *v, struct fit_result *result, uint64_t *addresses, uint64_t *work) {
    const struct fit_trace *t = v->trace;
    struct allocator a;
    struct walk w;
    uint32_t event, place;
    fit_sums(v, result);
    if (t->follows) {
        *work += t->events.len / 16 + 8;
        result->margin = INT64_MAX; /* the positions of the holes are not known */
        return;
    }
    *work += t->events.len;
    result->fits = true;
    result->wants = result->allocated = result->free = result->largest = 0;
    result->margin = INT64_MAX;
    result->margin_place = result->failed_place = NONE;
    if (!allocator_ok(allocator_init(&a, t->base, v->capacity, t->alignment))) return;
    uint64_t *at = addresses ? addresses : mem_alloc((t->buffers.len + 1) * sizeof *at);
    for (size_t i = 0; i < t->buffers.len; i++) at[i] = UINT64_MAX;
    bool up = fills_up(t);
    walk_init(&w, v);
    for (uint32_t i = 0; walk_next(&w, &event, &place); i++) {
        uint32_t id = event / 2;
        uint64_t bytes = bytes_of(v, id);
        if (fit_is_free(event)) {
            if (at[id] != UINT64_MAX) allocator_free(&a, at[id]);
            continue;
        }
        if (!bytes) continue;
        int64_t room = (int64_t)allocator_stats(&a).largest_free - (int64_t)(bytes > INT64_MAX ? INT64_MAX : bytes);
        if (!allocator_ok(allocator_take(&a, bytes, up != t->buffers.items[id].high, &at[id]))) {
            at[id] = UINT64_MAX;
            note_failure(result, &a, id, bytes, place);
            result->failed_event = i;
            break; /* anything after it does not count: the figures are those of the first failure */
        }
        if (room < result->margin) {
            result->margin = room;
            result->margin_place = place;
            result->margin_event = i;
        }
        if (t->buffers.items[id].address == UINT64_MAX) continue;
        result->compared++;
        result->equal += at[id] == t->buffers.items[id].address;
    }
    walk_release(&w);
    allocator_release(&a);
    if (!addresses) free(at);
    note_stop(result, t);
}
