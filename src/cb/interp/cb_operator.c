/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of the symbolic interpreter: arithmetic, conditions, choices. */
#include "cb/interp/cb_interp.h"

static const struct {
    const char *text;
    enum val_op op;
} binary_operators[] = {
    {"+", OP_ADD},     {"-", OP_SUB},    {"*", OP_MUL},  {"/", OP_DIV}, {"%", OP_MOD},   {"<<", OP_SHL}, {">>", OP_SHR},
    {"&", OP_BIT_AND}, {"|", OP_BIT_OR}, {"^", OP_XOR},  {"<", OP_LT},  {"<=", OP_LE},   {">", OP_GT},   {">=", OP_GE},
    {"==", OP_EQ},     {"!=", OP_NE},    {"&&", OP_AND}, {"||", OP_OR}, {"and", OP_AND}, {"or", OP_OR},
};

bool interp_find_operator(struct slice text, enum val_op *op) {
    for (size_t i = 0; i < sizeof binary_operators / sizeof *binary_operators; i++)
        if (slice_equal(text, slice_from(binary_operators[i].text))) return *op = binary_operators[i].op, true;
    return false;
}

/* Evaluates one side of an expression under a condition. Its changes are undone and listed. */
static const struct val *interp_eval_side(struct interp *in, TSNode node, const struct val *condition, bool side,
                                          changes *changed) {
    size_t mark = in->journal.len, held = in->conditions.len;
    uint64_t since = val_clock();
    interp_push_side(in, condition, side);
    const struct val *value = interp_eval(in, node);
    interp_drop_conditions(in, held);
    interp_take_back(in, mark, since, changed);
    return value;
}

/* a && b: the right side runs only if the left one does not decide. */
static const struct val *logical(struct interp *in, enum val_op op, TSNode left, TSNode right, TSNode parent,
                                 bool wants_truth) {
    const struct val *a = interp_condition(in, left);
    bool deciding = op == OP_OR;
    if (in->python && !wants_truth) return interp_unknown(in, parent);
    int truth = val_truth(a);
    if (truth < 0) truth = known_side(in, a);
    if (truth == deciding) {
        interp_note_skipped(in, right);
        return val_with_sets(in->arena, val_num_of(in->arena, VAL_BOOL, deciding), a->sets);
    }
    if (truth >= 0) return val_with_sets(in->arena, val_convert(in->arena, VAL_BOOL, interp_condition(in, right)), a->sets);
    changes changed = {0}, none = {0};
    const struct val *b = val_as_condition(in->arena, interp_eval_side(in, right, a, !deciding, &changed));
    if (deciding) interp_merge_sides(in, a, &none, &changed);
    else interp_merge_sides(in, a, &changed, &none);
    vec_release(&changed);
    return val_op2(in->arena, op, a, b);
}

/* Python rounds down where C++ rounds towards 0. */
static const struct val *floor_division(struct interp *in, enum val_op op, const struct val *a, const struct val *b) {
    int64_t x, y;
    if (!val_is_num(a, &x) || !val_is_num(b, &y) || y == 0 || (x < 0) == (y < 0) || x % y == 0)
        return val_op2(in->arena, op, a, b);
    return val_num(in->arena, op == OP_DIV ? x / y - 1 : x % y + y);
}

/* Python's list + list, where one of them may be unknown. */
static const struct val *joined_lists(struct interp *in, const struct val *a, const struct val *b) {
    const struct val *both = val_list_new(in->arena), *parts[] = {a, b};
    for (unsigned p = 0; p < 2; p++) {
        const struct val_list *part = parts[p]->kind == VAL_LIST ? parts[p]->list : NULL;
        for (uint32_t i = 0; part && i < part->len && !both->list->open; i++)
            val_list_add(in->arena, both->list, part->items[i]);
        both->list->open |= !part || part->open;
        both->list->unseen |= !interp_is_list_choice(parts[p], 0);
        interp_join_list(in, parts[p], both->list);
    }
    return both;
}

/* stream >> variable */
static bool reads_into(struct interp *in, TSNode left, const struct val *value) {
    while (is_kind(left, CPP_binary_expression)) left = cpp_field(left, CPP_FIELD_left);
    const struct cb_cell *cell = is_kind(left, CPP_identifier) ? interp_variable(in, cpp_text(in->tree, left), NULL) : NULL;
    bool number = value->kind == VAL_NUM || val_type_of(value) != VAL_ANY || (cell && cell->type != VAL_ANY);
    return !number && (value->kind == VAL_OBJECT || (value->kind == VAL_FREE && cell));
}

const struct val *interp_binary(struct interp *in, TSNode node) {
    bool wants_truth = in->wants_truth;
    in->wants_truth = false;
    enum val_op op;
    bool known = interp_find_operator(cpp_text(in->tree, cpp_field(node, CPP_FIELD_operator)), &op);
    if (known && (op == OP_AND || op == OP_OR))
        return logical(in, op, cpp_field(node, CPP_FIELD_left), cpp_field(node, CPP_FIELD_right), node, wants_truth);
    bool compares = known && (op == OP_EQ || op == OP_NE); /* it != list.end() */
    in->reading += compares;
    const struct val *a = interp_eval(in, cpp_field(node, CPP_FIELD_left)),
                     *b = interp_eval(in, cpp_field(node, CPP_FIELD_right));
    in->reading -= compares;
    if (!known) return interp_unknown(in, node);
    const struct val *x = val_bare(a), *y = val_bare(b);
    if (op == OP_MUL && a->kind == VAL_NUM && a->num == 2) interp_note_double(in, cpp_field(node, CPP_FIELD_left), node);
    if (op == OP_MUL && b->kind == VAL_NUM && b->num == 2) interp_note_double(in, cpp_field(node, CPP_FIELD_right), node);
    if (op == OP_ADD && x->kind == VAL_TEXT && y->kind == VAL_TEXT) {
        struct strbuf text = {0};
        strbuf_add(&text, x->text);
        strbuf_add(&text, slice_take(y->text, 4096));
        const struct val *joined = val_text(in->arena, arena_copy(in->arena, slice_take(strbuf_slice(&text), 4096)));
        strbuf_release(&text);
        return joined;
    }
    if (in->python && op == OP_ADD && (x->kind == VAL_LIST || y->kind == VAL_LIST)) return joined_lists(in, x, y);
    if (op == OP_SHR && !in->python && reads_into(in, cpp_field(node, CPP_FIELD_left), x))
        interp_forget_argument(in, cpp_field(node, CPP_FIELD_right));
    if ((interp_is_objectlike(a) || interp_is_objectlike(b)) && op != OP_EQ && op != OP_NE) return interp_unknown(in, node);
    if (in->python && (op == OP_DIV || op == OP_MOD)) return floor_division(in, op, a, b);
    return val_op2(in->arena, op, a, b);
}

const struct val *interp_unary(struct interp *in, TSNode node) {
    struct slice op = cpp_text(in->tree, cpp_field(node, CPP_FIELD_operator));
    if (slice_equal(op, SLICE("!")) || slice_equal(op, SLICE("not"))) {
        const struct val *truth = interp_condition(in, cpp_field(node, CPP_FIELD_argument));
        return val_bare(truth)->kind == VAL_LIST ? interp_unknown(in, node) : val_op1(in->arena, OP_NOT, truth);
    }
    const struct val *a = interp_eval(in, cpp_field(node, CPP_FIELD_argument));
    if (slice_equal(op, SLICE("-")) && !interp_is_objectlike(a)) return val_op1(in->arena, OP_NEG, a);
    if (slice_equal(op, SLICE("+"))) return a;
    return interp_unknown(in, node);
}

const struct val *interp_conditional(struct interp *in, TSNode node) {
    const struct val *condition = interp_condition(in, cpp_field(node, CPP_FIELD_condition));
    TSNode yes_node = cpp_field(node, CPP_FIELD_consequence), no_node = cpp_field(node, CPP_FIELD_alternative);
    int truth = val_truth(condition);
    if (truth < 0) truth = known_side(in, condition);
    if (truth >= 0) {
        interp_note_skipped(in, truth ? no_node : yes_node);
        return val_with_sets(in->arena, interp_eval(in, truth ? yes_node : no_node), condition->sets);
    }
    /* a call on one side can make a buffer, which then exists only under the condition */
    changes yes_changed = {0}, no_changed = {0};
    const struct val *yes = interp_eval_side(in, yes_node, condition, true, &yes_changed),
                     *no = interp_eval_side(in, no_node, condition, false, &no_changed);
    interp_merge_sides(in, condition, &yes_changed, &no_changed);
    vec_release(&yes_changed);
    vec_release(&no_changed);
    return val_cond(in->arena, condition, yes, no);
}
