/* Loops and switch of the symbolic interpreter. */
#include "cb/interp/cb_interp.h"

/* --- loops --- */

/* A counter that the loop changes has no known value in it nor behind it. */
static void forget(struct interp *in, const changes *changed) {
    for (size_t i = 0; i < changed->len; i++) {
        const struct val *before = val_bare(changed->items[i].before);
        if (before->kind == VAL_NUM || before->kind == VAL_FREE || before->kind == VAL_OP)
            interp_assign(in, changed->items[i].cell, val_free(in->arena, changed->items[i].cell->name));
    }
}

/* A loop whose bounds are not known: a dry run finds what changes, that becomes unknown, then the body runs once. */
static void exec_unknown_loop(struct interp *in, TSNode body, TSNode more) {
    bool was_mute = in->mute;
    size_t mark = in->journal.len, early = in->frame ? in->frame->early.len : 0;
    uint32_t program_loops = in->program_loops;
    in->open_loops++;
    in->mute = true;
    interp_exec(in, body);
    if (exists(more)) interp_eval(in, more);
    in->mute = was_mute;
    changes changed = {0};
    interp_take_back(in, mark, &changed);
    if (in->frame) {
        in->frame->early.len = early;
        in->frame->result = NULL;
    }
    forget(in, &changed);
    /* twice at every level is 2^depth: dry runs within dry runs stop that before the budget is gone */
    if (!was_mute || in->steps < INTERP_MAX_STEPS / 8) {
        vec_push(&in->conditions, ((struct cb_condition){in->next_condition++, true, SLICE("")}));
        interp_exec(in, body);
        in->conditions.len--;
        forget(in, &changed);
    }
    in->open_loops--;
    in->program_loops = program_loops;
    vec_release(&changed);
}

void interp_call_repeatedly(struct interp *in, const struct val_lambda *lambda, TSNode call) {
    in->open_loops++;
    vec_push(&in->conditions, ((struct cb_condition){in->next_condition++, true, SLICE("")}));
    interp_call_lambda(in, lambda, call, (TSNode){0});
    in->conditions.len--;
    in->open_loops--;
}

/* Goes round as long as the condition is known to hold; when it is not known any more, the rest is a loop of unknown bounds. */
static enum flow exec_known_loop(struct interp *in, TSNode condition, TSNode step, TSNode body, bool checks_first) {
    for (unsigned i = 0; !in->exhausted; i++) {
        int truth = i || checks_first ? val_truth(interp_eval(in, condition)) : 1;
        if (truth == 0 && i == 0) interp_note_skipped(in, body);
        if (truth == 0) break;
        if (truth < 0 || i == INTERP_MAX_LOOP) {
            exec_unknown_loop(in, body, step);
            break;
        }
        enum flow flow = interp_exec(in, body);
        if (flow == FLOW_RETURN) return flow;
        if (flow == FLOW_BREAK) break;
        if (exists(step)) interp_eval(in, step);
    }
    return FLOW_NEXT;
}

static TSNode condition_of(TSNode loop) {
    TSNode clause = cpp_field(loop, CPP_FIELD_condition), value = cpp_field(clause, CPP_FIELD_value);
    return exists(value) ? value : clause;
}

/* `while (true)` ends by something that the body decides. */
static bool is_endless(TSNode condition) {
    while (is_kind(condition, CPP_parenthesized_expression) || is_kind(condition, CPP_condition_clause))
        condition = cpp_first(condition);
    return !exists(condition) || is_kind(condition, CPP_true) || is_kind(condition, CPP_number_literal);
}

enum flow interp_exec_while(struct interp *in, TSNode node) {
    TSNode body = cpp_field(node, CPP_FIELD_body), condition = condition_of(node);
    if (!is_endless(condition)) return exec_known_loop(in, condition, (TSNode){0}, body, true);
    exec_unknown_loop(in, body, (TSNode){0});
    return FLOW_NEXT;
}

enum flow interp_exec_do(struct interp *in, TSNode node) {
    TSNode body = cpp_field(node, CPP_FIELD_body), condition = condition_of(node);
    if (exists(condition) && is_kind(condition, CPP_parenthesized_expression) && is_kind(cpp_first(condition), CPP_false))
        return interp_exec(in, body); /* do { } while (false) */
    return exec_known_loop(in, condition, (TSNode){0}, body, false);
}

/* How often the condition holds when only the update changes things; 0: not known. */
static unsigned count_iterations(struct interp *in, TSNode condition, TSNode step) {
    size_t mark = in->journal.len;
    unsigned n = 0;
    if (exists(condition) && exists(step))
        while (n <= INTERP_MAX_LOOP && !in->exhausted && val_truth(interp_eval(in, condition)) == 1) {
            interp_eval(in, step);
            n++;
        }
    bool known = exists(condition) && n <= INTERP_MAX_LOOP && val_truth(interp_eval(in, condition)) == 0;
    changes back = {0};
    interp_take_back(in, mark, &back);
    vec_release(&back);
    return known ? n : 0;
}

/* Loops that make buffers are; of others only short ones, and none once half of the budget is gone. */
static bool worth_unrolling(struct interp *in, TSNode body, unsigned n) {
    if (interp_count_sites(in, in->tree, body)) return true;
    uint64_t bytes = ts_node_end_byte(body) - ts_node_start_byte(body);
    return bytes * n <= 8192 && in->steps < INTERP_MAX_STEPS / 2;
}

enum flow interp_exec_for(struct interp *in, TSNode node) {
    struct scope *scope = arena_alloc(in->arena, sizeof *scope);
    interp_open_scope(in, scope);
    TSNode init = cpp_field(node, CPP_FIELD_initializer);
    if (exists(init)) interp_exec(in, init);
    TSNode condition = cpp_field(node, CPP_FIELD_condition), step = cpp_field(node, CPP_FIELD_update),
           body = cpp_field(node, CPP_FIELD_body);
    enum flow flow = FLOW_NEXT;
    int first = exists(condition) ? val_truth(interp_eval(in, condition)) : -1;
    unsigned n = first == 1 ? count_iterations(in, condition, step) : 0;
    bool body_counts = first == 1 && !exists(step); /* for (i = 0; i < 4;) { ...; i++; } */
    if (first == 0) interp_note_skipped(in, body);
    else if ((n && worth_unrolling(in, body, n)) || body_counts) flow = exec_known_loop(in, condition, step, body, true);
    else exec_unknown_loop(in, body, step);
    in->scope = scope->up;
    return flow;
}

enum flow interp_exec_range_for(struct interp *in, TSNode node) {
    const struct val *range = val_bare(interp_eval(in, cpp_field(node, CPP_FIELD_right)));
    TSNode body = cpp_field(node, CPP_FIELD_body), declarator = cpp_field(node, CPP_FIELD_declarator);
    struct scope *scope = arena_alloc(in->arena, sizeof *scope);
    interp_open_scope(in, scope);
    enum flow flow = FLOW_NEXT;
    if (range->kind == VAL_LIST && !range->list->open && range->list->len <= INTERP_MAX_LOOP) {
        if (!range->list->len) interp_note_skipped(in, body);
        for (uint32_t i = 0; i < range->list->len && flow != FLOW_BREAK && flow != FLOW_RETURN && !in->exhausted; i++) {
            interp_bind_declarator(in, declarator, range->list->items[i]);
            flow = interp_exec(in, body);
        }
    } else {
        interp_bind_declarator(in, declarator,
                               val_free(in->arena, interp_last_name(in->tree, interp_unwrap_declarator(declarator))));
        exec_unknown_loop(in, body, (TSNode){0});
    }
    in->scope = scope->up;
    return flow == FLOW_RETURN ? flow : FLOW_NEXT;
}

/* --- switch --- */

/* Labels that lead to the same statements. */
struct branch_choice {
    const struct val *condition; /* value == label || ...; NULL: default */
    changes changed;
    enum flow flow;
    const struct val *result;
};

/* Statements from a label on: one that does not leave runs into the next. */
static enum flow run_cases(struct interp *in, const struct cpp_nodes *cases, uint32_t from) {
    struct scope *scope = arena_alloc(in->arena, sizeof *scope);
    interp_open_scope(in, scope);
    enum flow flow = FLOW_NEXT;
    for (uint32_t i = from; i < cases->len && flow == FLOW_NEXT && !in->exhausted; i++) {
        struct cpp_nodes parts = cpp_children(in->arena, cases->items[i]);
        uint32_t first = exists(cpp_field(cases->items[i], CPP_FIELD_value)) ? 1 : 0;
        for (uint32_t k = first; k < parts.len && flow == FLOW_NEXT; k++) flow = interp_exec(in, parts.items[k]);
    }
    in->scope = scope->up;
    return flow;
}

static bool has_statements(TSNode label) {
    uint32_t parts = ts_node_named_child_count(label);
    return parts > (exists(cpp_field(label, CPP_FIELD_value)) ? 1u : 0u);
}

/* What every variable is behind the switch: the first choice that holds, from the last one backwards. */
static void merge_choices(struct interp *in, const struct branch_choice *choices, size_t n) {
    changes merged = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; choices[i].flow != FLOW_RETURN && k < choices[i].changed.len; k++)
            if (!interp_changed_to(&merged, choices[i].changed.items[k].cell, NULL))
                vec_push(&merged, choices[i].changed.items[k]);
    for (size_t k = 0; k < merged.len; k++) {
        const struct cell_change *c = &merged.items[k];
        const struct val *value = c->before;
        for (size_t i = n; i-- > 0;)
            if (choices[i].flow != FLOW_RETURN && !choices[i].condition)
                value = interp_changed_to(&choices[i].changed, c->cell, value);
        for (size_t i = n; i-- > 0;)
            if (choices[i].flow != FLOW_RETURN && choices[i].condition)
                value = val_merge(in->arena, choices[i].condition, interp_changed_to(&choices[i].changed, c->cell, c->before),
                                  value);
        interp_assign(in, c->cell, value);
    }
    vec_release(&merged);
}

/* Behind a switch of which every way returns, nothing follows. */
static enum flow leave_choices(struct interp *in, const struct branch_choice *choices, size_t n) {
    bool all = false, some = false;
    for (size_t i = 0; i < n; i++) all |= !choices[i].condition;
    for (size_t i = 0; i < n; i++) {
        all &= choices[i].flow == FLOW_RETURN;
        some |= choices[i].flow == FLOW_RETURN;
    }
    if (!some || !in->frame) return all ? FLOW_RETURN : FLOW_NEXT;
    in->frame->result = NULL;
    for (size_t i = 0; i < n; i++) {
        if (choices[i].flow != FLOW_RETURN || !choices[i].result) continue;
        if (choices[i].condition) vec_push(&in->frame->early, ((struct early_return){choices[i].condition, choices[i].result}));
        else if (all) in->frame->result = choices[i].result;
    }
    return all ? FLOW_RETURN : FLOW_NEXT;
}

static enum flow exec_choices(struct interp *in, const struct val *value, const struct cpp_nodes *cases) {
    VEC(struct branch_choice) choices = {0};
    uint32_t id = in->next_condition++;
    const struct val *condition = NULL;
    bool is_default = false;
    for (uint32_t i = 0; i < cases->len && !in->exhausted; i++) {
        TSNode label = cpp_field(cases->items[i], CPP_FIELD_value);
        if (!exists(label)) is_default = true;
        else {
            const struct val *same = val_op2(in->arena, OP_EQ, value, interp_eval(in, label));
            condition = condition ? val_op2(in->arena, OP_OR, condition, same) : same;
        }
        if (!has_statements(cases->items[i])) continue;
        if (is_default) condition = NULL;
        if (!condition || val_truth(condition) != 0) {
            size_t mark = in->journal.len;
            struct branch_choice c = {.condition = condition};
            struct slice text = condition ? interp_condition_text(in, condition) : SLICE("default");
            vec_push(&in->conditions, ((struct cb_condition){id, true, text}));
            c.flow = run_cases(in, cases, i);
            in->conditions.len--;
            c.result = in->frame ? in->frame->result : NULL;
            interp_take_back(in, mark, &c.changed);
            vec_push(&choices, c);
        } else {
            interp_note_skipped(in, cases->items[i]);
        }
        condition = NULL;
        is_default = false;
    }
    merge_choices(in, choices.items, choices.len);
    enum flow flow = leave_choices(in, choices.items, choices.len);
    for (size_t i = 0; i < choices.len; i++) vec_release(&choices.items[i].changed);
    vec_release(&choices);
    return flow;
}

/* The label that the value takes; cases->len: none; -1: not known. */
static int64_t find_case(struct interp *in, const struct val *value, const struct cpp_nodes *cases) {
    int64_t otherwise = cases->len;
    for (uint32_t i = 0; i < cases->len; i++) {
        TSNode label = cpp_field(cases->items[i], CPP_FIELD_value);
        if (!exists(label)) {
            otherwise = i;
            continue;
        }
        int truth = val_truth(val_op2(in->arena, OP_EQ, value, interp_eval(in, label)));
        if (truth != 0) return truth < 0 ? -1 : (int64_t)i;
    }
    return otherwise;
}

enum flow interp_exec_switch(struct interp *in, TSNode node) {
    const struct val *value = interp_eval(in, cpp_field(node, CPP_FIELD_condition));
    struct cpp_nodes all = cpp_children(in->arena, cpp_field(node, CPP_FIELD_body)), cases = {.items = all.items};
    for (uint32_t i = 0; i < all.len; i++)
        if (is_kind(all.items[i], CPP_case_statement)) cases.items[cases.len++] = all.items[i];
    int64_t chosen = find_case(in, value, &cases);
    if (chosen < 0) return exec_choices(in, value, &cases);
    uint64_t outer = in->decided_by;
    in->decided_by |= value->sets;
    for (uint32_t i = 0; i < cases.len; i++)
        if (i < chosen || chosen == cases.len) interp_note_skipped(in, cases.items[i]);
    enum flow flow = run_cases(in, &cases, (uint32_t)chosen);
    for (uint32_t i = (uint32_t)chosen + 1; i < cases.len; i++) interp_note_skipped(in, cases.items[i]);
    in->decided_by = outer;
    return flow == FLOW_RETURN || flow == FLOW_CONTINUE ? flow : FLOW_NEXT;
}
