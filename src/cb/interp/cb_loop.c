/* SPDX-License-Identifier: Apache-2.0 */
/* Loops and switch of the symbolic interpreter. */
#include "cb/interp/cb_interp.h"

/* --- loops --- */

/* The state where a loop or a switch begins: the effect of leaving it early ends with it. */
struct guard {
    size_t mark, held;
    uint64_t since;
    uint32_t loose;
    const struct val *left;
};

static struct guard guard_begin(const struct interp *in) {
    return (struct guard){in->journal.len, in->conditions.len, val_clock(), in->loose_leaves,
                          in->frame ? in->frame->left : NULL};
}

static bool is_loose(const struct interp *in, const struct guard *g) { return in->loose_leaves != g->loose; }

/* If a break may have been taken, everything that changed since is unknown. */
static void guard_end(struct interp *in, const struct guard *g) {
    if (!is_loose(in, g)) return;
    changes changed = {0};
    interp_take_back(in, g->mark, g->since, &changed);
    interp_put_back(in, &changed);
    interp_forget(in, &changed);
    vec_release(&changed);
    interp_drop_conditions(in, g->held);
    interp_note_maybe_left(in, g->left);
}

/* Code that runs an unknown number of times: the parts of a loop, or a lambda that other code calls. */
struct repeated {
    TSNode condition, body, step;
    const struct val_lambda *lambda;
    TSNode call; /* of the lambda */
};

/* Runs the body once, under a condition about which nothing is known. */
static void run_once(struct interp *in, const struct repeated *what) {
    size_t held = in->conditions.len;
    interp_push_maybe(in);
    enum flow flow = FLOW_NEXT;
    if (exists(what->condition)) interp_eval(in, what->condition);
    if (what->lambda) interp_call_lambda(in, what->lambda, what->call, (TSNode){0});
    else flow = interp_exec(in, what->body);
    if (flow == FLOW_RETURN && in->frame) {
        interp_note_left(in, val_num(in->arena, 1), in->frame->result);
        in->frame->result = NULL;
    }
    if (exists(what->step) && flow != FLOW_RETURN) interp_eval(in, what->step);
    interp_drop_conditions(in, held);
}

/* Runs code that repeats an unknown number of times: dry runs find what changes and make it unknown, until nothing else
 * changes; then the body runs once. */
static void run_unknown(struct interp *in, const struct repeated *what) {
    enum { MAX_ROUNDS = 6 };
    struct guard g = guard_begin(in);
    bool was_mute = in->mute, grows = true;
    uint32_t program_loops = in->program_loops;
    changes all = {0};
    in->open_loops++;
    for (unsigned round = 0; round < MAX_ROUNDS && grows && !in->exhausted; round++) {
        size_t mark = in->journal.len, early = in->frame ? in->frame->early.len : 0;
        uint64_t since = val_clock();
        const struct val *left = in->frame ? in->frame->left : NULL;
        in->mute = true;
        run_once(in, what);
        in->mute = was_mute;
        changes changed = {0};
        interp_take_back(in, mark, since, &changed);
        if (in->frame && !was_mute) {
            in->frame->early.len = early;
            in->frame->left = left;
        }
        if (in->frame) in->frame->result = NULL;
        grows = false;
        for (size_t i = 0; i < changed.len; i++) {
            if (interp_in_changes(&all, changed.items[i].spot)) continue;
            vec_push(&all, changed.items[i]);
            grows = true;
        }
        interp_forget(in, &changed);
        vec_release(&changed);
    }
    if (grows) interp_note_unfollowed(in, SLICE("a loop is too tangled to follow"));
    if (!was_mute) {
        size_t mark = in->journal.len;
        uint64_t since = val_clock();
        run_once(in, what);
        changes changed = {0};
        interp_take_back(in, mark, since, &changed);
        interp_put_back(in, &changed);
        interp_forget(in, &changed);
        vec_release(&changed);
    }
    in->loose_leaves = g.loose;
    in->open_loops--;
    in->program_loops = program_loops;
    vec_release(&all);
    interp_note_maybe_left(in, g.left);
}

static void exec_unknown_loop(struct interp *in, TSNode condition, TSNode body, TSNode step) {
    run_unknown(in, &(struct repeated){.condition = condition, .body = body, .step = step});
}

void interp_call_repeatedly(struct interp *in, const struct val_lambda *lambda, TSNode call) {
    run_unknown(in, &(struct repeated){.lambda = lambda, .call = call});
}

/* Ends one round of a loop with known bounds. Returns whether the loop is over. */
static bool ends_round(struct interp *in, const struct guard *g, enum flow flow, enum flow *out) {
    bool loose = is_loose(in, g);
    if (flow == FLOW_RETURN && loose && in->frame) { /* or the loop was left before */
        interp_push_maybe(in);
        interp_note_left(in, val_num(in->arena, 1), in->frame->result);
        in->frame->result = NULL;
        return true;
    }
    if (flow == FLOW_RETURN || flow == FLOW_THROW) {
        *out = flow;
        return true;
    }
    if (loose) { /* the following code runs if it was not left */
        interp_drop_conditions(in, g->held);
        interp_push_maybe(in);
    }
    return flow == FLOW_BREAK && !loose; /* a continue may have skipped the break */
}

/* Runs rounds while the condition is known to hold; from the first unknown one on, the rest is a loop of unknown bounds. */
static enum flow exec_known_loop(struct interp *in, TSNode condition, TSNode step, TSNode body, bool checks_first) {
    struct guard g = guard_begin(in);
    enum flow out = FLOW_NEXT;
    for (unsigned i = 0; !in->exhausted; i++) {
        int truth = i || checks_first ? val_truth(interp_eval(in, condition)) : 1;
        if (truth == 0 && i == 0) interp_note_skipped(in, body);
        if (truth == 0) break;
        if (truth < 0 || i == INTERP_MAX_LOOP) {
            exec_unknown_loop(in, condition, body, step);
            break;
        }
        if (ends_round(in, &g, interp_exec(in, body), &out)) break;
        if (exists(step)) interp_eval(in, step);
    }
    guard_end(in, &g);
    in->loose_leaves = g.loose;
    return out;
}

static TSNode condition_of(TSNode loop) {
    TSNode clause = cpp_field(loop, CPP_FIELD_condition), value = cpp_field(clause, CPP_FIELD_value);
    return exists(value) ? value : clause;
}

/* `while (true)` ends by a decision in the body. */
static bool is_endless(TSNode condition) {
    while (is_kind(condition, CPP_parenthesized_expression) || is_kind(condition, CPP_condition_clause))
        condition = cpp_first(condition);
    return !exists(condition) || is_kind(condition, CPP_true) || is_kind(condition, CPP_number_literal);
}

enum flow interp_exec_while(struct interp *in, TSNode node) {
    TSNode body = cpp_field(node, CPP_FIELD_body), condition = condition_of(node);
    if (!is_endless(condition)) return exec_known_loop(in, condition, (TSNode){0}, body, true);
    exec_unknown_loop(in, condition, body, (TSNode){0});
    return FLOW_NEXT;
}

enum flow interp_exec_do(struct interp *in, TSNode node) {
    TSNode body = cpp_field(node, CPP_FIELD_body), condition = condition_of(node);
    return exec_known_loop(in, condition, (TSNode){0}, body, false);
}

/* How often the condition holds if only the step changes things; 0: unknown. */
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
    interp_take_back(in, mark, val_clock(), &back);
    vec_release(&back);
    return known ? n : 0;
}

/* Loops that make buffers are worth it; of others only short ones, and none once half of the budget is used. */
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
    else exec_unknown_loop(in, condition, body, step);
    in->scope = scope->up;
    return flow;
}

/* Binds the loop variable to an item; by reference it is the item itself. */
static void bind_item(struct interp *in, TSNode declarator, struct val_list *list, uint32_t i) {
    const struct val *item = list->items[i];
    const struct val *bare = val_bare(item);
    bool whole = bare->kind == VAL_OBJECT || bare->kind == VAL_LIST;
    bool reference = is_kind(declarator, CPP_reference_declarator) || list->refers;
    if (!reference || whole || is_kind(interp_unwrap_declarator(declarator), CPP_structured_binding_declarator)) {
        interp_bind_declarator(in, declarator, reference ? item : interp_copy(in, item));
        return;
    }
    struct cb_cell *cell = arena_zalloc(in->arena, sizeof *cell);
    *cell = (struct cb_cell){
        .name = interp_last_name(in->tree, interp_unwrap_declarator(declarator)), .list = list, .item = i, .value = item};
    cell->born = val_tick();
    interp_bind_cell(in, cell->name, cell);
}

/* `const` of `for (const auto &x : list)` */
static struct slice before_type(struct interp *in, TSNode loop) {
    struct slice text = cpp_text(in->tree, loop);
    size_t from = slice_find_byte(text, '(');
    return from == SLICE_NONE ? SLICE("") : slice_trim(slice_skip(text, from + 1));
}

enum flow interp_exec_range_for(struct interp *in, TSNode node) {
    const struct val *range = val_bare(interp_eval(in, cpp_field(node, CPP_FIELD_right)));
    TSNode body = cpp_field(node, CPP_FIELD_body), declarator = cpp_field(node, CPP_FIELD_declarator);
    struct scope *scope = arena_alloc(in->arena, sizeof *scope);
    interp_open_scope(in, scope);
    enum flow out = FLOW_NEXT;
    if (range->kind == VAL_LIST && !range->list->open && range->list->len <= INTERP_MAX_LOOP) {
        struct guard g = guard_begin(in);
        if (!range->list->len) interp_note_skipped(in, body);
        for (uint32_t i = 0; i < range->list->len && !in->exhausted; i++) {
            bind_item(in, declarator, range->list, i);
            if (ends_round(in, &g, interp_exec(in, body), &out)) break;
        }
        guard_end(in, &g);
        in->loose_leaves = g.loose;
    } else {
        /* by reference, any item may change */
        bool by_reference = is_kind(declarator, CPP_reference_declarator);
        bool constant = slice_starts(before_type(in, node), SLICE("const"));
        bool read_only = constant && range->kind == VAL_LIST && !range->list->refers;
        if (range->kind == VAL_LIST && by_reference && !read_only) interp_forget_items(in, range->list);
        else if (by_reference && !constant && !(range->kind == VAL_FREE && range->given))
            interp_escape_reached(in, cpp_field(node, CPP_FIELD_right));
        interp_bind_declarator(in, declarator,
                               val_free(in->arena, interp_last_name(in->tree, interp_unwrap_declarator(declarator))));
        exec_unknown_loop(in, (TSNode){0}, body, (TSNode){0});
    }
    in->scope = scope->up;
    return out;
}

/* --- switch --- */

/* Labels that lead to the same statements. */
struct switch_way {
    const struct val *condition; /* value == label || ...; for default: none of the others */
    uint32_t at;
    bool is_default;
    changes changed;
    enum flow flow;
    const struct val *result;
};
typedef VEC(struct switch_way) choice_list;

/* Runs statements from a label on; a case that does not leave falls through to the next. */
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

static const struct val *or_else(struct interp *in, const struct val *a, const struct val *b) {
    return a ? val_op2(in->arena, OP_OR, a, b) : b;
}

/* Finds the ways through a switch; the last one is the rest, with or without a default. */
static void find_choices(struct interp *in, const struct val *value, const struct cpp_nodes *cases, choice_list *out) {
    const struct val *any = NULL, *condition = NULL;
    struct switch_way otherwise = {.is_default = true, .at = cases->len};
    bool is_default = false;
    for (uint32_t i = 0; i < cases->len; i++) {
        TSNode label = cpp_field(cases->items[i], CPP_FIELD_value);
        if (!exists(label)) {
            is_default = true;
        } else {
            const struct val *same = val_op2(in->arena, OP_EQ, value, interp_eval(in, label));
            condition = or_else(in, condition, same);
            any = or_else(in, any, same);
        }
        if (!has_statements(cases->items[i]) && i + 1 < cases->len) continue;
        if (is_default) otherwise.at = i;
        if (condition) vec_push(out, ((struct switch_way){.condition = condition, .at = i}));
        condition = NULL;
        is_default = false;
    }
    otherwise.condition = any ? val_op1(in->arena, OP_NOT, any) : val_num(in->arena, 1);
    vec_push(out, otherwise);
}

static void run_choice(struct interp *in, struct switch_way *c, const struct cpp_nodes *cases, uint32_t id, uint32_t which,
                       uint32_t sides) {
    size_t mark = in->journal.len, held = in->conditions.len;
    uint64_t since = val_clock();
    struct slice text = c->is_default ? SLICE("default") : interp_condition_text(in, c->condition);
    interp_push_choice(in, id, which, sides, text, c->condition);
    if (in->frame) in->frame->result = NULL;
    c->flow = c->at < cases->len ? run_cases(in, cases, c->at) : FLOW_NEXT;
    c->result = in->frame ? in->frame->result : NULL;
    interp_drop_conditions(in, held);
    interp_take_back(in, mark, since, &c->changed);
}

/* Merges the state after the switch: the first way that holds, built from the last one backwards. */
static void merge_choices(struct interp *in, const choice_list *choices) {
    changes merged = {0};
    bool first = true;
    for (size_t i = choices->len; i-- > 0;) {
        const struct switch_way *c = &choices->items[i];
        if (c->flow == FLOW_RETURN || c->flow == FLOW_THROW) continue;
        size_t mark = in->journal.len;
        changes next = {0};
        if (first) interp_put_back(in, &c->changed);
        else interp_merge_sides(in, c->condition, &c->changed, &merged);
        first = false;
        interp_take_back(in, mark, val_clock(), &next);
        vec_release(&merged);
        merged = next;
    }
    interp_put_back(in, &merged);
    vec_release(&merged);
}

/* If every way through a switch returns, nothing follows it. */
static enum flow leave_choices(struct interp *in, const choice_list *choices) {
    size_t last = choices->len;
    bool all = true;
    for (size_t i = 0; i < choices->len; i++) {
        enum flow flow = choices->items[i].flow;
        if (flow == FLOW_CONTINUE) in->loose_leaves++;
        all &= flow == FLOW_RETURN || flow == FLOW_THROW;
        if (flow == FLOW_RETURN) last = i;
    }
    if (in->frame) in->frame->result = NULL;
    for (size_t i = 0; i < choices->len && in->frame; i++) {
        const struct switch_way *c = &choices->items[i];
        if (c->flow != FLOW_RETURN) continue;
        interp_merge_left(in, c->condition, &c->changed);
        if (all && i == last) in->frame->result = c->result;
        else interp_note_left(in, c->condition, c->result);
    }
    if (!all) return FLOW_NEXT;
    return last < choices->len ? FLOW_RETURN : FLOW_THROW;
}

static enum flow exec_choices(struct interp *in, const struct val *value, const struct cpp_nodes *cases) {
    choice_list choices = {0};
    struct guard g = guard_begin(in);
    find_choices(in, value, cases, &choices);
    uint32_t id = in->next_condition++;
    for (size_t i = 0; i < choices.len && !in->exhausted; i++) {
        struct switch_way *c = &choices.items[i];
        if (val_truth(c->condition) != 0) run_choice(in, c, cases, id, (uint32_t)(choices.len - i), (uint32_t)choices.len);
        else if (c->at < cases->len) interp_note_skipped(in, cases->items[c->at]);
    }
    merge_choices(in, &choices);
    enum flow flow = leave_choices(in, &choices);
    guard_end(in, &g);
    if (!is_loose(in, &g)) interp_note_maybe_left(in, g.left);
    for (size_t i = 0; i < choices.len; i++) vec_release(&choices.items[i].changed);
    vec_release(&choices);
    return flow;
}

/* The label that the value selects; cases->len: none; -1: unknown. */
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
    struct guard g = guard_begin(in);
    uint64_t outer = in->decided_by;
    in->decided_by |= value->sets;
    for (uint32_t i = 0; i < cases.len; i++)
        if (i < chosen || chosen == cases.len) interp_note_skipped(in, cases.items[i]);
    enum flow flow = run_cases(in, &cases, (uint32_t)chosen);
    for (uint32_t i = (uint32_t)chosen + 1; i < cases.len; i++) interp_note_skipped(in, cases.items[i]);
    in->decided_by = outer;
    if (is_loose(in, &g) && flow == FLOW_RETURN && in->frame) { /* or the switch was left before */
        interp_push_maybe(in);
        interp_note_left(in, val_num(in->arena, 1), in->frame->result);
        flow = FLOW_NEXT;
    }
    guard_end(in, &g);
    return flow == FLOW_BREAK ? FLOW_NEXT : flow;
}
