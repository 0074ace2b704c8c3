/* SPDX-License-Identifier: Apache-2.0 */
/* The same buffers in another order: what stays is placed before what comes and goes, so that it does not end up between. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/fit/kinds.h"

enum { MOST_PINS = 8 };

/* Whether it stays to the end, so that it could be made before what comes and goes. In a compiled program nobody can choose. */
static bool is_movable(const struct fit_trace *trace, const struct fit_buffer *b) {
    const struct fit_group *group = &trace->groups.items[b->group];
    return !trace->compiled && trace->placed && !trace->ended && b->free == NONE && !group->request &&
           group->class != LIVE_BINARY && !b->high;
}

/* --- the largest first --- */

/* What is brought in before the first operation and stays: weights; of captures, which do not tell classes, all such. */
static bool is_upload(const struct fit_trace *trace, const struct fit_buffer *b) {
    const struct fit_group *group = &trace->groups.items[b->group];
    bool weight = group->class == LIVE_WEIGHT || (trace->placed && group->class == LIVE_ACTIVATION && group->place == NONE);
    return weight && b->free == NONE && !group->request;
}

struct upload {
    uint32_t buffer;
    uint64_t bytes;
};

static int larger_first(const void *a, const void *b) {
    const struct upload *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->buffer < y->buffer ? -1 : 1;
}

static size_t find_uploads(const struct fit_trace *trace, struct upload *out, bool *in_order) {
    size_t count = 0;
    *in_order = true;
    for (uint32_t i = 0; i < trace->buffers.len; i++) {
        if (!is_upload(trace, &trace->buffers.items[i])) continue;
        out[count++] = (struct upload){i, trace->buffers.items[i].bytes};
        *in_order &= count < 2 || out[count - 2].bytes >= out[count - 1].bytes;
    }
    return count;
}

static void apply_largest_first(struct fit_variant *v, const struct fit_change *change) {
    const struct fit_trace *trace = v->trace;
    struct upload *uploads = mem_alloc((trace->buffers.len + 1) * sizeof *uploads);
    uint32_t *slots = mem_alloc((trace->buffers.len + 1) * sizeof *slots);
    bool in_order;
    size_t count = find_uploads(trace, uploads, &in_order);
    (void)change;
    for (size_t i = 0; i < count; i++) slots[i] = trace->buffers.items[uploads[i].buffer].take;
    if (count) qsort(uploads, count, sizeof *uploads, larger_first);
    for (size_t i = 0; i < count; i++) fit_variant_move(v, trace->buffers.items[uploads[i].buffer].take, slots[i]);
    free(uploads);
    free(slots);
}

static void list_largest_first(struct fit *fit, const struct fit_kind *kind) {
    if (fit->trace->compiled || fit->trace->follows) return;
    struct upload *uploads = mem_alloc((fit->trace->buffers.len + 1) * sizeof *uploads);
    bool in_order;
    size_t count = find_uploads(fit->trace, uploads, &in_order);
    free(uploads);
    struct fit_change *change = count > 1 && !in_order ? fit_add(fit, kind, 0, NONE) : NULL;
    if (!change) return;
    snprintf(change->name, sizeof change->name, "largest weights first");
    change->setting = "upload the largest weights first";
}

/* --- what stays, before what comes and goes --- */

static void apply_place_first(struct fit_variant *v, const struct fit_change *change) {
    const struct fit_trace *trace = v->trace;
    uint32_t group = fit_group_find(trace, change->group);
    for (size_t i = 0; i < trace->buffers.len; i++) {
        const struct fit_buffer *b = &trace->buffers.items[i];
        if ((!change->group || b->group == group) && is_movable(trace, b)) fit_variant_move(v, b->take, 0);
    }
}

static struct fit_change *add_first(struct fit *fit, const struct fit_kind *kind, uint64_t key, uint32_t place) {
    struct fit_change *change = fit_add(fit, kind, key, place);
    if (!change) return NULL;
    change->setting = "make it before what comes and goes";
    change->assumption = "it needs nothing of what comes before it now";
    return change;
}

static void list_place_first(struct fit *fit, const struct fit_kind *kind) {
    const struct fit_trace *trace = fit->trace;
    if (trace->follows || (!fit->base.fits && fit->base.free < fit->base.wants)) return;
    struct fit_there *there = mem_alloc((trace->buffers.len + 1) * sizeof *there);
    bool *seen = mem_zalloc(trace->groups.len + 1, sizeof *seen);
    size_t count = fit_there_find(fit, there), added = 0;
    for (size_t i = 0; i < count; i++) {
        const struct fit_buffer *b = &trace->buffers.items[there[i].buffer];
        const struct fit_group *group = &trace->groups.items[b->group];
        bool hole_below = there[i].address > (i ? there[i - 1].end : trace->base);
        if (!hole_below || !is_movable(trace, b) || seen[b->group]) continue;
        seen[b->group] = true;
        struct fit_change *change = added < MOST_PINS ? add_first(fit, kind, group->key, group->place) : NULL;
        if (added++ >= MOST_PINS) fit->left_out++;
        if (!change) continue;
        char words[FIT_NAME_ROOM - 16];
        fit_group_words(fit, b->group, words, sizeof words);
        snprintf(change->name, sizeof change->name, "place %s first", words);
    }
    struct fit_change *all = added > 1 ? add_first(fit, kind, 0, NONE) : NULL;
    if (all) {
        snprintf(all->name, sizeof all->name, "place what stays first");
        all->contains_others = true;
    }
    free(seen);
    free(there);
}

const struct fit_kind fit_largest_first = {"order_largest_first", list_largest_first, apply_largest_first, NULL};
const struct fit_kind fit_place_first = {"order_place_first", list_place_first, apply_place_first, NULL};
