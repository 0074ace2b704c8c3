/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of buffers that are put in lists. What is in a program's list when the program is whole counts; a list that never
 * becomes one, or that is emptied again, makes it uncertain. */
#include <string.h>

#include "cb/interp/cb_interp.h"

static bool is_among(const struct cb_condition *list, uint32_t n, const struct cb_condition *one) {
    for (uint32_t i = 0; i < n; i++)
        if (list[i].id == one->id && list[i].which == one->which) return true;
    return false;
}

/* Its own conditions, and those that hold now. */
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
    if (maker->program) p->program = maker->program;
    p->loose = false;
    note_place(in, p);
}

void interp_record_pushed(struct interp *in, const struct val *item, TSNode by, const struct val_list *list, bool placed) {
    const struct val *bare = val_bare(item);
    if (bare->kind == VAL_LIST) {
        for (uint32_t i = 0; i < bare->list->len; i++)
            if (val_bare(bare->list->items[i])->kind == VAL_OBJECT)
                interp_record_pushed(in, bare->list->items[i], by, list, placed);
        return;
    }
    if (bare->kind != VAL_OBJECT || !interp_is_buffer_type(bare->object->type) || in->mute) return;
    struct val_object *object = bare->object;
    struct buffer_maker maker = interp_maker_of(in, by);
    if (object->recorded) {
        struct pushed_cb *known = entry_of(in, object);
        if (!placed || (known && known->object == object && !known->loose && is_here(in, known))) return;
        if (known && known->loose) {
            known->object = object;
            place(in, known, &maker);
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
                               .loose = !placed,
                               .list = list ? list->origin : NULL};
    if (placed) note_place(in, &pushed);
    add_conditions(in, &pushed, in->conditions.items, in->conditions.len);
    vec_push(&in->pushed, pushed);
}

void interp_place_list(struct interp *in, const struct val *list, TSNode by) {
    const struct val *bare = val_bare(list);
    if (in->mute) return;
    interp_record_pushed(in, bare, by, bare->kind == VAL_LIST ? bare->list : NULL, true);
    if (bare->kind != VAL_LIST) return;
    struct buffer_maker maker = interp_maker_of(in, by);
    for (size_t i = 0; i < in->pushed.len; i++)
        if (in->pushed.items[i].loose && in->pushed.items[i].list == bare->list->origin)
            place(in, &in->pushed.items[i], &maker);
}

void interp_drop_pushed(struct interp *in, const struct val_list *list) {
    if (in->mute) return;
    for (size_t i = 0; i < in->pushed.len; i++)
        if (!list || in->pushed.items[i].list == list->origin) make_uncertain(in, &in->pushed.items[i]);
}

void interp_finish_pushed(struct interp *in, size_t from, bool has_program) {
    for (size_t i = from; i < in->pushed.len; i++) {
        struct pushed_cb *p = &in->pushed.items[i];
        if (p->loose && has_program) make_uncertain(in, p);
        size_t held = in->conditions.len;
        for (uint32_t k = 0; k < p->n_conditions; k++) vec_push(&in->conditions, p->conditions[k]);
        interp_record_object(in, p->object, SLICE(""), &(struct buffer_maker){p->made, p->line, p->repeats, p->program});
        in->conditions.len = held;
    }
    in->pushed.len = from;
}
