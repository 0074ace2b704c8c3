/* SPDX-License-Identifier: Apache-2.0 */
/* Assignments: to variables, fields, items. */
#include "cb/interp/cb_interp.h"

static void set_item(struct interp *in, TSNode target, const struct val *value) {
    TSNode owner = cpp_field(target, CPP_FIELD_argument);
    const struct val *object = is_kind(owner, CPP_field_expression) ? interp_field_of(in, owner, true) : NULL;
    if (!object) object = interp_eval(in, owner);
    object = val_bare(object);
    TSNode key_node = cpp_first(cpp_field(target, CPP_FIELD_indices));
    if (object->kind == VAL_OBJECT) interp_forget_value(in, object); /* a user-defined operator */
    if (object->kind != VAL_LIST || !exists(key_node)) return;
    const struct val *key = interp_eval(in, key_node);
    int64_t index;
    if (!object->list->map && val_is_num(key, &index) && index >= 0 && index < object->list->len) {
        interp_write_item(in, object->list, (uint32_t)index, value);
    } else if (object->list->map) {
        const struct val *pair = val_list_new(in->arena);
        val_list_add(in->arena, pair->list, key);
        val_list_add(in->arena, pair->list, value);
        interp_append_item(in, object->list, pair);
    } else {
        interp_forget_items(in, object->list); /* any item may be the one that changes */
    }
}

/* Is it unknown which object the assignment changes, other than one of the caller's? */
static bool points_anywhere(struct interp *in, TSNode target, const struct val *owner) {
    if (owner->kind == VAL_FREE && owner->given) return false;
    TSNode object = cpp_field(target, CPP_FIELD_argument);
    const struct cb_cell *cell = interp_place(in, object);
    if (cell && cell->optional) return false; /* it owns what it holds */
    return is_kind(object, CPP_subscript_expression) || is_kind(object, CPP_call_expression) ||
           slice_equal(cpp_text(in->tree, cpp_field(target, CPP_FIELD_operator)), SLICE("->"));
}

/* Writes a field of one of several objects that a condition chooses between: each of them may have the value. */
static bool write_to_choice(struct interp *in, const struct val *choice, struct slice name, const struct val *value,
                            unsigned depth) {
    const struct val *bare = val_bare(choice);
    if (depth > 8) return false;
    if (bare->kind == VAL_OP && bare->op == OP_COND) {
        bool one = write_to_choice(in, bare->b, name, value, depth + 1);
        return write_to_choice(in, bare->c, name, value, depth + 1) && one;
    }
    if (bare->kind != VAL_OBJECT) return false;
    const struct val_field *old = val_object_field(bare->object, name);
    const struct val *other = old ? old->value : val_free(in->arena, name);
    interp_write_field(in, bare->object, name, val_merge(in->arena, val_free(in->arena, SLICE("...")), value, other));
    return true;
}

void interp_set_field(struct interp *in, TSNode target, const struct val *value, struct slice text) {
    if (is_kind(target, CPP_subscript_expression)) {
        set_item(in, target, value);
        return;
    }
    if (is_kind(target, CPP_call_expression)) {
        struct cb_cell *item = interp_part_cell(in, target, SLICE("")); /* list.at(1) = ... */
        if (item) interp_assign(in, item, value);
        else interp_forget_mentioned(in, target); /* pick(a, b) = ... */
        return;
    }
    if (!is_kind(target, CPP_field_expression)) {
        interp_forget_mentioned(in, target);
        return;
    }
    if (val_bare(value)->kind == VAL_LAMBDA) interp_escape_value(in, value);
    TSNode owner = cpp_field(target, CPP_FIELD_argument);
    struct cb_cell *cell = interp_place(in, owner);
    const struct val *object = val_bare(cell ? interp_cell_value(cell) : interp_eval(in, owner));
    struct slice name = interp_last_name(in->tree, cpp_field(target, CPP_FIELD_field));
    bool second = slice_equal(name, SLICE("second"));
    if (object->kind == VAL_LIST && object->list->len == 2 && (second || slice_equal(name, SLICE("first")))) {
        interp_write_item(in, object->list, second, value);
        return;
    }
    if (object->kind != VAL_OBJECT) {
        if (object->kind == VAL_LIST) interp_forget_items(in, object->list);
        if (object->kind == VAL_OP && write_to_choice(in, object, name, value, 0)) return;
        if (points_anywhere(in, target, object) || (cell && object->kind == VAL_OP)) interp_write_anywhere(in, name, value);
        /* a variable of unknown type becomes an object with the fields that are assigned */
        if (!cell || object->kind != VAL_FREE || cell->fixed || cell->object || cell->list || cell->escaped) return;
        object = val_object_new(in->arena, SLICE(""));
        interp_stamp(in, object->object, target);
        object->object->born = cell->born;
        cell->value = object; /* without fields it says no more than before */
    }
    if (slice_equal(name, SLICE("kernels")) && interp_is_program_type(object->object->type)) interp_note_kernels(in, value);
    if (interp_is_buffer_list(name)) {
        const struct val_field *old = val_object_field(object->object, name);
        const struct val *before = old ? val_bare(old->value) : NULL;
        if (before && before->kind == VAL_LIST && before != val_bare(value)) interp_drop_pushed(in, before->list);
        interp_place_list(in, value, target);
        if (!in->python && interp_is_program_type(object->object->type) && val_bare(value)->kind == VAL_FREE)
            interp_note_unread(in, target, SLICE("a program's list of buffers comes from elsewhere"));
        if (before && before->kind == VAL_LIST && val_bare(value)->kind == VAL_LIST) {
            val_bare(value)->list->placed = before->list->placed;
            val_bare(value)->list->program = before->list->program;
        }
    }
    if (slice_equal(name, SLICE("dfb_run_overrides"))) interp_note_unfollowed(in, INTERP_OVERRIDDEN);
    struct val_field *field_set = interp_write_field(in, object->object, name, value);
    field_set->text = text;
}

/* Drops the buffers of a program that another one replaces. */
static void drop_buffers(struct interp *in, const struct val_object *program) {
    for (const struct val_field *f = program->fields; f; f = f->next)
        if (interp_is_buffer_list(f->name) && val_bare(f->value)->kind == VAL_LIST)
            interp_drop_pushed(in, val_bare(f->value)->list);
}

static bool is_program(const struct val *value) {
    const struct val *bare = val_bare(value);
    return bare->kind == VAL_OBJECT && interp_is_program_type(bare->object->type);
}

const struct val *interp_assignment(struct interp *in, TSNode node) {
    TSNode left = cpp_field(node, CPP_FIELD_left), right = cpp_field(node, CPP_FIELD_right);
    struct slice op = cpp_text(in->tree, cpp_field(node, CPP_FIELD_operator));
    struct binding *pointer_to = NULL;
    if (is_kind(left, CPP_identifier)) interp_variable(in, cpp_text(in->tree, left), &pointer_to);
    if (pointer_to && pointer_to->points) {
        interp_escape_value(in, interp_eval(in, right)); /* later writes may go through the pointer to this value */
        interp_point_elsewhere(in, pointer_to);
        return interp_unknown(in, node);
    }
    const struct val *value = is_kind(right, CPP_initializer_list)
                                  ? interp_eval_field_value(in, interp_last_name(in->tree, left), right)
                                  : interp_eval(in, right);
    struct slice text = interp_written(in, right);
    enum val_op compound;
    if (op.len > 1 && interp_find_operator(slice_take(op, op.len - 1), &compound)) {
        const struct val *old = interp_eval(in, left);
        const struct val *list = val_bare(old);
        if (in->python && list->kind == VAL_LIST && compound == OP_ADD) { /* changes the shared list */
            interp_extend_list(in, list->list, value, node, list->list->placed);
            return old;
        }
        if (compound == OP_MUL) interp_note_double(in, right, node);
        if (interp_is_objectlike(old)) interp_forget_value(in, old); /* a user-defined operator */
        value = interp_is_objectlike(old) || interp_is_objectlike(value) ? interp_unknown(in, node)
                                                                         : val_op2(in->arena, compound, old, value);
        text = interp_tidy(in, cpp_text(in->tree, node));
    }
    struct cb_cell *cell = interp_place(in, left);
    if (cell) {
        const struct val *old = val_bare(interp_cell_value(cell));
        if (old->kind == VAL_OBJECT && interp_is_program_type(old->object->type)) drop_buffers(in, old->object);
        bool was_map = old->kind == VAL_LIST && old->list->map;
        const struct val *copy = interp_taken(in, right, value);
        if (was_map && val_bare(copy)->kind == VAL_LIST) val_bare(copy)->list->map = true;
        if (copy->kind == VAL_OBJECT && !copy->object->type.len && old->kind == VAL_OBJECT)
            copy->object->type = old->object->type;
        if (!in->python && old->kind == VAL_OBJECT && old->object->shared && !cell->pointer && !cell->fixed) {
            interp_write_object(in, old->object, copy); /* pointers to the object see the change */
            return old;
        }
        interp_assign(in, cell, copy);
        if (is_program(copy) && !cell->object && !cell->list) {
            if (copy != value) interp_copy_program(in, copy, cell);
            interp_own_program(in, copy, cell);
        }
        value = interp_cell_value(cell);
    } else if (is_kind(left, CPP_call_expression) &&
               slice_equal(interp_last_name(in->tree, cpp_field(left, CPP_FIELD_function)), SLICE("tie"))) {
        struct cpp_nodes parts = cpp_children(in->arena, cpp_field(left, CPP_FIELD_arguments));
        const struct val *tuple = val_bare(value);
        for (uint32_t i = 0; i < parts.len; i++) {
            struct cb_cell *part = interp_place(in, parts.items[i]);
            bool known = tuple->kind == VAL_LIST && i < tuple->list->len && !(tuple->list->open && in->python);
            const struct val *item = known ? tuple->list->items[i] : interp_unknown(in, parts.items[i]);
            if (part) interp_assign(in, part, known ? item : val_free(in->arena, part->name));
            else interp_set_field(in, parts.items[i], item, SLICE(""));
        }
    } else {
        interp_set_field(in, left, interp_taken(in, right, value), text);
    }
    return value;
}
