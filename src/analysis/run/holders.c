/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/holders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Two printed figures that are each rounded to a thousandth. */
enum { ROUNDING = 1 };

static void give_back(struct holders *held, uint32_t milli) {
    for (size_t i = held->len; i-- > 0;) {
        uint32_t size = held->items[i].milli;
        if (size + ROUNDING < milli || size > milli + ROUNDING) continue;
        memmove(&held->items[i], &held->items[i + 1], sizeof *held->items * (held->len - i - 1));
        held->len--;
        return;
    }
    while (milli && held->len) {
        struct holder *last = &held->items[held->len - 1];
        uint32_t part = last->milli < milli ? last->milli : milli;
        last->milli -= part;
        milli -= part;
        if (!last->milli) held->len--;
    }
}

static int larger_first(const void *a, const void *b) {
    const struct holder *x = a, *y = b;
    if (x->milli != y->milli) return x->milli < y->milli ? 1 : -1;
    return x->record < y->record ? -1 : x->record > y->record;
}

/* Position of a rank while its steps are walked. */
struct place_in_run {
    uint32_t record, submits;
    uint64_t opened;
    bool any, after_op; /* a state was seen; an op has run since the last block of a submit */
};

/* What the rise up to the block of this step is charged to. A submit without blocks before its ops says nothing about them,
 * and between two submits the host runs. */
static struct holder charged(const struct place_in_run *at, const struct step *step, uint32_t milli) {
    bool of_submit = step->kind == STEP_BEFORE_SUBMIT || step->kind == STEP_AFTER_SUBMIT;
    if (!at->any) return (struct holder){.record = NONE, .milli = milli, .opened = at->opened};
    if (of_submit && !at->after_op) return (struct holder){.record = NONE, .submit = at->submits, .milli = milli};
    return (struct holder){.record = at->record, .milli = milli};
}

/* The last opening of the rank's device before the step; NULL: the first one. */
static const struct run_part *part_of(const struct run *run, uint16_t rank, uint32_t step) {
    const struct run_part *found = NULL;
    for (size_t i = 0; i < run->parts.len; i++)
        if (run->parts.items[i].rank == rank && run->parts.items[i].step <= step) found = &run->parts.items[i];
    return found;
}

void holders_find(const struct run *run, enum pool pool, uint32_t step, struct holders *out) {
    *out = (struct holders){0};
    if (step >= run->steps.len) return;
    uint16_t rank = run->steps.items[step].rank;
    const struct run_part *part = part_of(run, rank, step);
    uint32_t reached = 0, first = part ? part->step : 0;
    struct place_in_run at = {.record = NONE, .opened = part ? part->line : 0};
    for (uint32_t i = 0; i <= step; i++) {
        const struct step *s = &run->steps.items[i];
        if (s->rank != rank) continue;
        at.submits += s->kind == STEP_BEFORE_SUBMIT;
        if (i < first) continue;
        const struct block *block = s->block == NONE ? NULL : &run->blocks.items[s->block];
        if (block && block->have & 1u << pool) {
            uint32_t now = block->allocated[pool];
            if (now > reached) vec_push(out, charged(&at, s, now - reached));
            else if (now < reached) give_back(out, reached - now);
            reached = now;
            at.any = true;
        }
        if (s->kind == STEP_BEFORE_SUBMIT || s->kind == STEP_AFTER_SUBMIT) at.after_op = false;
        if (s->record == NONE) continue;
        at.record = s->record;
        at.after_op = true;
    }
    if (out->len) qsort(out->items, out->len, sizeof *out->items, larger_first);
}

const char *holder_since(const struct holder *holder, char room[HOLDER_ROOM]) {
    if (holder->record != NONE) return "";
    if (holder->submit) snprintf(room, HOLDER_ROOM, "submit %u", holder->submit);
    else if (holder->opened) snprintf(room, HOLDER_ROOM, "the opening at line %" PRIu64, holder->opened);
    else return "the start";
    return room;
}

void holders_release(struct holders *holders) { vec_release(holders); }

bool holders_needed(const struct run *run) {
    return run->origin == RUN_LOG && !run->tensors.len && !run->op_lines && run->block_count && run->records.len;
}
