/* Statements, scopes and functions of the symbolic interpreter. */
#include <string.h>

#include "parse/cb_interp.h"

void open_scope(struct interp *in, struct scope *scope) {
    *scope = (struct scope){.up = in->scope};
    in->scope = scope;
}

struct binding *find_binding(const struct interp *in, struct slice name) {
    for (struct scope *s = in->scope; s; s = s->up)
        for (struct binding *b = s->bindings; b; b = b->next)
            if (slice_equal(b->name, name)) return b;
    return NULL;
}

static const struct cell *fixed_cell(const struct interp *in, struct slice name) {
    for (struct binding *b = in->globals.bindings; b; b = b->next)
        if (b->cell->fixed && slice_equal(b->name, name)) return b->cell;
    return NULL;
}

static struct binding *bind_cell(struct interp *in, struct slice name, struct cell *cell) {
    struct binding *b = arena_zalloc(in->arena, sizeof *b);
    b->name = name;
    b->cell = cell;
    b->next = in->scope->bindings;
    in->scope->bindings = b;
    return b;
}

struct cell *bind_name(struct interp *in, struct slice name, const struct val *value) {
    const struct cell *given = fixed_cell(in, name);
    struct cell *cell = arena_zalloc(in->arena, sizeof *cell);
    cell->name = name;
    cell->fixed = given != NULL;
    cell->value = given ? given->value : val_named(in->arena, name, value);
    bind_cell(in, name, cell);
    return cell;
}

void assign(struct interp *in, struct cell *cell, const struct val *value) {
    if (cell->fixed) return;
    vec_push(&in->journal, ((struct undo){cell, cell->value}));
    cell->value = val_named(in->arena, cell->name, value);
}

/* What the cells changed since `mark` hold now; the journal keeps the values before. */
struct change {
    struct cell *cell;
    const struct val *before, *after;
};
typedef VEC(struct change) changes;

/* Puts the old values back and tells what had changed. */
static void take_back(struct interp *in, size_t mark, changes *out) {
    for (size_t i = in->journal.len; i-- > mark;) {
        struct undo *u = &in->journal.items[i];
        struct change *known = NULL;
        for (size_t k = 0; k < out->len && !known; k++)
            if (out->items[k].cell == u->cell) known = &out->items[k];
        if (known) known->before = u->old;
        else vec_push(out, ((struct change){u->cell, u->old, u->cell->value}));
    }
    for (size_t i = 0; i < out->len; i++) out->items[i].cell->value = out->items[i].before;
    in->journal.len = mark;
}

static void put_back(struct interp *in, const changes *list) {
    for (size_t i = 0; i < list->len; i++) assign(in, list->items[i].cell, list->items[i].after);
}

static const struct val *changed_to(const changes *list, const struct cell *cell, const struct val *otherwise) {
    for (size_t i = 0; i < list->len; i++)
        if (list->items[i].cell == cell) return list->items[i].after;
    return otherwise;
}

static enum flow exec_children(struct interp *in, TSNode node) {
    struct cpp_nodes children = cpp_children(in->arena, node);
    for (uint32_t i = 0; i < children.len; i++) {
        enum flow flow = exec(in, children.items[i]);
        if (flow != FLOW_NEXT || in->exhausted) return flow;
    }
    return FLOW_NEXT;
}

static enum flow exec_block(struct interp *in, TSNode node) {
    struct scope *scope = arena_alloc(in->arena, sizeof *scope);
    open_scope(in, scope);
    enum flow flow = exec_children(in, node);
    in->scope = scope->up;
    return flow;
}

/* --- branches --- */

static struct slice condition_text(struct interp *in, const struct val *condition) {
    struct strbuf text = {0};
    val_write(&text, condition, INTERP_TEXT);
    struct slice kept = tidy(in, arena_copy(in->arena, strbuf_slice(&text)));
    strbuf_release(&text);
    return kept;
}

static enum flow run_side(struct interp *in, TSNode side, uint32_t id, bool which, struct slice text, changes *out) {
    size_t mark = in->journal.len;
    vec_push(&in->conditions, ((struct cb_condition){id, which, text}));
    enum flow flow = exists(side) ? exec(in, side) : FLOW_NEXT;
    in->conditions.len--;
    take_back(in, mark, out);
    return flow;
}

/* The condition is not known: both sides run from the same state; afterwards a changed variable is `condition ? a : b`. A side
 * that leaves the function hands its value to the frame, and the rest runs with the other side's state. */
static enum flow exec_both(struct interp *in, const struct val *condition, TSNode yes, TSNode no) {
    struct slice text = condition_text(in, condition);
    uint32_t id = in->next_condition++;
    changes then_changes = {0}, else_changes = {0};
    struct frame *frame = in->frame;
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
            struct change *c = &then_changes.items[i];
            assign(in, c->cell, val_merge(in->arena, condition, c->after, changed_to(&else_changes, c->cell, c->before)));
        }
        for (size_t i = 0; i < else_changes.len; i++) {
            struct change *c = &else_changes.items[i];
            if (!changed_to(&then_changes, c->cell, NULL))
                assign(in, c->cell, val_merge(in->arena, condition, c->before, c->after));
        }
    }
    vec_release(&then_changes);
    vec_release(&else_changes);
    return flow == FLOW_RETURN ? flow : FLOW_NEXT;
}

static enum flow exec_if(struct interp *in, TSNode node) {
    struct scope *scope = arena_alloc(in->arena, sizeof *scope);
    open_scope(in, scope);
    TSNode clause = cpp_field(node, CPP_FIELD_condition);
    TSNode init = cpp_field(clause, CPP_FIELD_initializer);
    if (exists(init)) exec_children(in, init);
    TSNode value = cpp_field(clause, CPP_FIELD_value);
    const struct val *condition = val_as_condition(in->arena, eval(in, exists(value) ? value : clause));
    TSNode yes = cpp_field(node, CPP_FIELD_consequence), no = cpp_field(node, CPP_FIELD_alternative);
    int truth = val_truth(condition);
    enum flow flow = FLOW_NEXT;
    if (truth < 0) flow = exec_both(in, condition, yes, no);
    else if (truth) flow = exec(in, yes);
    else if (exists(no)) flow = exec(in, no);
    in->scope = scope->up;
    return flow;
}

/* Each case is a side of its own under "value == case"; fall-through is not followed. */
static enum flow exec_switch(struct interp *in, TSNode node) {
    const struct val *value = eval(in, cpp_field(node, CPP_FIELD_condition));
    struct cpp_nodes cases = cpp_children(in->arena, cpp_field(node, CPP_FIELD_body));
    uint32_t id = in->next_condition++;
    changes all = {0};
    bool every_left = cases.len > 0;
    for (uint32_t i = 0; i < cases.len && !in->exhausted; i++) {
        TSNode label = cpp_field(cases.items[i], CPP_FIELD_value);
        const struct val *same = exists(label) ? val_op2(in->arena, OP_EQ, value, eval(in, label)) : NULL;
        int truth = same ? val_truth(same) : -1;
        if (truth == 0) continue;
        size_t mark = in->journal.len;
        struct slice text = same ? condition_text(in, same) : SLICE("default");
        if (truth < 0) vec_push(&in->conditions, ((struct cb_condition){id, true, text}));
        enum flow flow = exec_block(in, cases.items[i]);
        if (truth < 0) in->conditions.len--;
        if (truth == 1) {
            vec_release(&all);
            return flow == FLOW_RETURN ? flow : FLOW_NEXT;
        }
        changes one = {0};
        take_back(in, mark, &one);
        if (flow == FLOW_RETURN) {
            if (in->frame && in->frame->result && same)
                vec_push(&in->frame->early, ((struct early_return){same, in->frame->result}));
        } else {
            every_left = false;
            for (size_t k = 0; k < one.len; k++) vec_push(&all, one.items[k]);
        }
        vec_release(&one);
    }
    for (size_t i = 0; i < all.len; i++) {
        const struct val *last = all.items[i].after;
        assign(in, all.items[i].cell,
               val_merge(in->arena, val_free(in->arena, condition_text(in, value)), last, all.items[i].cell->value));
    }
    vec_release(&all);
    return every_left ? FLOW_RETURN : FLOW_NEXT;
}

/* --- loops --- */

/* A loop whose bounds are not known: a dry run finds what changes, that becomes unknown, then the body runs once. */
static void exec_unknown_loop(struct interp *in, TSNode body, TSNode more) {
    bool was_mute = in->mute;
    size_t mark = in->journal.len, early = in->frame ? in->frame->early.len : 0;
    in->mute = true;
    exec(in, body);
    if (exists(more)) eval(in, more);
    in->mute = was_mute;
    changes changed = {0};
    take_back(in, mark, &changed);
    if (in->frame) {
        in->frame->early.len = early;
        in->frame->result = NULL;
    }
    for (size_t i = 0; i < changed.len; i++) {
        const struct val *before = val_bare(changed.items[i].before);
        if (before->kind == VAL_NUM || before->kind == VAL_FREE || before->kind == VAL_OP)
            assign(in, changed.items[i].cell, val_free(in->arena, changed.items[i].cell->name));
    }
    vec_push(&in->conditions, ((struct cb_condition){in->next_condition++, true, SLICE("")}));
    exec(in, body);
    in->conditions.len--;
    for (size_t i = 0; i < changed.len; i++) {
        const struct val *before = val_bare(changed.items[i].before);
        if (before->kind == VAL_NUM || before->kind == VAL_FREE || before->kind == VAL_OP)
            assign(in, changed.items[i].cell, val_free(in->arena, changed.items[i].cell->name));
    }
    vec_release(&changed);
}

/* How often the condition holds when only the update changes things; 0: not known. */
static unsigned count_iterations(struct interp *in, TSNode condition, TSNode step) {
    size_t mark = in->journal.len;
    unsigned n = 0;
    if (exists(condition) && exists(step))
        while (n <= INTERP_MAX_LOOP && !in->exhausted && val_truth(eval(in, condition)) == 1) {
            eval(in, step);
            n++;
        }
    bool known = exists(condition) && n <= INTERP_MAX_LOOP && val_truth(eval(in, condition)) == 0;
    changes back = {0};
    take_back(in, mark, &back);
    vec_release(&back);
    return known ? n : 0;
}

/* Loops that make buffers are; of others only short ones, and none once half of the budget is gone. */
static bool worth_unrolling(struct interp *in, TSNode body, unsigned n) {
    if (count_sites(in, in->tree, body)) return true;
    uint64_t bytes = ts_node_end_byte(body) - ts_node_start_byte(body);
    return bytes * n <= 8192 && in->steps < INTERP_MAX_STEPS / 2;
}

static enum flow exec_for(struct interp *in, TSNode node) {
    struct scope *scope = arena_alloc(in->arena, sizeof *scope);
    open_scope(in, scope);
    TSNode init = cpp_field(node, CPP_FIELD_initializer);
    if (exists(init)) exec(in, init);
    TSNode condition = cpp_field(node, CPP_FIELD_condition), step = cpp_field(node, CPP_FIELD_update),
           body = cpp_field(node, CPP_FIELD_body);
    unsigned n = count_iterations(in, condition, step);
    if (n && !worth_unrolling(in, body, n)) n = 0;
    if (!n && exists(condition) && val_truth(eval(in, condition)) != 0) exec_unknown_loop(in, body, step);
    enum flow flow = FLOW_NEXT;
    for (unsigned i = 0; i < n && flow != FLOW_BREAK && flow != FLOW_RETURN && !in->exhausted; i++) {
        flow = exec(in, body);
        if (exists(step)) eval(in, step);
    }
    in->scope = scope->up;
    return flow == FLOW_RETURN ? flow : FLOW_NEXT;
}

static TSNode unwrap_declarator(TSNode d) {
    for (unsigned i = 0; i < 8; i++) {
        if (!is_kind(d, CPP_reference_declarator) && !is_kind(d, CPP_pointer_declarator) &&
            !is_kind(d, CPP_parenthesized_declarator))
            return d;
        TSNode inner = cpp_field(d, CPP_FIELD_declarator);
        d = exists(inner) ? inner : cpp_first(d);
    }
    return d;
}

/* Binds `name` or `[a, b]` to a value. */
static void bind_declarator(struct interp *in, TSNode declarator, const struct val *value) {
    declarator = unwrap_declarator(declarator);
    if (!is_kind(declarator, CPP_structured_binding_declarator)) {
        struct slice name = last_name(in->tree, declarator);
        if (name.len) bind_name(in, name, value);
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
        bind_name(in, name, part ? part : val_free(in->arena, name));
    }
}

static enum flow exec_range_for(struct interp *in, TSNode node) {
    const struct val *range = val_bare(eval(in, cpp_field(node, CPP_FIELD_right)));
    TSNode body = cpp_field(node, CPP_FIELD_body), declarator = cpp_field(node, CPP_FIELD_declarator);
    struct scope *scope = arena_alloc(in->arena, sizeof *scope);
    open_scope(in, scope);
    enum flow flow = FLOW_NEXT;
    if (range->kind == VAL_LIST && !range->list->open && range->list->len <= INTERP_MAX_LOOP) {
        for (uint32_t i = 0; i < range->list->len && flow != FLOW_BREAK && flow != FLOW_RETURN && !in->exhausted; i++) {
            bind_declarator(in, declarator, range->list->items[i]);
            flow = exec(in, body);
        }
    } else {
        bind_declarator(in, declarator, val_free(in->arena, last_name(in->tree, unwrap_declarator(declarator))));
        exec_unknown_loop(in, body, (TSNode){0});
    }
    in->scope = scope->up;
    return flow == FLOW_RETURN ? flow : FLOW_NEXT;
}

/* --- declarations --- */

static bool is_map_type(struct slice type) { return slice_ends(type, SLICE("map")); }

/* `Type name(a, b)` with plain names reads as a function declaration: the parameters are the arguments. */
static const struct val *construct_vexing(struct interp *in, struct slice type, TSNode declarator) {
    return construct(in, type, cpp_field(declarator, CPP_FIELD_parameters), declarator);
}

static void declare_one(struct interp *in, struct slice type, TSNode declarator) {
    TSNode value_node = {0};
    if (is_kind(declarator, CPP_init_declarator)) {
        value_node = cpp_field(declarator, CPP_FIELD_value);
        declarator = cpp_field(declarator, CPP_FIELD_declarator);
    }
    TSNode inner = unwrap_declarator(declarator);
    bool is_reference = is_kind(declarator, CPP_reference_declarator);
    const struct val *value;
    if (is_kind(inner, CPP_function_declarator)) {
        struct slice name = last_name(in->tree, cpp_field(inner, CPP_FIELD_declarator));
        if (name.len) bind_name(in, name, construct_vexing(in, type, inner));
        return;
    }
    bool is_array = is_kind(inner, CPP_array_declarator);
    if (!exists(value_node)) value = construct(in, type, (TSNode){0}, inner);
    else if (is_kind(value_node, CPP_argument_list) || (is_kind(value_node, CPP_initializer_list) && !is_array))
        value = construct(in, type, value_node, inner);
    else value = eval(in, value_node);
    struct cell *alias = is_reference && exists(value_node) ? place(in, value_node) : NULL;
    if (alias && !is_kind(inner, CPP_structured_binding_declarator)) {
        bind_cell(in, last_name(in->tree, inner), alias);
        return;
    }
    if (!is_reference) value = val_copy(in->arena, value);
    if (val_bare(value)->kind == VAL_LIST && is_map_type(type)) val_bare(value)->list->map = true;
    bind_declarator(in, inner, value);
}

void declare(struct interp *in, TSNode declaration) {
    struct slice type = last_name(in->tree, cpp_field(declaration, CPP_FIELD_type));
    TSNode type_node = cpp_field(declaration, CPP_FIELD_type);
    if (is_kind(type_node, CPP_enum_specifier)) exec(in, type_node);
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
        const struct val *v = exists(value) ? eval(in, value) : next;
        bind_name(in, cpp_text(in->tree, cpp_field(items.items[i], CPP_FIELD_name)), v);
        next = val_op2(in->arena, OP_ADD, v, val_num(in->arena, 1));
    }
}

static enum flow exec_return(struct interp *in, TSNode node) {
    TSNode value = cpp_first(node);
    if (in->frame) in->frame->result = exists(value) ? eval(in, value) : NULL;
    return FLOW_RETURN;
}

static enum flow exec_kind(struct interp *in, TSNode node) {
    switch (cpp_kind(node)) {
        case CPP_compound_statement:
            return exec_block(in, node);
        case CPP_else_clause:
        case CPP_case_statement:
        case CPP_labeled_statement:
        case CPP_try_statement:
        case CPP_preproc_ifdef:
        case CPP_preproc_if:
        case CPP_preproc_else:
        case CPP_preproc_elif:
            return exec_children(in, node);
        case CPP_declaration:
            declare(in, node);
            return FLOW_NEXT;
        case CPP_expression_statement: {
            TSNode expression = cpp_first(node);
            if (exists(expression)) eval(in, expression);
            return FLOW_NEXT;
        }
        case CPP_if_statement:
            return exec_if(in, node);
        case CPP_switch_statement:
            return exec_switch(in, node);
        case CPP_for_statement:
            return exec_for(in, node);
        case CPP_for_range_loop:
            return exec_range_for(in, node);
        case CPP_while_statement:
        case CPP_do_statement:
            exec_unknown_loop(in, cpp_field(node, CPP_FIELD_body), cpp_field(node, CPP_FIELD_condition));
            return FLOW_NEXT;
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
            return exec_children(in, node);
        case CPP_call_expression:
        case CPP_assignment_expression:
        case CPP_update_expression:
            eval(in, node);
            return FLOW_NEXT;
        default:
            return FLOW_NEXT;
    }
}

enum flow exec(struct interp *in, TSNode node) {
    if (++in->steps > INTERP_MAX_STEPS || in->arena->total > INTERP_MAX_MEMORY) in->exhausted = true;
    if (in->depth >= INTERP_MAX_DEPTH) in->too_deep = true;
    if (in->exhausted || in->depth >= INTERP_MAX_DEPTH) return FLOW_NEXT;
    in->depth++;
    enum flow flow = exec_kind(in, node);
    in->depth--;
    return flow;
}
