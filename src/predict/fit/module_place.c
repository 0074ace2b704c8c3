/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/fit/module_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "analysis/fit/kinds.h"
#include "analysis/fit/pins.h"
#include "predict/fit/module_kinds.h"
#include "predict/move_op.h"

enum { MOST_PLACED = 8 };

/* The op of a group's tensor, if it is in a main function and can be moved; else 0. */
static uint64_t movable(const struct fit *fit, const struct fit_group *group) {
    const struct module_source *source = fit->source.context;
    const struct replay *r = &source->base.replay;
    const struct op_state *s = group->place == NONE ? NULL : prediction_place(r, group->place);
    const struct ir_op *op = s ? place_op(r, s) : NULL;
    if (!op || group->class != LIVE_ACTIVATION || s->caller != IR_NONE) return 0;
    const struct ir *ir = r->runs.items[s->program].ir;
    uint32_t at = move_op_find(ir, op->line);
    const struct ir_function *f = ir_main(ir);
    if (at >= f->op_count || &ir->ops.items[f->first_op + at] != op || move_op_earliest(ir, f, at) == at) return 0;
    return (uint64_t)(ir - source->prediction->modules) << 32 | op->line;
}

static void name_change(const struct fit *fit, uint32_t group, char name[FIT_NAME_ROOM]) {
    char words[FIT_NAME_ROOM - 16];
    fit_group_words(fit, group, words, sizeof words);
    snprintf(name, FIT_NAME_ROOM, "place %s first", words);
}

static void fill(const struct fit *fit, struct fit_change *change, uint32_t group, uint64_t op) {
    name_change(fit, group, change->name);
    change->number = op;
    change->setting = "make it as soon as its operands are there";
}

/* Matters only for free blocks: sums do not change. */
static void list(struct fit *fit, const struct fit_kind *kind) {
    uint32_t groups[FIT_MOST_PINNING];
    size_t count = fit->base.fits || fit->base.free < fit->base.wants ? 0 : fit_pinning_find(fit, groups, &fit->left_out);
    for (size_t i = 0, listed = 0; i < count; i++) {
        const struct fit_group *group = &fit->trace->groups.items[groups[i]];
        uint64_t op = movable(fit, group);
        if (!op) continue;
        struct fit_change *change = listed++ < MOST_PLACED ? fit_add(fit, kind, group->key, group->place) : NULL;
        if (change) fill(fit, change, groups[i], op);
        else fit->left_out++;
    }
}

static void ask(struct fit *fit, const struct fit_kind *kind, const char *name) {
    const struct fit_trace *trace = fit->trace;
    for (uint32_t i = 0, added = 0; i < trace->groups.len && added < MOST_PLACED; i++) {
        char words[FIT_NAME_ROOM];
        bool listed = false;
        name_change(fit, i, words);
        if (!fit_is_called(name, words)) continue;
        for (size_t k = 0; k < fit->changes.len; k++)
            listed |= fit->changes.items[k].kind == kind && fit->changes.items[k].group == trace->groups.items[i].key;
        uint64_t op = listed ? 0 : movable(fit, &trace->groups.items[i]);
        if (!op) continue;
        fill(fit, fit_add_wanted(fit, kind, trace->groups.items[i].key, trace->groups.items[i].place), i, op);
        added++;
    }
}

const struct fit_kind module_place = {"order_place_first", list, NULL, ask};
