/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors of the file's own classes: which one runs, and what it gives the fields. Where that is not certain (a base, a
 * template, a destructor, several that fit), none runs, and what it would have made is reported as not followed. */
#include "cb/interp/cb_calls.h"
#include "cb/interp/cb_interp.h"

static bool is_constructor(const struct function *f, struct slice type) {
    return slice_equal(f->name, type) && slice_equal(f->owner, type);
}

/* Does the class have other constructors than those with a body here? Then the bodies do not tell which one runs. */
static bool has_other(struct interp *in, const struct val_lambda *definition, struct slice type, uint32_t n) {
    struct cpp_nodes members = cpp_children(in->arena, cpp_field(definition->node, CPP_FIELD_body));
    uint32_t declared = 0, bodies = 0;
    for (size_t i = 0; i < in->functions.len; i++) bodies += is_constructor(&in->functions.items[i], type);
    for (uint32_t i = 0; i < members.len; i++) {
        TSNode declarator = cpp_field(members.items[i], CPP_FIELD_declarator);
        if (is_kind(members.items[i], CPP_template_declaration)) {
            struct slice text = cpp_text(definition->tree, members.items[i]);
            if (slice_find(text, type) != SLICE_NONE) return true;
            continue;
        }
        if (!is_kind(declarator, CPP_function_declarator)) continue;
        struct slice name = slice_trim(cpp_text(definition->tree, cpp_field(declarator, CPP_FIELD_declarator)));
        if (slice_starts(name, SLICE("~"))) return true; /* destructors are not followed */
        if (!slice_equal(name, type)) continue;
        struct slice text = cpp_text(definition->tree, cpp_field(declarator, CPP_FIELD_parameters));
        bool copies = slice_find(text, type) != SLICE_NONE; /* T(const T &) = default */
        struct slice whole = cpp_text(definition->tree, members.items[i]);
        bool bodiless = slice_find_byte(whole, '{') == SLICE_NONE && slice_find_byte(whole, '=') != SLICE_NONE;
        if (copies && bodiless) continue;
        if (bodiless && n && !ts_node_named_child_count(cpp_field(declarator, CPP_FIELD_parameters)))
            continue; /* T() = default */
        declared++;
    }
    return declared != bodies;
}

static struct function *find_constructor(struct interp *in, struct slice type, uint32_t n) {
    struct function *found = NULL;
    for (size_t i = 0; i < in->functions.len; i++) {
        struct function *f = &in->functions.items[i];
        if (!is_constructor(f, type) || n < f->min_args || n > f->max_args) continue;
        if (found) return NULL;
        found = f;
    }
    return found;
}

bool interp_has_constructor(const struct interp *in, struct slice type) {
    for (size_t i = 0; i < in->functions.len; i++)
        if (is_constructor(&in->functions.items[i], type)) return true;
    return false;
}

static struct function *constructor_of(struct interp *in, struct slice type, uint32_t n) {
    const struct val_lambda *definition = type.len ? interp_find_type(in, type) : NULL;
    if (!definition || !interp_has_constructor(in, type) || interp_has_base(in, definition->node)) return NULL;
    if (is_kind(ts_node_parent(definition->node), CPP_template_declaration) || is_kind(definition->node, CPP_union_specifier))
        return NULL;
    return has_other(in, definition, type, n) ? NULL : find_constructor(in, type, n);
}

const struct val *interp_run_constructor(struct interp *in, struct slice type, TSNode args, TSNode whole) {
    struct cpp_nodes items = {0};
    if (exists(args)) items = cpp_children(in->arena, args);
    if (items.len && is_kind(items.items[0], CPP_initializer_pair)) return NULL;
    if (items.len == 1) { /* a copy */
        const struct val *first = val_bare(interp_peek(in, items.items[0]));
        if (first->kind == VAL_OBJECT && slice_equal(first->object->type, type)) return NULL;
    }
    struct function *f = constructor_of(in, type, items.len);
    if (!f) return NULL;
    const struct val *made = val_object_new(in->arena, type);
    interp_stamp(in, made->object, whole);
    interp_call_constructor(in, f, whole, args, made);
    return made;
}

void interp_note_unrun_constructor(struct interp *in, struct slice type) {
    for (size_t i = 0; i < in->functions.len; i++)
        if (is_constructor(&in->functions.items[i], type) && in->functions.items[i].sites && in->functions.items[i].main_file)
            interp_note_unfollowed(in, SLICE("a constructor that makes circular buffers is not followed"));
}

/* list.emplace_back(program, ...): the class of the elements is not known here. */
void interp_note_emplaced(struct interp *in, const struct call *call) {
    bool given = false;
    for (uint32_t i = 0; i < call->n; i++) {
        const struct cb_cell *cell = is_kind(call->args[i], CPP_identifier) ? interp_place(in, call->args[i]) : NULL;
        given |= cell && cell->program;
    }
    for (size_t i = 0; given && i < in->functions.len; i++)
        if (is_constructor(&in->functions.items[i], in->functions.items[i].name))
            interp_note_unrun_constructor(in, in->functions.items[i].name);
}

/* --- fields --- */

/* The initializer of a field in the constructor's list: `name(value)`, `name{value}`; null: none. */
static TSNode initializer_of(struct interp *in, const struct function *f, struct slice name) {
    struct cpp_nodes parts = cpp_children(in->arena, f->node);
    for (uint32_t i = 0; i < parts.len; i++) {
        if (!is_kind(parts.items[i], CPP_field_initializer_list)) continue;
        struct cpp_nodes list = cpp_children(in->arena, parts.items[i]);
        for (uint32_t k = 0; k < list.len; k++) {
            struct cpp_nodes pair = cpp_children(in->arena, list.items[k]);
            if (pair.len == 2 && slice_equal(slice_trim(cpp_text(f->tree, pair.items[0])), name)) return pair.items[1];
        }
    }
    return (TSNode){0};
}

static const struct val *initial_value(struct interp *in, TSNode given, struct slice type, TSNode declarator, bool refers,
                                       struct slice name) {
    struct cpp_nodes items = cpp_children(in->arena, given);
    if (refers) {
        const struct val *value = items.len == 1 ? interp_eval(in, items.items[0]) : val_free(in->arena, name);
        if (interp_is_objectlike(value)) {
            if (val_bare(value)->kind == VAL_LAMBDA) interp_escape_value(in, value);
            if (val_bare(value)->kind == VAL_OBJECT) val_bare(value)->object->shared = true;
            return value;
        }
        for (uint32_t i = 0; i < items.len; i++) interp_escape_mentioned(in, items.items[i]);
        return val_free(in->arena, name);
    }
    enum val_type number = val_type_by_name(type);
    if (!items.len && number != VAL_ANY) return val_num_of(in->arena, number, 0);
    if (items.len == 1 && number != VAL_ANY) return interp_eval(in, items.items[0]);
    const struct val *only = items.len == 1 ? interp_eval(in, items.items[0]) : NULL;
    if (only && val_bare(only)->kind == VAL_LAMBDA) interp_escape_value(in, only);
    if (only && interp_is_objectlike(only)) return val_clone(in->arena, only);
    return interp_construct(in, type, given, declarator);
}

/* C++ initializes fields in the order in which the class declares them, not in the order of the list. */
void interp_init_fields(struct interp *in, const struct function *f, struct val_object *object) {
    TSNode delegates = initializer_of(in, f, object->type);
    if (exists(delegates)) {
        struct cpp_nodes items = cpp_children(in->arena, delegates);
        struct function *other = constructor_of(in, object->type, items.len);
        if (other && other != f) {
            interp_call_constructor(in, other, delegates, delegates, in->frame->self);
            return;
        }
    }
    const struct val_lambda *definition = interp_find_type(in, object->type);
    if (!definition) return;
    struct cpp_nodes fields = cpp_children(in->arena, cpp_field(definition->node, CPP_FIELD_body));
    for (uint32_t i = 0; i < fields.len; i++) {
        TSNode declarator = cpp_field(fields.items[i], CPP_FIELD_declarator);
        if (!is_kind(fields.items[i], CPP_field_declaration) || is_kind(declarator, CPP_function_declarator)) continue;
        struct slice text = slice_take(cpp_text(definition->tree, fields.items[i]), 64);
        if (slice_starts(text, SLICE("static ")) || slice_starts(text, SLICE("inline "))) continue;
        TSNode type_node = cpp_field(fields.items[i], CPP_FIELD_type);
        struct slice name = interp_last_name(definition->tree, declarator),
                     type = interp_last_name(definition->tree, type_node);
        bool refers = is_kind(declarator, CPP_reference_declarator) || is_kind(declarator, CPP_pointer_declarator) ||
                      interp_is_pointer_type(type);
        TSNode given = initializer_of(in, f, name), fallback = cpp_field(fields.items[i], CPP_FIELD_default_value);
        const struct val *value;
        if (exists(given)) {
            value = initial_value(in, given, type, declarator, refers, name);
        } else if (refers || !is_kind(declarator, CPP_field_identifier)) {
            value = val_free(in->arena, name);
        } else {
            bool number = val_type_by_name(type) != VAL_ANY;
            if (!exists(fallback))
                value = number ? val_free(in->arena, name) : interp_construct(in, type, (TSNode){0}, declarator);
            else if (!is_kind(fallback, CPP_initializer_list))
                value = interp_field_default(in, definition->tree, fallback, in->frame->self);
            else if (number && ts_node_named_child_count(fallback) == 1)
                value = interp_field_default(in, definition->tree, cpp_first(fallback), in->frame->self);
            else value = val_free(in->arena, name);
        }
        struct val_field *field = val_object_set(in->arena, object, name, value);
        field->refers = refers;
        if (is_kind(declarator, CPP_field_identifier)) field->type = val_type_by_name(type);
        field->value = val_convert(in->arena, field->type, field->value);
    }
}
