/* Statements, scopes and functions of the symbolic interpreter. */
#include <string.h>

#include "cb/interp/cb_interp.h"

void interp_open_scope(struct interp *in, struct scope *scope) {
    *scope = (struct scope){.up = in->scope};
    in->scope = scope;
}

struct binding *interp_find_binding(const struct interp *in, struct slice name) {
    for (struct scope *s = in->scope; s; s = s->up)
        for (struct binding *b = s->bindings; b; b = b->next)
            if (slice_equal(b->name, name)) return b;
    return NULL;
}

static const struct cb_cell *fixed_cell(const struct interp *in, struct slice name) {
    if (!in->n_sets) return NULL;
    for (struct binding *b = in->globals.bindings; b; b = b->next)
        if (b->cell->fixed && slice_equal(b->name, name)) return b->cell;
    return NULL;
}

static struct binding *bind_cell(struct interp *in, struct slice name, struct cb_cell *cell) {
    struct binding *b = arena_zalloc(in->arena, sizeof *b);
    b->name = name;
    b->cell = cell;
    b->next = in->scope->bindings;
    in->scope->bindings = b;
    return b;
}

struct cb_cell *interp_bind_name(struct interp *in, struct slice name, const struct val *value) {
    const struct cb_cell *given = fixed_cell(in, name);
    if (given) in->out->sets_used |= given->set_bit;
    struct cb_cell *cell = arena_zalloc(in->arena, sizeof *cell);
    cell->name = name;
    cell->fixed = given != NULL;
    cell->decided_by = in->decided_by;
    cell->value = given ? given->value : val_named(in->arena, name, value);
    bind_cell(in, name, cell);
    return cell;
}

void interp_assign(struct interp *in, struct cb_cell *cell, const struct val *value) {
    if (cell->fixed) return;
    vec_push(&in->journal, ((struct undo){cell, cell->value}));
    cell->value = val_named(in->arena, cell->name, val_with_sets(in->arena, value, in->decided_by & ~cell->decided_by));
}

void interp_take_back(struct interp *in, size_t mark, changes *out) {
    for (size_t i = in->journal.len; i-- > mark;) {
        struct undo *u = &in->journal.items[i];
        struct cell_change *known = NULL;
        for (size_t k = 0; k < out->len && !known; k++)
            if (out->items[k].cell == u->cell) known = &out->items[k];
        if (known) known->before = u->old;
        else vec_push(out, ((struct cell_change){u->cell, u->old, u->cell->value}));
    }
    for (size_t i = 0; i < out->len; i++) out->items[i].cell->value = out->items[i].before;
    in->journal.len = mark;
}

static void put_back(struct interp *in, const changes *list) {
    for (size_t i = 0; i < list->len; i++) interp_assign(in, list->items[i].cell, list->items[i].after);
}

const struct val *interp_changed_to(const changes *list, const struct cb_cell *cell, const struct val *otherwise) {
    for (size_t i = 0; i < list->len; i++)
        if (list->items[i].cell == cell) return list->items[i].after;
    return otherwise;
}

/* Statements from the i-th on; those behind one that leaves are never reached. */
static enum flow exec_from(struct interp *in, const struct cpp_nodes *list, uint32_t i) {
    for (; i < list->len; i++) {
        enum flow flow = interp_exec(in, list->items[i]);
        if (in->exhausted) return flow;
        if (flow == FLOW_NEXT) continue;
        for (i++; i < list->len; i++) interp_note_skipped(in, list->items[i]);
        return flow;
    }
    return FLOW_NEXT;
}

enum flow interp_exec_children(struct interp *in, TSNode node) {
    struct cpp_nodes children = cpp_children(in->arena, node);
    return exec_from(in, &children, 0);
}

enum flow interp_exec_block(struct interp *in, TSNode node) {
    struct scope *scope = arena_alloc(in->arena, sizeof *scope);
    interp_open_scope(in, scope);
    enum flow flow = interp_exec_children(in, node);
    in->scope = scope->up;
    return flow;
}

/* --- branches --- */

struct slice interp_condition_text(struct interp *in, const struct val *condition) {
    struct strbuf text = {0};
    val_write(&text, condition, INTERP_TEXT);
    struct slice kept = interp_tidy(in, arena_copy(in->arena, strbuf_slice(&text)));
    strbuf_release(&text);
    return kept;
}

static bool is_directive(TSNode node) {
    return is_kind(node, CPP_preproc_if) || is_kind(node, CPP_preproc_ifdef) || is_kind(node, CPP_preproc_elif) ||
           is_kind(node, CPP_preproc_elifdef);
}

/* The statements between #if and its #else. */
static enum flow exec_inside(struct interp *in, TSNode directive) {
    struct cpp_nodes children = cpp_children(in->arena, directive), inside = {.items = children.items};
    TSNode condition = cpp_field(directive, CPP_FIELD_condition), name = cpp_field(directive, CPP_FIELD_name),
           other = cpp_field(directive, CPP_FIELD_alternative);
    for (uint32_t i = 0; i < children.len; i++) {
        const void *id = children.items[i].id;
        if (id != condition.id && id != name.id && id != other.id) inside.items[inside.len++] = children.items[i];
    }
    return exec_from(in, &inside, 0);
}

static enum flow run_side(struct interp *in, TSNode side, uint32_t id, bool which, struct slice text, changes *out) {
    size_t mark = in->journal.len;
    vec_push(&in->conditions, ((struct cb_condition){id, which, text}));
    enum flow flow = FLOW_NEXT;
    if (which && is_directive(side)) flow = exec_inside(in, side);
    else if (exists(side)) flow = interp_exec(in, side);
    in->conditions.len--;
    interp_take_back(in, mark, out);
    return flow;
}

/* The condition is not known: both sides run from the same state; afterwards a changed variable is `condition ? a : b`. A side
 * that leaves the function hands its value to the frame, and the rest runs with the other side's state. */
static enum flow exec_both(struct interp *in, const struct val *condition, TSNode yes, TSNode no) {
    struct slice text = interp_condition_text(in, condition);
    uint32_t id = in->next_condition++;
    changes then_changes = {0}, else_changes = {0};
    struct cb_frame *frame = in->frame;
    enum flow then_flow = run_side(in, yes, id, true, text, &then_changes);
    const struct val *then_result = frame ? frame->result : NULL;
    enum flow else_flow = run_side(in, no, id, false, text, &else_changes);
    const struct val *else_result = frame ? frame->result : NULL;
    enum flow flow = FLOW_NEXT;
    bool then_left = then_flow == FLOW_RETURN, else_left = else_flow == FLOW_RETURN;
    if (then_left && else_left) {
        if (then_result && else_result) frame->result = val_merge(in->arena, condition, then_result, else_result);
        flow = FLOW_RETURN;
        put_back(in, &then_changes);
    } else if (then_left || else_left) {
        if (frame) {
            const struct val *taken = then_left ? condition : val_op1(in->arena, OP_NOT, condition);
            const struct val *result = then_left ? then_result : else_result;
            if (result) vec_push(&frame->early, ((struct early_return){taken, result}));
            frame->result = NULL;
        }
        put_back(in, then_left ? &else_changes : &then_changes);
        flow = then_left ? else_flow : then_flow;
    } else {
        for (size_t i = 0; i < then_changes.len; i++) {
            struct cell_change *c = &then_changes.items[i];
            interp_assign(in, c->cell,
                          val_merge(in->arena, condition, c->after, interp_changed_to(&else_changes, c->cell, c->before)));
        }
        for (size_t i = 0; i < else_changes.len; i++) {
            struct cell_change *c = &else_changes.items[i];
            if (!interp_changed_to(&then_changes, c->cell, NULL))
                interp_assign(in, c->cell, val_merge(in->arena, condition, c->before, c->after));
        }
    }
    vec_release(&then_changes);
    vec_release(&else_changes);
    return flow == FLOW_RETURN ? flow : FLOW_NEXT;
}

/* What is defined is not known: one of two ways is taken, as in a branch. */
static enum flow exec_directive(struct interp *in, TSNode node) {
    TSNode other = cpp_field(node, CPP_FIELD_alternative), name = cpp_field(node, CPP_FIELD_name);
    struct slice text = interp_tidy(in, cpp_text(in->tree, exists(name) ? name : cpp_field(node, CPP_FIELD_condition)));
    bool absent = exists(name) && slice_starts(cpp_text(in->tree, node), SLICE("#ifndef"));
    const struct val *defined = val_free(in->arena, text);
    return exec_both(in, absent ? val_op1(in->arena, OP_NOT, defined) : defined, node, other);
}

/* The condition is known. Where given values decided it, what either side changes depends on them. */
static enum flow exec_decided(struct interp *in, const struct val *condition, TSNode taken, TSNode other) {
    uint64_t outer = in->decided_by;
    if (condition->sets && exists(other)) {
        size_t mark = in->journal.len, early = in->frame ? in->frame->early.len : 0;
        bool was_mute = in->mute;
        in->mute = true;
        bool leaves = interp_exec(in, other) == FLOW_RETURN;
        in->mute = was_mute;
        changes changed = {0};
        interp_take_back(in, mark, &changed);
        if (in->frame) {
            if (leaves) in->frame->decided_by |= condition->sets;
            in->frame->early.len = early;
            in->frame->result = NULL;
        }
        for (size_t i = 0; i < changed.len; i++)
            interp_assign(in, changed.items[i].cell, val_with_sets(in->arena, changed.items[i].cell->value, condition->sets));
        vec_release(&changed);
    }
    interp_note_skipped(in, other);
    in->decided_by |= condition->sets;
    enum flow flow = exists(taken) ? interp_exec(in, taken) : FLOW_NEXT;
    in->decided_by = outer;
    return flow;
}

static enum flow exec_if(struct interp *in, TSNode node) {
    struct scope *scope = arena_alloc(in->arena, sizeof *scope);
    interp_open_scope(in, scope);
    TSNode clause = cpp_field(node, CPP_FIELD_condition);
    TSNode init = cpp_field(clause, CPP_FIELD_initializer);
    if (exists(init)) interp_exec_children(in, init);
    TSNode value = cpp_field(clause, CPP_FIELD_value);
    const struct val *condition = val_as_condition(in->arena, interp_eval(in, exists(value) ? value : clause));
    TSNode yes = cpp_field(node, CPP_FIELD_consequence), no = cpp_field(node, CPP_FIELD_alternative);
    int truth = val_truth(condition);
    enum flow flow =
        truth < 0 ? exec_both(in, condition, yes, no) : exec_decided(in, condition, truth ? yes : no, truth ? no : yes);
    in->scope = scope->up;
    return flow;
}

TSNode interp_unwrap_declarator(TSNode d) {
    for (unsigned i = 0; i < 8; i++) {
        if (!is_kind(d, CPP_reference_declarator) && !is_kind(d, CPP_pointer_declarator) &&
            !is_kind(d, CPP_parenthesized_declarator))
            return d;
        TSNode inner = cpp_field(d, CPP_FIELD_declarator);
        d = exists(inner) ? inner : cpp_first(d);
    }
    return d;
}

void interp_bind_declarator(struct interp *in, TSNode declarator, const struct val *value) {
    declarator = interp_unwrap_declarator(declarator);
    if (!is_kind(declarator, CPP_structured_binding_declarator)) {
        struct slice name = interp_last_name(in->tree, declarator);
        if (name.len) interp_bind_name(in, name, value);
        return;
    }
    struct cpp_nodes names = cpp_children(in->arena, declarator);
    const struct val *bare = val_bare(value);
    const struct val_field *field = bare->kind == VAL_OBJECT ? bare->object->fields : NULL;
    for (uint32_t i = 0; i < names.len; i++) {
        struct slice name = cpp_text(in->tree, names.items[i]);
        const struct val *part = NULL;
        if (bare->kind == VAL_LIST && i < bare->list->len) part = bare->list->items[i];
        if (field) {
            part = field->value;
            field = field->next;
        }
        if (bare->kind == VAL_OP && bare->op == OP_COND && val_bare(bare->b)->kind == VAL_LIST &&
            val_bare(bare->c)->kind == VAL_LIST && i < val_bare(bare->b)->list->len && i < val_bare(bare->c)->list->len)
            part = val_cond(in->arena, bare->a, val_bare(bare->b)->list->items[i], val_bare(bare->c)->list->items[i]);
        interp_bind_name(in, name, part ? part : val_free(in->arena, name));
    }
}

/* --- declarations --- */

static bool is_map_type(struct slice type) { return slice_ends(type, SLICE("map")); }

/* `Type name(a, b)` with plain names reads as a function declaration: the parameters are the arguments. */
static const struct val *construct_vexing(struct interp *in, struct slice type, TSNode declarator) {
    return interp_construct(in, type, cpp_field(declarator, CPP_FIELD_parameters), declarator);
}

static void declare_one(struct interp *in, struct slice type, TSNode declarator) {
    TSNode value_node = {0};
    if (is_kind(declarator, CPP_init_declarator)) {
        value_node = cpp_field(declarator, CPP_FIELD_value);
        declarator = cpp_field(declarator, CPP_FIELD_declarator);
    }
    TSNode inner = interp_unwrap_declarator(declarator);
    bool is_reference = is_kind(declarator, CPP_reference_declarator);
    const struct val *value;
    if (is_kind(inner, CPP_function_declarator)) {
        struct slice name = interp_last_name(in->tree, cpp_field(inner, CPP_FIELD_declarator));
        if (name.len) interp_bind_name(in, name, construct_vexing(in, type, inner));
        return;
    }
    bool is_array = is_kind(inner, CPP_array_declarator);
    if (!exists(value_node)) value = interp_construct(in, type, (TSNode){0}, inner);
    else if (is_kind(value_node, CPP_argument_list) || (is_kind(value_node, CPP_initializer_list) && !is_array))
        value = interp_construct(in, type, value_node, inner);
    else value = interp_eval(in, value_node);
    struct cb_cell *alias = is_reference && exists(value_node) ? interp_place(in, value_node) : NULL;
    if (alias && !is_kind(inner, CPP_structured_binding_declarator)) {
        bind_cell(in, interp_last_name(in->tree, inner), alias);
        return;
    }
    if (!is_reference) value = val_copy(in->arena, value);
    if (val_bare(value)->kind == VAL_LIST && is_map_type(type)) val_bare(value)->list->map = true;
    if (val_bare(value)->kind == VAL_LIST && !is_reference) val_bare(value)->list->loops = in->open_loops;
    interp_bind_declarator(in, inner, value);
}

void interp_declare(struct interp *in, TSNode declaration) {
    struct slice type = interp_last_name(in->tree, cpp_field(declaration, CPP_FIELD_type));
    TSNode type_node = cpp_field(declaration, CPP_FIELD_type);
    if (is_kind(type_node, CPP_enum_specifier)) interp_exec(in, type_node);
    TSTreeCursor cursor = ts_tree_cursor_new(declaration);
    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more; more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        const char *field = ts_tree_cursor_current_field_name(&cursor);
        if (field && strcmp(field, "declarator") == 0) declare_one(in, type, child);
    }
    ts_tree_cursor_delete(&cursor);
}

static void declare_enum(struct interp *in, TSNode node) {
    struct cpp_nodes items = cpp_children(in->arena, cpp_field(node, CPP_FIELD_body));
    const struct val *next = val_num(in->arena, 0);
    for (uint32_t i = 0; i < items.len; i++) {
        if (!is_kind(items.items[i], CPP_enumerator)) continue;
        TSNode value = cpp_field(items.items[i], CPP_FIELD_value);
        const struct val *v = exists(value) ? interp_eval(in, value) : next;
        interp_bind_name(in, cpp_text(in->tree, cpp_field(items.items[i], CPP_FIELD_name)), v);
        next = val_op2(in->arena, OP_ADD, v, val_num(in->arena, 1));
    }
}

static enum flow exec_return(struct interp *in, TSNode node) {
    TSNode value = cpp_first(node);
    if (!in->frame) return FLOW_RETURN;
    const struct val *result = exists(value) ? interp_eval(in, value) : NULL;
    uint64_t decided_by = (in->decided_by & ~in->frame->decided_outside) | in->frame->decided_by;
    in->frame->result = result ? val_with_sets(in->arena, result, decided_by) : NULL;
    return FLOW_RETURN;
}

static enum flow exec_kind(struct interp *in, TSNode node) {
    switch (cpp_kind(node)) {
        case CPP_compound_statement:
            return interp_exec_block(in, node);
        case CPP_else_clause:
        case CPP_case_statement:
        case CPP_labeled_statement:
        case CPP_try_statement:
        case CPP_preproc_else:
            return interp_exec_children(in, node);
        case CPP_preproc_ifdef:
        case CPP_preproc_if:
        case CPP_preproc_elif:
        case CPP_preproc_elifdef:
            return exec_directive(in, node);
        case CPP_declaration:
            interp_declare(in, node);
            return FLOW_NEXT;
        case CPP_expression_statement: {
            TSNode expression = cpp_first(node);
            if (exists(expression)) interp_eval(in, expression);
            return FLOW_NEXT;
        }
        case CPP_if_statement:
            return exec_if(in, node);
        case CPP_switch_statement:
            return interp_exec_switch(in, node);
        case CPP_for_statement:
            return interp_exec_for(in, node);
        case CPP_for_range_loop:
            return interp_exec_range_for(in, node);
        case CPP_while_statement:
            return interp_exec_while(in, node);
        case CPP_do_statement:
            return interp_exec_do(in, node);
        case CPP_return_statement:
            return exec_return(in, node);
        case CPP_throw_statement:
            if (in->frame) in->frame->result = NULL;
            return FLOW_RETURN;
        case CPP_break_statement:
            return FLOW_BREAK;
        case CPP_continue_statement:
            return FLOW_CONTINUE;
        case CPP_enum_specifier:
            declare_enum(in, node);
            return FLOW_NEXT;
        case CPP_init_statement:
            return interp_exec_children(in, node);
        case CPP_call_expression:
        case CPP_assignment_expression:
        case CPP_update_expression:
            interp_eval(in, node);
            return FLOW_NEXT;
        default:
            return FLOW_NEXT;
    }
}

enum flow interp_exec(struct interp *in, TSNode node) {
    if (++in->steps > INTERP_MAX_STEPS || in->arena->total > INTERP_MAX_MEMORY) in->exhausted = true;
    if (in->depth >= INTERP_MAX_DEPTH) in->too_deep = true;
    if (in->exhausted || in->depth >= INTERP_MAX_DEPTH) return FLOW_NEXT;
    in->depth++;
    enum flow flow = exec_kind(in, node);
    in->depth--;
    return flow;
}
