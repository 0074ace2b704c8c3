/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of variables, fields and items. A journal records every change, so that a branch can be undone and its two sides
 * merged. */
#include "cb/interp/cb_interp.h"

static struct spot_state state_of(struct spot spot) {
    if (spot.cell) return (struct spot_state){.value = spot.cell->value};
    if (spot.object) return (struct spot_state){.fields = spot.object->fields};
    return (struct spot_state){.items = spot.list->items, .len = spot.list->len, .open = spot.list->open};
}

static void set_state(struct spot spot, const struct spot_state *state) {
    if (spot.cell) {
        spot.cell->value = state->value;
    } else if (spot.object) {
        spot.object->fields = state->fields;
    } else {
        spot.list->items = state->items;
        spot.list->len = spot.list->cap = state->len; /* additions go to a separate array */
        spot.list->open = state->open;
    }
}

static bool same_spot(struct spot a, struct spot b) { return a.cell == b.cell && a.object == b.object && a.list == b.list; }

static uint64_t born(struct spot spot) {
    return spot.cell ? spot.cell->born : spot.object ? spot.object->born : spot.list->born;
}

static void note(struct interp *in, struct spot spot) { vec_push(&in->journal, ((struct undo){spot, state_of(spot)})); }

/* If the function may already have returned, anything visible outside keeps its old value in that case. */
static const struct val *weakened(struct interp *in, struct spot spot, const struct val *old, const struct val *value) {
    for (const struct cb_frame *f = in->frame; f; f = f->up) {
        if (!f->left) continue;
        uint64_t seen = spot.cell ? f->born : f->left_at;
        if (born(spot) <= seen) value = val_merge(in->arena, f->left, old ? old : val_free(in->arena, SLICE("...")), value);
    }
    return value;
}

const struct val *interp_cell_value(const struct cb_cell *cell) {
    if (cell->object) {
        const struct val_field *f = val_object_field(cell->object, cell->field);
        return f ? f->value : cell->value;
    }
    if (cell->list) return cell->item < cell->list->len ? cell->list->items[cell->item] : cell->value;
    return cell->value;
}

void interp_assign(struct interp *in, struct cb_cell *cell, const struct val *value) {
    if (cell->fixed) return;
    if (cell->object) {
        interp_write_field(in, cell->object, cell->field, value);
        return;
    }
    if (cell->list) {
        interp_write_item(in, cell->list, cell->item, value);
        return;
    }
    struct spot spot = {.cell = cell};
    if (cell->escaped) value = val_free(in->arena, cell->name);
    value = weakened(in, spot, cell->value, value);
    note(in, spot);
    value = val_convert(in->arena, cell->type, value);
    cell->value = val_named(in->arena, cell->name, val_with_sets(in->arena, value, in->decided_by & ~cell->decided_by));
}

struct val_field *interp_write_field(struct interp *in, struct val_object *object, struct slice name, const struct val *value) {
    struct spot spot = {.object = object};
    const struct val_field *old = val_object_field(object, name);
    struct slice text = old ? old->text : SLICE("");
    if (old) value = val_convert(in->arena, old->type, value);
    if (object->escaped) value = val_free(in->arena, name);
    value = weakened(in, spot, old ? old->value : NULL, value);
    note(in, spot);
    struct val_object copy = {0};
    for (const struct val_field *f = object->fields; f; f = f->next) val_object_like(in->arena, &copy, f, f->value);
    object->fields = copy.fields;
    struct val_field *field = val_object_set(in->arena, object, name, value);
    field->text = text;
    return field;
}

/* The journal keeps the old array; changes go to a copy. */
static void own_items(struct interp *in, struct val_list *list) {
    note(in, (struct spot){.list = list});
    const struct val **items = arena_alloc(in->arena, (list->len + 4u) * sizeof *items);
    for (uint32_t i = 0; i < list->len; i++) items[i] = list->items[i];
    list->items = items;
    list->cap = list->len + 4;
}

void interp_write_object(struct interp *in, struct val_object *object, const struct val *value) {
    const struct val *bare = val_bare(value);
    if (bare->kind == VAL_OBJECT && bare->object == object) return;
    if (bare->kind != VAL_OBJECT) {
        interp_forget_value(in, &(struct val){.kind = VAL_OBJECT, .object = object});
        return;
    }
    for (const struct val_field *f = object->fields; f; f = f->next)
        if (!val_object_field(bare->object, f->name)) interp_write_field(in, object, f->name, val_free(in->arena, f->name));
    for (const struct val_field *f = bare->object->fields; f; f = f->next)
        interp_write_field(in, object, f->name, f->refers ? f->value : val_clone(in->arena, f->value))->text = f->text;
}

void interp_write_item(struct interp *in, struct val_list *list, uint32_t at, const struct val *value) {
    if (at >= list->len) return;
    const struct val *old = val_bare(list->items[at]);
    if (!in->python && !list->refers && old->kind == VAL_OBJECT) { /* the object keeps its identity and gets another value */
        interp_write_object(in, old->object, value);
        return;
    }
    if (old->kind == VAL_OBJECT && old->object->recorded) interp_note_list_lost(in, list, false);
    value = val_convert(in->arena, list->type, value);
    value = weakened(in, (struct spot){.list = list}, list->items[at], value);
    own_items(in, list);
    list->items[at] = value;
}

static bool may_have_left(const struct interp *in, struct spot spot) {
    for (const struct cb_frame *f = in->frame; f; f = f->up)
        if (f->left && born(spot) <= f->left_at) return true;
    return false;
}

void interp_append_item(struct interp *in, struct val_list *list, const struct val *value) {
    bool loose = may_have_left(in, (struct spot){.list = list}) && list->born <= in->frame->born;
    own_items(in, list);
    if (loose || list->open) list->open = true;
    else val_list_add(in->arena, list, val_convert(in->arena, list->type, value));
}

void interp_clear_list(struct interp *in, struct val_list *list) {
    own_items(in, list);
    list->len = 0;
    if (may_have_left(in, (struct spot){.list = list})) list->open = true;
}

void interp_open_list(struct interp *in, struct val_list *list) {
    if (list->open && !list->len) return;
    own_items(in, list);
    list->len = 0;
    list->open = true;
}

/* --- branches --- */

bool interp_in_changes(const changes *list, struct spot spot) {
    for (size_t i = 0; i < list->len; i++)
        if (same_spot(list->items[i].spot, spot)) return true;
    return false;
}

void interp_take_back(struct interp *in, size_t mark, uint64_t since, changes *out) {
    size_t first = out->len;
    for (size_t i = in->journal.len; i-- > mark;) {
        struct undo *u = &in->journal.items[i];
        if (born(u->spot) > since) continue;
        struct cell_change *known = NULL;
        for (size_t k = first; k < out->len && !known; k++)
            if (same_spot(out->items[k].spot, u->spot)) known = &out->items[k];
        if (known) known->before = u->old;
        else vec_push(out, ((struct cell_change){u->spot, u->old, state_of(u->spot)}));
    }
    for (size_t i = first; i < out->len; i++) set_state(out->items[i].spot, &out->items[i].before);
    in->journal.len = mark;
}

static void set_noted(struct interp *in, struct spot spot, const struct spot_state *state) {
    note(in, spot);
    set_state(spot, state);
}

void interp_put_back(struct interp *in, const changes *list) {
    for (size_t i = 0; i < list->len; i++) set_noted(in, list->items[i].spot, &list->items[i].after);
}

static void merge_states(struct interp *in, struct spot spot, const struct val *condition, const struct spot_state *yes,
                         const struct spot_state *no) {
    struct spot_state merged = {0};
    if (spot.cell) {
        merged.value = val_named(in->arena, spot.cell->name, val_merge(in->arena, condition, yes->value, no->value));
        if (spot.cell->type != VAL_ANY) merged.value = val_convert(in->arena, spot.cell->type, merged.value);
    } else if (spot.object) {
        merged.fields = val_merge_fields(in->arena, condition, yes->fields, no->fields, 0);
    } else {
        struct val_list a = {.items = yes->items, .len = yes->len, .open = yes->open},
                        b = {.items = no->items, .len = no->len, .open = no->open}, both = {0};
        val_merge_items(in->arena, condition, &both, &a, &b, 0);
        merged = (struct spot_state){.items = both.items, .len = both.len, .open = both.open};
    }
    set_noted(in, spot, &merged);
}

static const struct spot_state *after_in(const changes *list, struct spot spot, const struct spot_state *otherwise) {
    for (size_t i = 0; i < list->len; i++)
        if (same_spot(list->items[i].spot, spot)) return &list->items[i].after;
    return otherwise;
}

void interp_merge_sides(struct interp *in, const struct val *condition, const changes *yes, const changes *no) {
    for (size_t i = 0; i < yes->len; i++) {
        const struct cell_change *c = &yes->items[i];
        merge_states(in, c->spot, condition, &c->after, after_in(no, c->spot, &c->before));
    }
    for (size_t i = 0; i < no->len; i++) {
        const struct cell_change *c = &no->items[i];
        if (!interp_in_changes(yes, c->spot)) merge_states(in, c->spot, condition, &c->before, &c->after);
    }
}

void interp_merge_left(struct interp *in, const struct val *condition, const changes *left) {
    for (size_t i = 0; i < left->len; i++) {
        const struct cell_change *c = &left->items[i];
        bool seen = !in->frame || born(c->spot) <= in->frame->born || (c->spot.object && c->spot.object->recorded);
        if (!seen) continue;
        struct spot_state now = state_of(c->spot);
        merge_states(in, c->spot, condition, &c->after, &now);
    }
}

/* --- things that become unknown --- */

void interp_forget_cell(struct interp *in, struct cb_cell *cell) {
    if (cell->fixed || cell->constant) return;
    if (cell->object || cell->list) {
        interp_assign(in, cell, val_free(in->arena, cell->name));
        return;
    }
    const struct val *value = val_bare(cell->value);
    if (value->kind == VAL_OBJECT || value->kind == VAL_LIST) interp_forget_value(in, value);
    else if (value->kind != VAL_LAMBDA) interp_assign(in, cell, val_free(in->arena, cell->name));
}

static void forget_fields(struct interp *in, struct val_object *object) {
    enum { MAX_NESTED = 200 };
    if (object->forgetting) return; /* it contains itself */
    if (in->forgetting >= MAX_NESTED) {
        in->too_deep = true;
        return;
    }
    object->forgetting = true;
    in->forgetting++;
    note(in, (struct spot){.object = object});
    struct val_object copy = {0};
    for (const struct val_field *f = object->fields; f; f = f->next) {
        const struct val *bare = val_bare(f->value);
        bool whole = bare->kind == VAL_LIST || bare->kind == VAL_OBJECT;
        if (whole) interp_forget_value(in, bare);
        /* adding arguments to a kernel does not make it another kernel */
        bool kept = whole || (interp_is_kernel_type(object->type) && slice_ends(f->name, SLICE("source")));
        val_object_like(in->arena, &copy, f, kept ? f->value : val_free(in->arena, f->name));
    }
    object->fields = copy.fields;
    object->forgetting = false;
    in->forgetting--;
}

void interp_forget_value(struct interp *in, const struct val *value) {
    value = val_bare(value);
    if (value->kind == VAL_LIST) {
        interp_note_list_lost(in, value->list, true);
        interp_forget_items(in, value->list);
    }
    if (value->kind == VAL_OBJECT) forget_fields(in, value->object);
}

/* Forgets the fields that differ between two states. */
static void forget_changed_fields(struct interp *in, const struct cell_change *c) {
    const struct val_object before = {.fields = c->before.fields}, after = {.fields = c->after.fields};
    note(in, c->spot);
    struct val_object copy = {0};
    for (const struct val_field *f = c->spot.object->fields; f; f = f->next) val_object_like(in->arena, &copy, f, f->value);
    for (const struct val_field *f = c->after.fields; f; f = f->next) {
        const struct val_field *old = val_object_field(&before, f->name);
        if (!old || old->value != f->value) val_object_like(in->arena, &copy, f, val_free(in->arena, f->name));
    }
    for (const struct val_field *f = c->before.fields; f; f = f->next)
        if (!val_object_field(&after, f->name)) val_object_set(in->arena, &copy, f->name, val_free(in->arena, f->name));
    c->spot.object->fields = copy.fields;
}

void interp_forget(struct interp *in, const changes *changed) {
    for (size_t i = 0; i < changed->len; i++) {
        const struct cell_change *c = &changed->items[i];
        if (c->spot.object) {
            forget_changed_fields(in, c);
        } else if (c->spot.list) {
            interp_open_list(in, c->spot.list);
        } else {
            /* not its value, but whether it has one */
            struct cb_cell *cell = c->spot.cell;
            if (cell->fixed) continue;
            const struct val *before = val_bare(c->before.value), *after = val_bare(c->after.value);
            bool objects = before->kind == VAL_OBJECT && after->kind == VAL_OBJECT;
            const struct val *value = val_free(in->arena, cell->name);
            if (objects) value = val_merge(in->arena, value, c->after.value, c->before.value);
            interp_assign(in, cell, value);
        }
    }
}

void interp_forget_items(struct interp *in, struct val_list *list) {
    enum { MAX_NESTED = 200 };
    if (in->forgetting >= MAX_NESTED) {
        in->too_deep = true;
        return;
    }
    in->forgetting++;
    const struct val **items = list->items;
    uint32_t len = list->len;
    interp_open_list(in, list); /* first, because it may contain itself */
    for (uint32_t i = 0; i < len; i++) interp_forget_value(in, items[i]);
    in->forgetting--;
}

void interp_restore_globals(struct interp *in, uint64_t until) {
    for (size_t i = in->journal.len; i-- > 0;)
        if (born(in->journal.items[i].spot) <= until) set_state(in->journal.items[i].spot, &in->journal.items[i].old);
    in->journal.len = 0;
}
