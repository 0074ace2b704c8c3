/* SPDX-License-Identifier: Apache-2.0 */
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
    for (size_t i = 0; i < in->given.len; i++)
        if (slice_equal(in->given.items[i]->name, name)) return in->given.items[i];
    return NULL;
}

struct binding *interp_bind_cell(struct interp *in, struct slice name, struct cb_cell *cell) {
    struct binding *b = arena_zalloc(in->arena, sizeof *b);
    b->name = name;
    b->cell = cell;
    b->next = in->scope->bindings;
    in->scope->bindings = b;
    if (in->scope == &in->globals) interp_add_global(in, b);
    return b;
}

struct cb_cell *interp_bind_name(struct interp *in, struct slice name, const struct val *value) {
    const struct cb_cell *given = fixed_cell(in, name);
    if (given) in->out->sets_used |= given->set_bit;
    struct cb_cell *cell = arena_zalloc(in->arena, sizeof *cell);
    cell->name = name;
    cell->born = val_tick();
    cell->fixed = given != NULL;
    cell->decided_by = in->decided_by;
    cell->value = given ? given->value : val_named(in->arena, name, value);
    interp_bind_cell(in, name, cell);
    return cell;
}

/* Runs statements from the i-th on; those after one that leaves are not reached. */
static enum flow exec_from(struct interp *in, const struct cpp_nodes *list, uint32_t i) {
    for (; i < list->len; i++) {
        enum flow flow = interp_exec(in, list->items[i]);
        if (in->exhausted) return flow;
        if (flow == FLOW_NEXT) continue;
        for (uint32_t k = i + 1; k < list->len && in->frame && in->frame->jumps; k++) {
            if (!is_kind(list->items[k], CPP_labeled_statement)) continue;
            interp_push_maybe(in); /* a goto may lead there */
            return exec_from(in, list, k);
        }
        for (i++; i < list->len; i++) interp_note_skipped(in, list->items[i]);
        return flow;
    }
    return FLOW_NEXT;
}

static enum flow interp_exec_children(struct interp *in, TSNode node) {
    struct cpp_nodes children = cpp_children(in->arena, node);
    return exec_from(in, &children, 0);
}

static enum flow interp_exec_block(struct interp *in, TSNode node) {
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

/* Runs the statements between #if and its #else. */
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

struct branch_side {
    changes changed;
    enum flow flow;
    const struct val *result, *left;
};

static struct branch_side run_side(struct interp *in, TSNode node, const struct val *condition, bool which) {
    struct branch_side side = {0};
    size_t mark = in->journal.len, held = in->conditions.len;
    uint64_t since = val_clock();
    interp_push_side(in, condition, which);
    if (which && is_directive(node)) side.flow = exec_inside(in, node);
    else if (exists(node)) side.flow = interp_exec(in, node);
    interp_drop_conditions(in, held);
    interp_take_back(in, mark, since, &side.changed);
    if (in->frame) {
        side.result = in->frame->result;
        side.left = in->frame->left;
    }
    return side;
}

void interp_note_maybe_left(struct interp *in, const struct val *before) {
    if (!in->frame || in->frame->left == before) return;
    const struct val *stayed = val_op1(in->arena, OP_NOT, in->frame->left);
    interp_push_choice(in, in->next_condition++, 1, 2, interp_condition_text(in, stayed), stayed);
}

static bool leaves_loop(enum flow flow) { return flow == FLOW_BREAK || flow == FLOW_CONTINUE; }

/* One side continues, the other leaves. */
static enum flow go_on(struct interp *in, const struct val *condition, const struct branch_side *stays,
                       const struct branch_side *leaves, bool leaves_when) {
    interp_put_back(in, &stays->changed);
    if (leaves->flow == FLOW_RETURN) {
        const struct val *taken = leaves_when ? condition : val_op1(in->arena, OP_NOT, condition);
        interp_note_left(in, taken, leaves->result);
        interp_merge_left(in, taken, &leaves->changed);
    } else if (leaves_loop(leaves->flow)) {
        in->loose_leaves++;
        interp_forget(in, &leaves->changed);
    }
    if (in->frame) in->frame->result = stays->result;
    interp_push_side(in, condition, !leaves_when);
    if (leaves->flow == FLOW_THROW) vec_last(&in->conditions).sides = 1; /* otherwise there is no program */
    return stays->flow;
}

/* Both sides continue, or both leave in the same way. */
static enum flow join(struct interp *in, const struct val *condition, const struct branch_side *yes,
                      const struct branch_side *no) {
    interp_merge_sides(in, condition, &yes->changed, &no->changed);
    if (yes->flow == FLOW_RETURN && yes->result && no->result)
        in->frame->result = val_merge(in->arena, condition, yes->result, no->result);
    return yes->flow;
}

/* The condition is unknown: both sides run from the same state; afterwards a changed variable is `condition ? a : b`. A side
 * that leaves passes its value to the frame, and the rest runs with the other side's state, under the condition. */
static enum flow exec_both(struct interp *in, const struct val *condition, TSNode yes, TSNode no) {
    struct cb_frame *frame = in->frame;
    const struct val *before = frame ? frame->left : NULL;
    struct branch_side then_side = run_side(in, yes, condition, true);
    if (frame) {
        frame->left = before;
        frame->result = NULL;
    }
    struct branch_side else_side = run_side(in, no, condition, false);
    if (frame && then_side.left != before) {
        frame->left = else_side.left == before ? then_side.left : val_op2(in->arena, OP_OR, then_side.left, else_side.left);
    }
    const struct val *within = frame ? frame->left : NULL;
    enum flow flow;
    if (then_side.flow == else_side.flow) flow = join(in, condition, &then_side, &else_side);
    else if (then_side.flow == FLOW_THROW) flow = go_on(in, condition, &else_side, &then_side, true);
    else if (else_side.flow == FLOW_THROW) flow = go_on(in, condition, &then_side, &else_side, false);
    else if (else_side.flow == FLOW_NEXT || then_side.flow == FLOW_RETURN)
        flow = go_on(in, condition, &else_side, &then_side, true);
    else flow = go_on(in, condition, &then_side, &else_side, false);
    if (within != before) interp_note_maybe_left(in, before);
    vec_release(&then_side.changed);
    vec_release(&else_side.changed);
    return flow;
}

/* A variable that both sides declare is one of the two. */
static void join_bindings(struct interp *in, const struct binding *before) {
    for (struct binding *b = in->scope->bindings; b && b != before; b = b->next) {
        for (const struct binding *other = b->next; other && other != before; other = other->next) {
            if (!slice_equal(b->name, other->name) || b->cell == other->cell || b->cell->fixed) continue;
            struct cb_cell *cell = arena_zalloc(in->arena, sizeof *cell);
            *cell = *b->cell;
            cell->constant = b->cell->constant && other->cell->constant;
            cell->value = val_merge(in->arena, val_free(in->arena, SLICE("...")), interp_cell_value(b->cell),
                                    interp_cell_value(other->cell));
            cell->object = NULL;
            cell->list = NULL;
            b->cell = cell;
        }
    }
}

/* Nobody knows what is defined: both sides run, as in a branch. */
static enum flow exec_directive(struct interp *in, TSNode node) {
    TSNode other = cpp_field(node, CPP_FIELD_alternative), name = cpp_field(node, CPP_FIELD_name);
    struct slice text = interp_tidy(in, cpp_text(in->tree, exists(name) ? name : cpp_field(node, CPP_FIELD_condition)));
    bool absent = exists(name) && slice_starts(cpp_text(in->tree, node), SLICE("#ifndef"));
    const struct val *defined = val_free(in->arena, text);
    const struct binding *before = in->scope->bindings;
    enum flow flow = exec_both(in, absent ? val_op1(in->arena, OP_NOT, defined) : defined, node, other);
    join_bindings(in, before);
    return flow;
}

/* Notes the fields that the other side would have changed. */
static void note_sets(struct interp *in, const struct cell_change *c, uint64_t sets) {
    const struct val_object before = {.fields = c->before.fields};
    for (const struct val_field *f = c->after.fields; f; f = f->next) {
        const struct val_field *old = val_object_field(&before, f->name);
        if (old && old->value != f->value)
            interp_write_field(in, c->spot.object, f->name, val_with_sets(in->arena, old->value, sets));
    }
}

/* The condition is known. If given values decided it, anything that either side changes depends on them. */
static enum flow exec_decided(struct interp *in, const struct val *condition, TSNode taken, TSNode other) {
    uint64_t outer = in->decided_by;
    if (condition->sets && exists(other)) {
        size_t mark = in->journal.len, early = in->frame ? in->frame->early.len : 0, held = in->conditions.len;
        uint64_t since = val_clock();
        uint32_t loose = in->loose_leaves;
        const struct val *left = in->frame ? in->frame->left : NULL;
        bool was_mute = in->mute;
        in->mute = true;
        bool leaves = interp_exec(in, other) == FLOW_RETURN;
        in->mute = was_mute;
        interp_drop_conditions(in, held);
        in->loose_leaves = loose;
        changes changed = {0};
        interp_take_back(in, mark, since, &changed);
        if (in->frame) {
            if (leaves) in->frame->decided_by |= condition->sets;
            in->frame->early.len = early;
            in->frame->left = left;
            in->frame->result = NULL;
        }
        for (size_t i = 0; i < changed.len; i++) {
            struct cb_cell *cell = changed.items[i].spot.cell;
            if (cell) interp_assign(in, cell, val_with_sets(in->arena, cell->value, condition->sets));
            else if (changed.items[i].spot.object) note_sets(in, &changed.items[i], condition->sets);
        }
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
    const struct val *condition = interp_condition(in, exists(value) ? value : clause);
    TSNode yes = cpp_field(node, CPP_FIELD_consequence), no = cpp_field(node, CPP_FIELD_alternative);
    int truth = val_truth(condition);
    if (truth < 0) truth = known_side(in, condition);
    enum flow flow =
        truth < 0 ? exec_both(in, condition, yes, no) : exec_decided(in, condition, truth ? yes : no, truth ? no : yes);
    in->scope = scope->up;
    return flow;
}

/* A variable that ends with the function: its value moves to the caller. */
static bool is_own_local(struct interp *in, TSNode value) {
    if (interp_is_fresh(in, value)) return true;
    struct binding *binding = NULL;
    const struct cb_cell *cell =
        is_kind(value, CPP_identifier) ? interp_variable(in, cpp_text(in->tree, value), &binding) : NULL;
    return cell && binding && !binding->is_param && !cell->object && !cell->list && cell->born > in->frame->born &&
           in->frame->function;
}

static enum flow exec_return(struct interp *in, TSNode node) {
    TSNode value = cpp_first(node);
    if (!in->frame) return FLOW_RETURN;
    const struct val *result = exists(value) ? interp_eval(in, value) : NULL;
    if (result && !in->frame->by_reference && !is_own_local(in, value)) result = interp_copy(in, result);
    uint64_t decided_by = (in->decided_by & ~in->frame->decided_outside) | in->frame->decided_by;
    in->frame->result = result ? val_with_sets(in->arena, result, decided_by) : NULL;
    return FLOW_RETURN;
}

/* An exception may leave a try anywhere: how much of it runs is unknown, and so is whether a handler runs. */
static enum flow exec_try(struct interp *in, TSNode node) {
    struct cpp_nodes parts = cpp_children(in->arena, node);
    const struct val *before = in->frame ? in->frame->left : NULL;
    changes changed = {0};
    for (uint32_t i = 0; i < parts.len; i++) {
        TSNode body = is_kind(parts.items[i], CPP_catch_clause) ? cpp_field(parts.items[i], CPP_FIELD_body) : parts.items[i];
        size_t mark = in->journal.len, held = in->conditions.len;
        uint64_t since = val_clock();
        interp_push_maybe(in);
        if (interp_exec(in, body) == FLOW_RETURN && in->frame) interp_note_left(in, val_num(in->arena, 1), in->frame->result);
        interp_drop_conditions(in, held);
        interp_take_back(in, mark, since, &changed);
    }
    interp_forget(in, &changed);
    vec_release(&changed);
    interp_note_maybe_left(in, before);
    return FLOW_NEXT;
}

/* A goto may come here from anywhere, so everything that the function has changed is unknown. */
static void forget_since_begin(struct interp *in) {
    if (!in->frame || !in->frame->jumps) return;
    for (size_t i = in->frame->mark, n = in->journal.len; i < n; i++) {
        struct spot spot = in->journal.items[i].spot;
        if (spot.cell) interp_assign(in, spot.cell, val_free(in->arena, spot.cell->name));
        if (spot.object) interp_forget_value(in, &(struct val){.kind = VAL_OBJECT, .object = spot.object});
        if (spot.list) interp_open_list(in, spot.list);
    }
}

static enum flow exec_kind(struct interp *in, TSNode node) {
    switch (cpp_kind(node)) {
        case CPP_compound_statement:
            return interp_exec_block(in, node);
        case CPP_else_clause:
        case CPP_case_statement:
        case CPP_preproc_else:
            return interp_exec_children(in, node);
        case CPP_labeled_statement:
            forget_since_begin(in);
            return interp_exec_children(in, node);
        case CPP_try_statement:
            return exec_try(in, node);
        case CPP_preproc_ifdef:
        case CPP_preproc_if:
        case CPP_preproc_elif:
        case CPP_preproc_elifdef:
            return exec_directive(in, node);
        case CPP_declaration:
            interp_declare(in, node);
            return FLOW_NEXT;
        case CPP_preproc_function_def:
            if (cb_source_is_candidate(cpp_text(in->tree, cpp_field(node, CPP_FIELD_value))))
                interp_note_unread(in, node, SLICE("a macro that makes buffers is defined within a function"));
            return FLOW_NEXT;
        case CPP_expression_statement: {
            TSNode expression = cpp_first(node);
            if (exists(expression)) interp_eval(in, expression);
            bool throws = is_kind(expression, CPP_call_expression) &&
                          slice_equal(interp_last_name(in->tree, cpp_field(expression, CPP_FIELD_function)), SLICE("TT_THROW"));
            return throws ? FLOW_THROW : FLOW_NEXT;
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
            return FLOW_THROW;
        case CPP_goto_statement:
            interp_note_unfollowed(in, SLICE("goto is not followed"));
            return FLOW_NEXT;
        case CPP_break_statement:
            return FLOW_BREAK;
        case CPP_continue_statement:
            return FLOW_CONTINUE;
        case CPP_enum_specifier:
            interp_declare_enum(in, node);
            return FLOW_NEXT;
        case CPP_struct_specifier:
        case CPP_class_specifier:
        case CPP_union_specifier:
            interp_define_type(in, node);
            return FLOW_NEXT;
        case CPP_alias_declaration:
            interp_note_alias(in, cpp_text(in->tree, cpp_field(node, CPP_FIELD_name)),
                              slice_trim(cpp_text(in->tree, cpp_field(node, CPP_FIELD_type))));
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
