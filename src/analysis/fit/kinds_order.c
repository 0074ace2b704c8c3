/* SPDX-License-Identifier: Apache-2.0 */
/* The same buffers in another order: long-lived buffers are placed before short-lived ones, so that they do not end up between
 * them. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/fit/kinds.h"
#include "analysis/fit/pins.h"

enum { MOST_PINS = 8 };

/* Could it be made before short-lived buffers? For a compiled program this is tried by moving the op itself. */
static bool is_movable(const struct fit_trace *trace, const struct fit_buffer *b) {
    const struct fit_group *group = &trace->groups.items[b->group];
    return !trace->compiled && trace->placed && !group->request && group->class != LIVE_BINARY && !b->high;
}

/* Does it stay to the end? */
static bool stays(const struct fit_trace *trace, const struct fit_buffer *b) {
    return is_movable(trace, b) && !trace->ended && b->free == NONE;
}

/* --- the largest first --- */

/* What is loaded before the first op and stays: weights; for captures, which do not record classes, all such buffers. */
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

/* --- pins placed before short-lived buffers --- */

/* `number` is the event that the buffer then precedes, << 32, and the buffer; without a group it means everything that
 * stays. */
static void apply_place_first(struct fit_variant *v, const struct fit_change *change) {
    const struct fit_trace *trace = v->trace;
    uint32_t one = (uint32_t)change->number;
    if (change->group && one < trace->buffers.len)
        fit_variant_move(v, trace->buffers.items[one].take, (uint32_t)(change->number >> 32));
    for (size_t i = 0; !change->group && i < trace->buffers.len; i++)
        if (stays(trace, &trace->buffers.items[i])) fit_variant_move(v, trace->buffers.items[i].take, 0);
}

static struct fit_change *add_first(struct fit *fit, const struct fit_kind *kind, uint64_t key, uint32_t place) {
    struct fit_change *change = fit_add(fit, kind, key, place);
    if (!change) return NULL;
    change->setting = "make it before what comes and goes";
    change->assumption = "it needs nothing of what comes before it now";
    return change;
}

/* When the memory right below the buffer was taken: had the buffer come before that, it would be there. NONE: what is there
 * now came later, or all of it still exists. */
static uint32_t came_below(const struct fit *fit, uint32_t buffer) {
    const struct fit_trace *trace = fit->trace;
    const struct fit_buffer *b = &trace->buffers.items[buffer];
    uint64_t address = fit->addresses[buffer];
    uint32_t earliest = NONE;
    for (uint32_t i = 0; i < trace->buffers.len; i++) {
        const struct fit_buffer *other = &trace->buffers.items[i];
        bool there = other->take < b->take && b->take < other->free && fit->addresses[i] != UINT64_MAX;
        if (!there || fit->addresses[i] >= address || fit_is_there_at(other, fit_event_of_blocks(fit)) || other->high) continue;
        if (other->take < earliest) earliest = other->take;
    }
    return earliest;
}

/* The buffer of the group that is alive there. */
static uint32_t buffer_there(const struct fit *fit, uint32_t group) {
    for (uint32_t i = 0; i < fit->trace->buffers.len; i++)
        if (fit->trace->buffers.items[i].group == group &&
            fit_is_there_at(&fit->trace->buffers.items[i], fit_event_of_blocks(fit)))
            return i;
    return NONE;
}

static void list_place_first(struct fit *fit, const struct fit_kind *kind) {
    const struct fit_trace *trace = fit->trace;
    uint32_t groups[FIT_MOST_PINNING];
    if (trace->compiled || trace->follows || (!fit->base.fits && fit->base.free < fit->base.wants)) return;
    size_t count = fit_pinning_find(fit, groups, &fit->left_out), staying = 0;
    for (size_t i = 0, added = 0; i < count; i++) {
        uint32_t buffer = buffer_there(fit, groups[i]);
        const struct fit_group *group = &trace->groups.items[groups[i]];
        if (buffer == NONE || !is_movable(trace, &trace->buffers.items[buffer])) continue;
        staying += stays(trace, &trace->buffers.items[buffer]);
        uint32_t before = came_below(fit, buffer);
        if (before == NONE) continue;
        struct fit_change *change = added < MOST_PINS ? add_first(fit, kind, group->key, group->place) : NULL;
        if (added++ >= MOST_PINS) fit->left_out++;
        if (!change) continue;
        char words[FIT_NAME_ROOM - 16];
        fit_group_words(fit, groups[i], words, sizeof words);
        snprintf(change->name, sizeof change->name, "place %s first", words);
        change->number = (uint64_t)before << 32 | buffer;
    }
    struct fit_change *all = staying > 1 ? add_first(fit, kind, 0, NONE) : NULL;
    if (!all) return;
    snprintf(all->name, sizeof all->name, "place what stays first");
    all->contains_others = true;
}

const struct fit_kind fit_largest_first = {"order_largest_first", list_largest_first, apply_largest_first, NULL};
const struct fit_kind fit_place_first = {"order_place_first", list_place_first, apply_place_first, NULL};
