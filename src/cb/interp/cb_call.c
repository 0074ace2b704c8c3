/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the symbolic interpreter: finds what is called. */
#include "cb/interp/cb_calls.h"

const struct val *interp_eval_call(struct interp *in, TSNode node) {
    TSNode callee = cpp_field(node, CPP_FIELD_function), args_node = cpp_field(node, CPP_FIELD_arguments);
    if (is_kind(callee, CPP_parenthesized_expression)) callee = cpp_first(callee);
    struct call call = {.node = node, .name = interp_last_name(in->tree, callee)};
    struct cpp_nodes args = cpp_children(in->arena, args_node);
    call.args = args.items;
    call.n = args.len;
    if (interp_makes_buffer(in->tree, node)) interp_note_reached(in, node);
    if (is_kind(callee, CPP_lambda_expression) || is_kind(callee, CPP_call_expression) ||
        is_kind(callee, CPP_subscript_expression)) { /* f()() */
        const struct val *l = val_bare(interp_eval(in, callee));
        if (l->kind == VAL_LAMBDA) return interp_call_lambda(in, l->lambda, node, args_node);
        return is_kind(callee, CPP_lambda_expression) ? l : interp_eval_foreign(in, &call);
    }
    if (is_kind(callee, CPP_field_expression)) return interp_eval_method(in, &call, callee, args_node);
    if (is_kind(callee, CPP_identifier)) {
        const struct binding *b = interp_find_binding(in, call.name);
        if (b && val_bare(b->cell->value)->kind == VAL_LAMBDA)
            return interp_call_lambda(in, val_bare(b->cell->value)->lambda, node, args_node);
        if (b && val_bare(b->cell->value)->kind == VAL_OP) {
            const struct val *result = interp_call_choice(in, b->cell->value, node, args_node, 0);
            return result ? result : interp_eval_foreign(in, &call);
        }
        if (b && val_bare(b->cell->value)->kind == VAL_OBJECT) { /* a user-defined operator */
            interp_forget_value(in, b->cell->value);
            return interp_eval_foreign(in, &call);
        }
    }
    if (!is_kind(callee, CPP_field_expression) && interp_has_constructor(in, call.name))
        return interp_construct(in, call.name, args_node, node);
    builtin_fn *builtin = interp_find_builtin(call.name);
    const struct val *result = interp_call_named(in, &call, callee, args_node, !builtin);
    if (result) return result;
    if (builtin) return builtin(in, &call);
    if (interp_is_constructible(in, call.name)) {
        const struct val *made = interp_construct(in, call.name, args_node, node);
        interp_type_items(in, made, in->tree, callee);
        return made;
    }
    return interp_eval_foreign(in, &call);
}
