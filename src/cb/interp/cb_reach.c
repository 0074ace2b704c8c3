/* SPDX-License-Identifier: Apache-2.0 */
/* What can be changed through something else: a reference or pointer that is not followed, a stored lambda. */
#include "cb/interp/cb_interp.h"

enum { MAX_MENTIONED = 20000 };

typedef void mention_fn(struct interp *in, struct cb_cell *cell);

/* Visits every variable that an expression names. */
static void each_mentioned(struct interp *in, TSNode node, mention_fn *each) {
    if (!exists(node)) return;
    uint32_t end = ts_node_end_byte(node), nodes = 0;
    TSTreeCursor cursor = ts_tree_cursor_new(node);
    do {
        TSNode at = ts_tree_cursor_current_node(&cursor);
        if (ts_node_start_byte(at) >= end) break;
        if (!is_kind(at, CPP_identifier)) continue;
        struct cb_cell *cell = interp_variable(in, cpp_text(in->tree, at), NULL);
        if (!cell || cell->constant || cell->fixed) continue;
        const struct val *value = val_bare(interp_cell_value(cell));
        bool given = value->kind == VAL_FREE && value->given; /* nothing is known about the parameter anyway */
        if (!given) each(in, cell);
    } while (++nodes < MAX_MENTIONED && cpp_next(&cursor));
    ts_tree_cursor_delete(&cursor);
    in->steps += nodes;
}

void interp_forget_mentioned(struct interp *in, TSNode node) { each_mentioned(in, node, interp_forget_cell); }

static void escape_lambda(struct interp *in, const struct val_lambda *lambda);

void interp_escape_value(struct interp *in, const struct val *value) {
    value = val_bare(value);
    if (value->kind == VAL_LAMBDA) escape_lambda(in, value->lambda);
    if (value->kind != VAL_OBJECT && value->kind != VAL_LIST) return;
    interp_forget_value(in, value);
    if (value->kind == VAL_OBJECT) value->object->escaped = true;
}

static void escape(struct interp *in, struct cb_cell *cell) {
    const struct val *value = val_bare(interp_cell_value(cell));
    if (value->kind == VAL_OBJECT || value->kind == VAL_LIST) interp_escape_value(in, value);
    else if (value->kind != VAL_LAMBDA) interp_escape(in, cell);
}

void interp_escape_mentioned(struct interp *in, TSNode node) { each_mentioned(in, node, escape); }

/* The lambda is stored out of sight and may run at any time. */
static void escape_lambda(struct interp *in, const struct val_lambda *lambda) {
    struct scope *scope = in->scope;
    const struct cpp_tree *tree = in->tree;
    in->scope = lambda->scope;
    in->tree = lambda->tree;
    if (interp_count_sites(in, lambda->tree, cpp_field(lambda->node, CPP_FIELD_body)))
        interp_note_unfollowed(in, SLICE("a function that makes circular buffers is kept where it is not followed"));
    interp_escape_mentioned(in, cpp_field(lambda->node, CPP_FIELD_body));
    in->scope = scope;
    in->tree = tree;
}

/* --- lambdas --- */

static void capture_copy(struct interp *in, struct scope *into, struct slice name, const struct val *value,
                         enum val_type type) {
    struct scope *scope = in->scope;
    in->scope = into;
    struct cb_cell *cell = arena_zalloc(in->arena, sizeof *cell);
    *cell = (struct cb_cell){.name = name, .value = val_clone(in->arena, value), .type = type, .born = val_tick()};
    interp_bind_cell(in, name, cell);
    in->scope = scope;
}

static bool is_captured(const struct scope *scope, struct slice name) {
    for (const struct binding *b = scope->bindings; b; b = b->next)
        if (slice_equal(b->name, name)) return true;
    return false;
}

static const struct binding *local_of(const struct interp *in, struct slice name) {
    for (const struct scope *s = in->scope; s && s != &in->globals; s = s->up)
        for (const struct binding *b = s->bindings; b; b = b->next)
            if (slice_equal(b->name, name)) return b;
    return NULL;
}

/* Captures everything that the body names by value. */
static void capture_all(struct interp *in, struct scope *into, TSNode body) {
    uint32_t end = ts_node_end_byte(body), nodes = 0;
    TSTreeCursor cursor = ts_tree_cursor_new(body);
    do {
        TSNode at = ts_tree_cursor_current_node(&cursor);
        if (ts_node_start_byte(at) >= end) break;
        if (!is_kind(at, CPP_identifier)) continue;
        struct slice name = cpp_text(in->tree, at);
        const struct binding *b = local_of(in, name);
        if (b && !b->cell->constant && !b->cell->fixed && !is_captured(into, name))
            capture_copy(in, into, name, interp_cell_value(b->cell), b->cell->type);
    } while (++nodes < MAX_MENTIONED && cpp_next(&cursor));
    ts_tree_cursor_delete(&cursor);
    in->steps += nodes;
}

static bool by_reference(struct slice text, size_t at) {
    while (at && (text.ptr[at - 1] == ' ' || text.ptr[at - 1] == '\n')) at--;
    return at && text.ptr[at - 1] == '&';
}

struct scope *interp_capture(struct interp *in, TSNode lambda) {
    TSNode captures = cpp_first(lambda);
    struct slice text = cpp_text(in->tree, captures);
    if (text.len < 3 || text.ptr[0] != '[') return in->scope;
    struct scope *scope = arena_zalloc(in->arena, sizeof *scope);
    scope->up = in->scope;
    struct cpp_nodes items = cpp_children(in->arena, captures);
    for (uint32_t i = 0; i < items.len; i++) {
        TSNode item = items.items[i], left = cpp_field(item, CPP_FIELD_left), right = cpp_field(item, CPP_FIELD_right);
        bool reference = by_reference(text, ts_node_start_byte(item) - ts_node_start_byte(captures));
        struct slice name = cpp_text(in->tree, exists(left) ? left : item);
        reference |= exists(left) && slice_starts(cpp_text(in->tree, item), SLICE("&"));
        if (reference && exists(right)) {
            struct cb_cell *cell = interp_place(in, right);
            if (!cell) interp_escape_mentioned(in, right);
            struct scope *outer = in->scope;
            in->scope = scope;
            if (cell) interp_bind_cell(in, name, cell);
            else interp_bind_name(in, name, val_free(in->arena, name));
            in->scope = outer;
        } else if (exists(right)) {
            capture_copy(in, scope, name, interp_eval(in, right), VAL_ANY);
        } else if (!reference && is_kind(item, CPP_identifier)) {
            const struct binding *b = local_of(in, name);
            if (b && !b->cell->fixed) capture_copy(in, scope, name, interp_cell_value(b->cell), b->cell->type);
        }
    }
    struct slice first = slice_trim(slice_skip(text, 1));
    if (first.len && first.ptr[0] == '=') capture_all(in, scope, cpp_field(lambda, CPP_FIELD_body));
    return scope->bindings ? scope : in->scope;
}

/* --- std::optional --- */

const struct val *interp_has_value(struct interp *in, const struct val *optional) {
    const struct val *v = val_bare(optional);
    switch (v->kind) {
        case VAL_NULL:
            return val_num_of(in->arena, VAL_BOOL, 0);
        case VAL_NUM:
        case VAL_FORMAT:
        case VAL_TEXT:
        case VAL_OBJECT:
        case VAL_LIST:
        case VAL_LAMBDA:
            return val_num_of(in->arena, VAL_BOOL, 1);
        case VAL_OP:
            if (v->op == OP_COND) {
                const struct val *yes = interp_has_value(in, v->b), *no = interp_has_value(in, v->c);
                return yes && no ? val_cond(in->arena, v->a, yes, no) : NULL;
            }
            return val_num_of(in->arena, VAL_BOOL, 1); /* computed from something */
        default:
            return NULL;
    }
}

const struct val *interp_condition(struct interp *in, TSNode node) {
    TSNode inner = node;
    while (is_kind(inner, CPP_parenthesized_expression) || is_kind(inner, CPP_condition_clause)) {
        TSNode value = cpp_field(inner, CPP_FIELD_value);
        inner = exists(value) ? value : cpp_first(inner);
    }
    in->wants_truth = true;
    const struct val *value = interp_eval(in, node);
    in->wants_truth = false;
    const struct cb_cell *cell = is_kind(inner, CPP_identifier) ? interp_variable(in, cpp_text(in->tree, inner), NULL) : NULL;
    const struct val *held = cell && cell->optional ? interp_has_value(in, interp_cell_value(cell)) : NULL;
    return val_as_condition(in->arena, held ? held : value);
}
