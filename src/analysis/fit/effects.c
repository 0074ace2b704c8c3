/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fit/effects.h"

#include <string.h>

#include "analysis/fit/kinds.h"

enum { MOST_KEPT = 1 << 16 };

static bool is_resized(const struct fit_variant *v, uint32_t buffer) {
    return v->bytes && v->bytes[buffer] != v->trace->buffers.items[buffer].bytes;
}

/* A buffer that one change frees and another one makes smaller is counted in both, so no set saves more than the sum. Changes
 * that raise the peak are not offset against changes that lower it. */
static uint64_t saved_at(const struct fit_variant *v, uint32_t peak) {
    const struct fit_trace *t = v->trace;
    uint64_t saved = 0;
    for (size_t i = 0; i < v->moves.len; i++) {
        const struct fit_move *move = &v->moves.items[i];
        const struct fit_buffer *b = &t->buffers.items[move->code / 2];
        bool there = b->take <= peak && peak < b->free;
        bool gone = fit_is_free(move->code) ? move->before <= peak : move->before > peak;
        if (there && gone) saved += b->bytes;
    }
    for (uint32_t i = 0; v->bytes && i < t->buffers.len; i++) {
        const struct fit_buffer *b = &t->buffers.items[i];
        if (b->take <= peak && peak < b->free && v->bytes[i] < b->bytes) saved += b->bytes - v->bytes[i];
    }
    return saved;
}

static size_t count_sizes(const struct fit_variant *v) {
    size_t count = 0;
    for (uint32_t i = 0; v->bytes && i < v->trace->buffers.len; i++) count += is_resized(v, i);
    return count;
}

static void keep(const struct fit_variant *v, size_t sizes, struct arena *arena, struct fit_effects *out) {
    struct fit_move *moves = arena_alloc(arena, (v->moves.len + 1) * sizeof *moves);
    struct fit_sized *sized = arena_alloc(arena, (sizes + 1) * sizeof *sized);
    if (v->moves.len) memcpy(moves, v->moves.items, v->moves.len * sizeof *moves);
    for (uint32_t i = 0; sizes && i < v->trace->buffers.len; i++) {
        if (!is_resized(v, i)) continue;
        bool element = v->elements && v->elements[i] != v->trace->buffers.items[i].bytes;
        sized[out->size_count++] = (struct fit_sized){i, element, element ? v->elements[i] : v->bytes[i]};
    }
    out->moves = moves;
    out->move_count = v->moves.len;
    out->sizes = sized;
    out->kept = true;
}

void fit_effects_find(const struct fit *fit, const struct fit_change *change, struct arena *arena, struct fit_effects *out) {
    struct fit_variant v;
    *out = (struct fit_effects){0};
    fit_variant_init(&v, fit->trace);
    change->kind->apply(&v, change);
    out->at_peak = saved_at(&v, fit->base.peak_event);
    size_t sizes = count_sizes(&v);
    if (sizes + v.moves.len <= MOST_KEPT) keep(&v, sizes, arena, out);
    fit_variant_release(&v);
}

void fit_effects_apply(struct fit_variant *v, const struct fit_effects *effects) {
    for (size_t i = 0; i < effects->move_count; i++) vec_push(&v->moves, effects->moves[i]);
    for (size_t i = 0; i < effects->size_count; i++) {
        const struct fit_sized *s = &effects->sizes[i];
        if (s->element) fit_variant_element(v, s->buffer, s->bytes);
        else fit_variant_resize(v, s->buffer, s->bytes);
    }
}
