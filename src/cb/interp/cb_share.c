/* SPDX-License-Identifier: Apache-2.0 */
/* Things with several names: pointers, and objects that hold them. A copy of a pointer means the same thing; a copy of
 * anything else does not. */
#include "cb/interp/cb_interp.h"

static bool one_of(struct slice name, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (slice_equal(name, slice_from(list[i]))) return true;
    return false;
}

bool interp_is_pointer_type(struct slice type) {
    static const char *const types[] = {"shared_ptr", "unique_ptr", "weak_ptr", "reference_wrapper", "span", "not_null"};
    return one_of(type, types, sizeof types / sizeof *types);
}

static bool call_shares(struct interp *in, TSNode call, unsigned depth);

static bool shares(struct interp *in, TSNode node, unsigned depth) {
    if (depth > 8) return false;
    switch (cpp_kind(node)) {
        case CPP_parenthesized_expression:
            return shares(in, cpp_first(node), depth + 1);
        case CPP_pointer_expression:
            return slice_equal(cpp_text(in->tree, cpp_field(node, CPP_FIELD_operator)), SLICE("&"));
        case CPP_new_expression:
            return true;
        case CPP_identifier: {
            struct binding *b = NULL;
            const struct cb_cell *cell = interp_variable(in, cpp_text(in->tree, node), &b);
            return cell && (cell->pointer || (b && b->points));
        }
        case CPP_conditional_expression:
            return shares(in, cpp_field(node, CPP_FIELD_consequence), depth + 1) ||
                   shares(in, cpp_field(node, CPP_FIELD_alternative), depth + 1);
        case CPP_field_expression: {
            const struct val *owner = val_bare(interp_peek(in, cpp_field(node, CPP_FIELD_argument)));
            const struct val_field *field =
                owner->kind == VAL_OBJECT
                    ? val_object_field(owner->object, interp_last_name(in->tree, cpp_field(node, CPP_FIELD_field)))
                    : NULL;
            return field && field->refers;
        }
        case CPP_subscript_expression: {
            const struct val *owner = val_bare(interp_peek(in, cpp_field(node, CPP_FIELD_argument)));
            return owner->kind == VAL_LIST && owner->list->refers;
        }
        case CPP_call_expression:
            return call_shares(in, node, depth);
        default:
            return false;
    }
}

static bool call_shares(struct interp *in, TSNode call, unsigned depth) {
    static const char *const makers[] = {"ref", "cref", "addressof", "make_shared", "make_unique", "shared_from_this"};
    TSNode callee = cpp_field(call, CPP_FIELD_function);
    struct slice name = interp_last_name(in->tree, callee);
    if (is_kind(callee, CPP_field_expression))
        return (slice_equal(name, SLICE("get")) || slice_equal(name, SLICE("release"))) &&
               shares(in, cpp_field(callee, CPP_FIELD_argument), depth + 1);
    if (slice_equal(name, SLICE("move")) || slice_equal(name, SLICE("forward")))
        return shares(in, cpp_first(cpp_field(call, CPP_FIELD_arguments)), depth + 1);
    return one_of(name, makers, sizeof makers / sizeof *makers);
}

bool interp_shares(struct interp *in, TSNode node) { return !in->python && shares(in, node, 0); }

const struct val *interp_taken(struct interp *in, TSNode node, const struct val *value) {
    const struct val *bare = val_bare(value);
    if (in->python || (bare->kind != VAL_OBJECT && bare->kind != VAL_LIST && bare->kind != VAL_OP)) return value;
    if (!interp_shares(in, node)) return interp_is_fresh(in, node) ? value : interp_copy(in, value);
    if (bare->kind == VAL_OBJECT) bare->object->shared = true;
    return value;
}

/* --- writes to unknown targets --- */

enum { MAX_NESTED = 5 };

static void write_within(struct interp *in, const struct val *value, struct slice name, const struct val *written,
                         unsigned depth) {
    const struct val *bare = val_bare(value);
    if (depth > MAX_NESTED) return;
    if (bare->kind == VAL_OP && bare->op == OP_COND) {
        write_within(in, bare->b, name, written, depth + 1);
        write_within(in, bare->c, name, written, depth + 1);
    }
    if (bare->kind == VAL_LIST)
        for (uint32_t i = 0; i < bare->list->len; i++) write_within(in, bare->list->items[i], name, written, depth + 1);
    if (bare->kind != VAL_OBJECT) return;
    for (const struct val_field *f = bare->object->fields; f; f = f->next) write_within(in, f->value, name, written, depth + 1);
    const struct val_field *old = val_object_field(bare->object, name);
    if (!old) return;
    const struct val *either = val_merge(in->arena, val_free(in->arena, SLICE("...")), written, old->value);
    interp_write_field(in, bare->object, name, either);
}

static void write_in_scopes(struct interp *in, struct scope *scope, struct slice name, const struct val *value) {
    for (; scope && scope != &in->globals; scope = scope->up)
        for (const struct binding *b = scope->bindings; b; b = b->next) write_within(in, b->cell->value, name, value, 0);
}

void interp_write_anywhere(struct interp *in, struct slice name, const struct val *value) {
    write_in_scopes(in, in->scope, name, value);
    for (const struct cb_frame *f = in->frame; f; f = f->up) write_in_scopes(in, f->caller_scope, name, value);
    for (size_t i = 0; i < in->pushed.len; i++) {
        struct val_object *object = in->pushed.items[i].object;
        const struct val_field *old = val_object_field(object, name);
        const struct val *other = old ? old->value : val_free(in->arena, name);
        interp_write_field(in, object, name, val_merge(in->arena, val_free(in->arena, SLICE("...")), value, other));
    }
}

/* Whatever a pointer, reference or iterator into `target` can change: the innermost known list or object. */
void interp_escape_reached(struct interp *in, TSNode target) {
    for (unsigned i = 0; i < 16; i++) {
        TSNode inner;
        switch (cpp_kind(target)) {
            case CPP_parenthesized_expression:
                target = cpp_first(target);
                continue;
            case CPP_pointer_expression:
            case CPP_subscript_expression:
                inner = cpp_field(target, CPP_FIELD_argument);
                break;
            case CPP_field_expression: {
                const struct val *value = val_bare(interp_peek(in, target));
                if (value->kind == VAL_OBJECT || value->kind == VAL_LIST) {
                    interp_escape_value(in, value);
                    return;
                }
                inner = cpp_field(target, CPP_FIELD_argument);
                break;
            }
            default:
                interp_escape_mentioned(in, target);
                return;
        }
        const struct val *whole = val_bare(interp_peek(in, inner));
        if (is_kind(target, CPP_subscript_expression) && whole->kind == VAL_LIST && is_kind(inner, CPP_field_expression)) {
            interp_escape_value(in, whole);
            return;
        }
        target = inner;
    }
}
