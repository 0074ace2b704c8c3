/* SPDX-License-Identifier: Apache-2.0 */
/* Buffer descriptors in lists. Those in a program's list count once the program is complete; a list that never becomes a
 * program's, or that is emptied again, makes them uncertain. */
#include <string.h>

#include "cb/interp/cb_interp.h"

static bool is_among(const struct cb_condition *list, uint32_t n, const struct cb_condition *one) {
    for (uint32_t i = 0; i < n; i++)
        if (list[i].id == one->id && list[i].which == one->which) return true;
    return false;
}

/* Adds the given conditions to those of the descriptor. */
static void add_conditions(struct interp *in, struct pushed_cb *p, const struct cb_condition *more, size_t n) {
    struct cb_condition *all = arena_alloc(in->arena, (p->n_conditions + n + 1) * sizeof *all);
    if (p->n_conditions) memcpy(all, p->conditions, p->n_conditions * sizeof *all);
    uint32_t len = p->n_conditions;
    for (size_t i = 0; i < n; i++)
        if (!is_among(all, len, &more[i])) all[len++] = more[i];
    p->conditions = all;
    p->n_conditions = len;
}

static void make_uncertain(struct interp *in, struct pushed_cb *p) {
    struct cb_condition maybe = {in->next_condition++, true, 1, 2, SLICE("")};
    add_conditions(in, p, &maybe, 1);
}

static struct pushed_cb *entry_of(struct interp *in, const struct val_object *object) {
    for (size_t i = in->pushed.len; i-- > 0;)
        if (in->pushed.items[i].object->origin == object->origin) return &in->pushed.items[i];
    return NULL;
}

static void note_place(const struct interp *in, struct pushed_cb *p) {
    p->placed_under = in->conditions.len;
    p->placed_last = in->conditions.len ? vec_last(&in->conditions).id * 2 + vec_last(&in->conditions).side : 0;
}

/* Was it put in a program's list here, not in another one in another branch? */
static bool is_here(const struct interp *in, const struct pushed_cb *p) {
    struct pushed_cb now = {0};
    note_place(in, &now);
    return now.placed_under == p->placed_under && now.placed_last == p->placed_last;
}

static void place(struct interp *in, struct pushed_cb *p, const struct buffer_maker *maker) {
    add_conditions(in, p, in->conditions.items, in->conditions.len);
    if (maker->program) {
        p->program = maker->program;
        p->owner = maker->owner;
        p->owner_name = maker->owner_name;
    }
    p->loose = false;
    note_place(in, p);
}

/* Records one of two descriptors, depending on a condition. */
static void record_choice(struct interp *in, const struct val *choice, TSNode by, const struct val_list *list, bool placed) {
    for (unsigned side = 0; side < 2; side++) {
        size_t held = in->conditions.len;
        interp_push_side(in, choice->a, side == 0);
        interp_record_pushed(in, side ? choice->c : choice->b, by, list, placed);
        interp_drop_conditions(in, held);
    }
}

void interp_record_pushed(struct interp *in, const struct val *item, TSNode by, const struct val_list *list, bool placed) {
    const struct val *bare = val_bare(item);
    if (bare->kind == VAL_OP && bare->op == OP_COND && (interp_is_objectlike(bare->b) || interp_is_objectlike(bare->c))) {
        record_choice(in, bare, by, list, placed);
        return;
    }
    if (bare->kind == VAL_LIST) {
        for (uint32_t i = 0; i < bare->list->len; i++)
            if (val_bare(bare->list->items[i])->kind == VAL_OBJECT)
                interp_record_pushed(in, bare->list->items[i], by, list, placed);
        return;
    }
    if (bare->kind != VAL_OBJECT || !interp_is_buffer_type(bare->object->type) || in->mute) return;
    struct val_object *object = bare->object;
    struct buffer_maker maker = interp_maker_of(in, by);
    if (list && list->program) interp_maker_program(in, &maker, list->program);
    if (object->recorded) {
        struct pushed_cb *known = entry_of(in, object);
        if (!placed || (known && known->object == object && !known->loose && is_here(in, known))) return;
        if (known && known->loose) {
            known->object = object;
            place(in, known, &maker);
            return;
        }
        /* it was put in a list with the name of a program's list, which is now copied into one */
        if (known && list && known->list == list->origin && !known->program && is_here(in, known)) {
            known->object = object;
            known->program = maker.program;
            return;
        }
    }
    if (!object->recorded) object->origin = object;
    object->recorded = true;
    struct pushed_cb pushed = {.object = object,
                               .line = maker.line,
                               .made = maker.made,
                               .repeats = maker.repeats,
                               .program = maker.program,
                               .owner = maker.owner,
                               .owner_name = maker.owner_name,
                               .loose = !placed,
                               .list = list ? list->origin : NULL};
    if (placed) note_place(in, &pushed);
    size_t outside = placed ? interp_outside_program(in, maker.program) : 0;
    if (in->conditions.len > outside) add_conditions(in, &pushed, in->conditions.items + outside, in->conditions.len - outside);
    vec_push(&in->pushed, pushed);
}

void interp_join_list(struct interp *in, const struct val *from, const struct val_list *to) {
    const struct val *bare = val_bare(from);
    bool list = bare->kind == VAL_LIST, choice = bare->kind == VAL_OP && bare->op == OP_COND;
    if (in->mute || (!list && !choice)) return;
    vec_push(&in->joins, ((struct list_join){list ? bare->list->origin : NULL, to->origin, list ? NULL : bare}));
}

static void place_part(struct interp *in, const struct val *list, TSNode by, unsigned depth);

static void place_loose(struct interp *in, const void *origin, const struct buffer_maker *maker, TSNode by, unsigned depth) {
    if (depth > 16) return;
    for (size_t i = 0; i < in->pushed.len; i++)
        if (in->pushed.items[i].loose && in->pushed.items[i].list == origin) place(in, &in->pushed.items[i], maker);
    for (size_t i = 0; i < in->joins.len; i++) {
        if (in->joins.items[i].to != origin) continue;
        if (in->joins.items[i].choice) place_part(in, in->joins.items[i].choice, by, depth + 1);
        else place_loose(in, in->joins.items[i].from, maker, by, depth + 1);
    }
}

static void place_part(struct interp *in, const struct val *list, TSNode by, unsigned depth) {
    const struct val *bare = val_bare(list);
    if (bare->kind == VAL_OP && bare->op == OP_COND && depth < 8) {
        for (unsigned side = 0; side < 2; side++) {
            size_t held = in->conditions.len;
            interp_push_side(in, bare->a, side == 0);
            place_part(in, side ? bare->c : bare->b, by, depth + 1);
            interp_drop_conditions(in, held);
        }
        return;
    }
    bool lost = bare->kind == VAL_LIST ? bare->list->unseen : in->python && bare->kind != VAL_OBJECT && bare->kind != VAL_NULL;
    if (lost) interp_note_unread(in, by, SLICE("a program's list of buffers comes from elsewhere"));
    interp_record_pushed(in, bare, by, bare->kind == VAL_LIST ? bare->list : NULL, true);
    if (bare->kind != VAL_LIST) return;
    struct buffer_maker maker = interp_maker_of(in, by);
    if (bare->list->program) interp_maker_program(in, &maker, bare->list->program);
    bare->list->placed = true;
    for (uint32_t i = 0; i < bare->list->len; i++) {
        const struct val *item = val_bare(bare->list->items[i]);
        bool choice = item->kind == VAL_OP && item->op == OP_COND;
        if (item->kind == VAL_FREE || (choice && !interp_is_objectlike(item->b) && !interp_is_objectlike(item->c)))
            interp_note_unread(in, by, SLICE("a circular buffer's descriptor comes from elsewhere"));
    }
    place_loose(in, bare->list->origin, &maker, by, depth);
}

void interp_place_list(struct interp *in, const struct val *list, TSNode by) {
    if (!in->mute) place_part(in, list, by, 0);
}

/* --- programs --- */

static const char *const buffer_lists[] = {"cbs", "dataflow_buffers", "scratchpads"};

static struct val_list *list_of(const struct val_object *program, size_t i) {
    const struct val_field *field = val_object_field(program, slice_from(buffer_lists[i]));
    const struct val *value = field ? val_bare(field->value) : NULL;
    return value && value->kind == VAL_LIST ? value->list : NULL;
}

void interp_own_program(struct interp *in, const struct val *program, const struct cb_cell *cell) {
    const struct val_object *object = val_bare(program)->object;
    for (size_t i = 0; i < sizeof buffer_lists / sizeof *buffer_lists; i++) {
        struct val_list *list = list_of(object, i);
        if (!list) continue;
        list->placed = true;
        if (!cell) continue;
        list->program = cell;
        for (size_t k = 0; k < in->pushed.len && !in->mute; k++)
            if (in->pushed.items[k].list == list->origin && !in->pushed.items[k].program) in->pushed.items[k].program = cell;
    }
}

/* The buffer's copy in the copied list; one that is not found there stays as it was. */
static struct val_object *copied_buffer(struct interp *in, const struct val_list *list, struct val_object *buffer) {
    for (uint32_t i = 0; i < list->len; i++) {
        const struct val *item = val_bare(list->items[i]);
        if (item->kind == VAL_OBJECT && item->object->origin == buffer->origin) return item->object;
    }
    return val_clone(in->arena, &(struct val){.kind = VAL_OBJECT, .object = buffer})->object;
}

void interp_copy_buffers(struct interp *in, const void *from, const struct val_list *into, const struct cb_cell *program) {
    for (size_t k = 0, n = in->pushed.len; k < n && !in->mute; k++) {
        if (in->pushed.items[k].list != from) continue;
        struct pushed_cb p = in->pushed.items[k];
        p.object = copied_buffer(in, into, p.object);
        p.object->origin = p.object;
        p.list = into->origin;
        p.program = program;
        p.loose = false;
        add_conditions(in, &p, in->conditions.items, in->conditions.len);
        note_place(in, &p);
        vec_push(&in->pushed, p);
    }
}

void interp_copy_program(struct interp *in, const struct val *copy, const struct cb_cell *cell) {
    const struct val_object *object = val_bare(copy)->object;
    for (size_t i = 0; i < sizeof buffer_lists / sizeof *buffer_lists; i++) {
        struct val_list *list = list_of(object, i);
        if (!list || list->origin == list) continue;
        const void *from = list->origin;
        list->origin = list;
        interp_copy_buffers(in, from, list, cell);
    }
}

bool interp_is_list_choice(const struct val *value, unsigned depth) {
    const struct val *bare = val_bare(value);
    if (bare->kind == VAL_LIST) return !bare->list->unseen;
    return depth < 8 && bare->kind == VAL_OP && bare->op == OP_COND && interp_is_list_choice(bare->b, depth + 1) &&
           interp_is_list_choice(bare->c, depth + 1);
}

void interp_note_list_lost(struct interp *in, struct val_list *list, bool grows) {
    if (in->mute) return;
    bool holds = list->placed;
    for (size_t i = 0; i < in->pushed.len && !holds; i++) holds = in->pushed.items[i].list == list->origin;
    if (!holds) return;
    interp_drop_pushed(in, list);
    if (!grows) return;
    list->unseen = true;
    if (list->placed) interp_note_unfollowed(in, SLICE("something that is not followed may change a program's buffers"));
}

void interp_extend_list(struct interp *in, struct val_list *list, const struct val *more, TSNode by, bool placed) {
    const struct val *bare = val_bare(more);
    const struct val_list *other = bare->kind == VAL_LIST ? bare->list : NULL;
    bool lost = other ? other->unseen : !interp_is_list_choice(bare, 0);
    if (placed) interp_place_list(in, more, by);
    else if (other) interp_record_pushed(in, more, by, list, false);
    interp_join_list(in, bare, list);
    if (lost && !in->mute) list->unseen = true;
    for (uint32_t i = 0, n = other ? other->len : 0; i < n; i++) interp_append_item(in, list, other->items[i]);
    if (!other || lost || other->open || in->open_loops > list->loops) {
        interp_append_item(in, list, interp_unknown(in, by)); /* the journal sees the change */
        list->open = true;
    }
}

void interp_drop_pushed(struct interp *in, const struct val_list *list) {
    if (in->mute) return;
    for (size_t i = 0; i < in->pushed.len; i++)
        if (!list || in->pushed.items[i].list == list->origin) make_uncertain(in, &in->pushed.items[i]);
}

/* The value under the buffer's conditions: of two descriptors in one place of a list, its own. */
static const struct val *there(const struct interp *in, const struct pushed_cb *p, const struct val *value) {
    for (unsigned i = 0; i < 16; i++) {
        const struct val *bare = val_bare(value);
        if (bare->kind != VAL_OP || bare->op != OP_COND) return value;
        int side = interp_side_among(in, p->conditions, p->n_conditions, bare->a);
        if (side < 0) return value;
        value = side ? bare->b : bare->c;
    }
    return value;
}

static const struct val_object *object_there(struct interp *in, const struct pushed_cb *p) {
    bool differs = false;
    for (const struct val_field *f = p->object->fields; f; f = f->next) differs |= there(in, p, f->value) != f->value;
    if (!differs) return p->object;
    struct val_object *own = arena_alloc(in->arena, sizeof *own);
    *own = *p->object;
    struct val_field **end = &own->fields;
    for (const struct val_field *f = p->object->fields; f; f = f->next) {
        *end = arena_alloc(in->arena, sizeof **end);
        **end = *f;
        (*end)->value = there(in, p, f->value);
        end = &(*end)->next;
    }
    return own;
}

void interp_finish_pushed(struct interp *in, size_t from, bool has_program) {
    for (size_t i = from; i < in->pushed.len; i++) {
        struct pushed_cb *p = &in->pushed.items[i];
        if (p->loose && has_program) make_uncertain(in, p);
        size_t held = in->conditions.len;
        for (uint32_t k = 0; k < p->n_conditions; k++) vec_push(&in->conditions, p->conditions[k]);
        interp_record_object(in, object_there(in, p), SLICE(""),
                             &(struct buffer_maker){p->made, p->line, p->repeats, p->program, p->owner, p->owner_name});
        in->conditions.len = held;
    }
    in->pushed.len = from;
}
