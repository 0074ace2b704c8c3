/* Expressions of the symbolic interpreter. */
#include <string.h>

#include "cb/interp/cb_interp.h"

struct slice interp_tidy(struct interp *in, struct slice text) {
    bool clean = text.len <= INTERP_TEXT;
    for (size_t i = 0; clean && i < text.len; i++)
        if (text.ptr[i] == '\n' || text.ptr[i] == '\t' || text.ptr[i] == '\r') clean = false;
    if (clean) return text;
    char *out = arena_alloc(in->arena, INTERP_TEXT + 4);
    size_t n = 0;
    for (size_t i = 0; i < text.len && n < INTERP_TEXT; i++) {
        bool space = text.ptr[i] == ' ' || text.ptr[i] == '\n' || text.ptr[i] == '\t' || text.ptr[i] == '\r';
        if (space && (n == 0 || out[n - 1] == ' ' || out[n - 1] == '(')) continue;
        out[n++] = space ? ' ' : text.ptr[i];
    }
    if (n == INTERP_TEXT) {
        memcpy(out + n, "...", 3);
        n += 3;
    }
    return slice_of(out, n);
}

struct slice interp_last_name(const struct cpp_tree *tree, TSNode node) {
    for (unsigned i = 0; i < 64; i++) {
        switch (cpp_kind(node)) {
            case CPP_qualified_identifier:
            case CPP_template_function:
            case CPP_template_method:
            case CPP_template_type:
                node = cpp_field(node, CPP_FIELD_name);
                break;
            case CPP_field_expression:
                node = cpp_field(node, CPP_FIELD_field);
                break;
            case CPP_identifier:
            case CPP_field_identifier:
            case CPP_type_identifier:
            case CPP_namespace_identifier:
            case CPP_primitive_type:
                return cpp_text(tree, node);
            case CPP_parenthesized_declarator:
            case CPP_reference_declarator:
            case CPP_pointer_declarator:
            case CPP_array_declarator: {
                TSNode inner = cpp_field(node, CPP_FIELD_declarator);
                node = exists(inner) ? inner : cpp_first(node);
                break;
            }
            default:
                if (!exists(node) || ts_node_named_child_count(node) != 1) return SLICE("");
                node = cpp_first(node); /* dependent_name and the like */
        }
        if (!exists(node)) return SLICE("");
    }
    return SLICE("");
}

struct slice interp_written(struct interp *in, TSNode node) {
    struct slice text = cpp_text(in->tree, node);
    if (is_kind(node, CPP_identifier)) {
        const struct binding *b = interp_find_binding(in, text);
        if (b && b->is_param && b->written.len) return b->written;
    }
    return interp_tidy(in, text);
}

/* What --set says of an unknown: by its whole text or by its last name. */
static const struct val *set_value(struct interp *in, struct slice text) {
    size_t start = text.len;
    while (start && (text.ptr[start - 1] == '_' || (text.ptr[start - 1] >= '0' && text.ptr[start - 1] <= '9') ||
                     ((text.ptr[start - 1] | 32) >= 'a' && (text.ptr[start - 1] | 32) <= 'z')))
        start--;
    const struct binding *b = NULL;
    for (struct binding *g = in->n_sets ? in->globals.bindings : NULL; g; g = g->next)
        if (g->cell->fixed &&
            (slice_equal(g->name, text) || (start < text.len && slice_equal(g->name, slice_skip(text, start)))))
            b = g;
    if (b) in->out->sets_used |= b->cell->set_bit;
    return b ? b->cell->value : NULL;
}

const struct val *interp_unknown(struct interp *in, TSNode node) {
    struct slice text = interp_tidy(in, cpp_text(in->tree, node));
    const struct val *given = set_value(in, text);
    return given ? given : val_free(in->arena, text);
}

struct cb_cell *interp_place(struct interp *in, TSNode node) {
    for (unsigned i = 0; i < 16; i++) {
        switch (cpp_kind(node)) {
            case CPP_identifier: {
                struct binding *b = interp_find_binding(in, cpp_text(in->tree, node));
                return b ? b->cell : NULL;
            }
            case CPP_parenthesized_expression:
                node = cpp_first(node);
                break;
            case CPP_pointer_expression:
                node = cpp_field(node, CPP_FIELD_argument);
                break;
            default:
                return NULL;
        }
    }
    return NULL;
}

static const struct val *number(struct interp *in, TSNode node) {
    struct slice text = cpp_text(in->tree, node);
    bool negative = slice_starts(text, SLICE("-")); /* the grammar takes a sign into the literal */
    if (negative || slice_starts(text, SLICE("+"))) text = slice_skip(text, 1);
    bool hex = slice_starts(text, SLICE("0x")) || slice_starts(text, SLICE("0X"));
    bool binary = slice_starts(text, SLICE("0b")) || slice_starts(text, SLICE("0B"));
    bool octal = text.len > 1 && text.ptr[0] == '0' && text.ptr[1] >= '0' && text.ptr[1] <= '9';
    int64_t base = hex ? 16 : binary ? 2 : octal ? 8 : 10, num = 0;
    for (size_t i = hex || binary ? 2 : 0; i < text.len; i++) {
        char c = text.ptr[i], lower = (char)(c | 32);
        int64_t digit;
        if (c == '\'') continue;
        if (c >= '0' && c <= '9') digit = c - '0';
        else if (hex && lower >= 'a' && lower <= 'f') digit = lower - 'a' + 10;
        else if (lower == 'u' || lower == 'l' || lower == 'z') break;
        else return interp_unknown(in, node); /* floating point */
        if (digit >= base || __builtin_mul_overflow(num, base, &num) || __builtin_add_overflow(num, digit, &num))
            return interp_unknown(in, node);
    }
    return val_num(in->arena, negative ? -num : num);
}

static const struct val *string(struct interp *in, TSNode node) {
    struct strbuf text = {0};
    struct cpp_nodes parts = cpp_children(in->arena, node);
    for (uint32_t i = 0; i < parts.len && text.len < 4096; i++) {
        if (is_kind(parts.items[i], CPP_string_content)) strbuf_add(&text, cpp_text(in->tree, parts.items[i]));
        else if (is_kind(parts.items[i], CPP_string_literal)) {
            const struct val *part = string(in, parts.items[i]);
            strbuf_add(&text, part->text);
        }
    }
    const struct val *v = val_text(in->arena, arena_copy(in->arena, strbuf_slice(&text)));
    strbuf_release(&text);
    return v;
}

static const struct {
    const char *text;
    enum val_op op;
} binary_operators[] = {
    {"+", OP_ADD},     {"-", OP_SUB},    {"*", OP_MUL},  {"/", OP_DIV}, {"%", OP_MOD},   {"<<", OP_SHL}, {">>", OP_SHR},
    {"&", OP_BIT_AND}, {"|", OP_BIT_OR}, {"^", OP_XOR},  {"<", OP_LT},  {"<=", OP_LE},   {">", OP_GT},   {">=", OP_GE},
    {"==", OP_EQ},     {"!=", OP_NE},    {"&&", OP_AND}, {"||", OP_OR}, {"and", OP_AND}, {"or", OP_OR},
};

static bool find_operator(struct slice text, enum val_op *op) {
    for (size_t i = 0; i < sizeof binary_operators / sizeof *binary_operators; i++)
        if (slice_equal(text, slice_from(binary_operators[i].text))) return *op = binary_operators[i].op, true;
    return false;
}

static bool is_objectlike(const struct val *v) {
    v = val_bare(v);
    return v->kind == VAL_LIST || v->kind == VAL_OBJECT || v->kind == VAL_LAMBDA;
}

static const struct val *binary(struct interp *in, TSNode node) {
    const struct val *a = interp_eval(in, cpp_field(node, CPP_FIELD_left)),
                     *b = interp_eval(in, cpp_field(node, CPP_FIELD_right));
    enum val_op op;
    if (!find_operator(cpp_text(in->tree, cpp_field(node, CPP_FIELD_operator)), &op)) return interp_unknown(in, node);
    const struct val *x = val_bare(a), *y = val_bare(b);
    if (op == OP_ADD && x->kind == VAL_TEXT && y->kind == VAL_TEXT) {
        struct strbuf text = {0};
        strbuf_add(&text, x->text);
        strbuf_add(&text, slice_take(y->text, 4096));
        const struct val *joined = val_text(in->arena, arena_copy(in->arena, slice_take(strbuf_slice(&text), 4096)));
        strbuf_release(&text);
        return joined;
    }
    if ((is_objectlike(a) || is_objectlike(b)) && op != OP_EQ && op != OP_NE && op != OP_AND && op != OP_OR)
        return interp_unknown(in, node);
    if (op == OP_AND || op == OP_OR) {
        a = val_as_condition(in->arena, a);
        b = val_as_condition(in->arena, b);
    }
    return val_op2(in->arena, op, a, b);
}

static const struct val *unary(struct interp *in, TSNode node) {
    struct slice op = cpp_text(in->tree, cpp_field(node, CPP_FIELD_operator));
    const struct val *a = interp_eval(in, cpp_field(node, CPP_FIELD_argument));
    if (slice_equal(op, SLICE("!")) || slice_equal(op, SLICE("not")))
        return is_objectlike(a) && val_bare(a)->kind == VAL_LIST ? interp_unknown(in, node)
                                                                 : val_op1(in->arena, OP_NOT, val_as_condition(in->arena, a));
    if (slice_equal(op, SLICE("-")) && !is_objectlike(a)) return val_op1(in->arena, OP_NEG, a);
    if (slice_equal(op, SLICE("+"))) return a;
    return interp_unknown(in, node);
}

/* x++, --x: the value before or after. */
static const struct val *update(struct interp *in, TSNode node) {
    TSNode target = cpp_field(node, CPP_FIELD_argument);
    const struct val *old = interp_eval(in, target);
    if (is_objectlike(old)) return interp_unknown(in, node);
    struct slice text = cpp_text(in->tree, node);
    bool up = slice_ends(text, SLICE("++")) || slice_starts(text, SLICE("++"));
    const struct val *next = val_op2(in->arena, up ? OP_ADD : OP_SUB, old, val_num(in->arena, 1));
    struct cb_cell *cell = interp_place(in, target);
    if (cell) interp_assign(in, cell, next);
    else interp_set_field(in, target, next, cpp_text(in->tree, node));
    return text.len && (text.ptr[0] == '+' || text.ptr[0] == '-') ? next : old;
}

/* The list behind `a.b`; made when the object has no such field yet and `make` is set. */
static const struct val *field_of(struct interp *in, TSNode node, bool make) {
    const struct val *object = val_bare(interp_eval(in, cpp_field(node, CPP_FIELD_argument)));
    if (object->kind != VAL_OBJECT) return NULL;
    struct slice name = interp_last_name(in->tree, cpp_field(node, CPP_FIELD_field));
    struct val_field *field = val_object_field(object->object, name);
    if (field) return field->value;
    if (!make) return NULL;
    const struct val *list = val_list_new(in->arena);
    list->list->loops = in->open_loops;
    val_object_set(in->arena, object->object, name, list);
    return list;
}

static const struct val *field(struct interp *in, TSNode node) {
    const struct val *found = field_of(in, node, false);
    if (found) return found;
    struct slice text = interp_tidy(in, cpp_text(in->tree, node));
    const struct val *constant = interp_find_constant(in, text, interp_last_name(in->tree, node));
    return constant ? constant : interp_unknown(in, node);
}

const struct val *interp_find_in_list(const struct val_list *list, const struct val *key) {
    int64_t index, have;
    if (!val_is_num(key, &index)) return NULL;
    if (list->map) {
        for (uint32_t i = list->len; i-- > 0;) {
            const struct val *pair = val_bare(list->items[i]);
            if (pair->kind == VAL_LIST && pair->list->len == 2 && val_is_num(pair->list->items[0], &have) && have == index)
                return pair->list->items[1];
        }
        return NULL;
    }
    return index >= 0 && index < list->len ? list->items[index] : NULL;
}

static const struct val *subscript(struct interp *in, TSNode node) {
    const struct val *object = val_bare(interp_eval(in, cpp_field(node, CPP_FIELD_argument)));
    TSNode key_node = cpp_first(cpp_field(node, CPP_FIELD_indices));
    const struct val *key = exists(key_node) ? interp_eval(in, key_node) : interp_unknown(in, node);
    const struct val *found = object->kind == VAL_LIST ? interp_find_in_list(object->list, key) : NULL;
    return found ? found : interp_unknown(in, node);
}

static void set_item(struct interp *in, TSNode target, const struct val *value) {
    TSNode owner = cpp_field(target, CPP_FIELD_argument);
    const struct val *object = is_kind(owner, CPP_field_expression) ? field_of(in, owner, true) : NULL;
    if (!object) object = interp_eval(in, owner);
    object = val_bare(object);
    TSNode key_node = cpp_first(cpp_field(target, CPP_FIELD_indices));
    if (object->kind != VAL_LIST || !exists(key_node)) return;
    const struct val *key = interp_eval(in, key_node);
    int64_t index;
    if (!object->list->map && val_is_num(key, &index) && index >= 0 && index < object->list->len) {
        object->list->items[index] = value;
    } else if (object->list->map) {
        const struct val *pair = val_list_new(in->arena);
        val_list_add(in->arena, pair->list, key);
        val_list_add(in->arena, pair->list, value);
        val_list_add(in->arena, object->list, pair);
    }
}

/* Was the object made under fewer conditions than hold here? Then what is set here holds sometimes only. */
static const struct val *merged(struct interp *in, const struct val_object *object, const struct val *old,
                                const struct val *value) {
    if (!old || in->conditions.len <= object->conditions || is_objectlike(old) || is_objectlike(value)) return value;
    const struct cb_condition *c = &vec_last(&in->conditions);
    const struct val *condition = val_free(in->arena, c->text);
    return c->side ? val_cond(in->arena, condition, value, old) : val_cond(in->arena, condition, old, value);
}

void interp_set_field(struct interp *in, TSNode target, const struct val *value, struct slice text) {
    if (is_kind(target, CPP_subscript_expression)) {
        set_item(in, target, value);
        return;
    }
    if (!is_kind(target, CPP_field_expression)) return;
    TSNode owner = cpp_field(target, CPP_FIELD_argument);
    struct cb_cell *cell = interp_place(in, owner);
    const struct val *object = val_bare(cell ? cell->value : interp_eval(in, owner));
    if (object->kind != VAL_OBJECT) {
        /* a variable of a type that is not known becomes an object with the fields it is given */
        if (!cell || object->kind != VAL_FREE || cell->fixed) return;
        object = val_object_new(in->arena, SLICE(""));
        interp_stamp(in, object->object, target);
        interp_assign(in, cell, object);
    }
    struct slice name = interp_last_name(in->tree, cpp_field(target, CPP_FIELD_field));
    const struct val_field *old = val_object_field(object->object, name);
    struct val_field *field_set =
        val_object_set(in->arena, object->object, name, merged(in, object->object, old ? old->value : NULL, value));
    field_set->text = text;
    if (slice_equal(name, SLICE("cbs"))) interp_record_pushed(in, value, target);
}

static const struct val *assignment(struct interp *in, TSNode node) {
    TSNode left = cpp_field(node, CPP_FIELD_left), right = cpp_field(node, CPP_FIELD_right);
    struct slice op = cpp_text(in->tree, cpp_field(node, CPP_FIELD_operator));
    const struct val *value = is_kind(right, CPP_initializer_list)
                                  ? interp_eval_field_value(in, interp_last_name(in->tree, left), right)
                                  : interp_eval(in, right);
    struct slice text = interp_written(in, right);
    enum val_op compound;
    if (op.len > 1 && find_operator(slice_take(op, op.len - 1), &compound)) {
        const struct val *old = interp_eval(in, left);
        value =
            is_objectlike(old) || is_objectlike(value) ? interp_unknown(in, node) : val_op2(in->arena, compound, old, value);
        text = interp_tidy(in, cpp_text(in->tree, node));
    }
    struct cb_cell *cell = interp_place(in, left);
    if (cell) {
        const struct val *old = val_bare(cell->value);
        bool was_map = old->kind == VAL_LIST && old->list->map;
        const struct val *copy = val_copy(in->arena, value);
        if (was_map && val_bare(copy)->kind == VAL_LIST) val_bare(copy)->list->map = true;
        if (copy->kind == VAL_OBJECT && !copy->object->type.len && old->kind == VAL_OBJECT)
            copy->object->type = old->object->type;
        interp_assign(in, cell, copy);
    } else if (is_kind(left, CPP_call_expression) &&
               slice_equal(interp_last_name(in->tree, cpp_field(left, CPP_FIELD_function)), SLICE("tie"))) {
        struct cpp_nodes parts = cpp_children(in->arena, cpp_field(left, CPP_FIELD_arguments));
        const struct val *tuple = val_bare(value);
        for (uint32_t i = 0; i < parts.len; i++) {
            struct cb_cell *part = interp_place(in, parts.items[i]);
            if (!part) continue;
            bool known = tuple->kind == VAL_LIST && i < tuple->list->len;
            interp_assign(in, part, known ? tuple->list->items[i] : val_free(in->arena, part->name));
        }
    } else {
        interp_set_field(in, left, value, text);
    }
    return value;
}

static const struct val *sizeof_value(struct interp *in, TSNode node) {
    static const struct {
        const char *type;
        int64_t bytes;
    } types[] = {{"uint8_t", 1},  {"int8_t", 1},   {"char", 1},    {"bool", 1},   {"uint16_t", 2}, {"int16_t", 2},
                 {"bfloat16", 2}, {"uint32_t", 4}, {"int32_t", 4}, {"int", 4},    {"unsigned", 4}, {"unsigned int", 4},
                 {"float", 4},    {"uint64_t", 8}, {"int64_t", 8}, {"double", 8}, {"size_t", 8}};
    struct slice text = cpp_text(in->tree, node);
    size_t from = slice_find_byte(text, '(');
    if (from == SLICE_NONE || text.ptr[text.len - 1] != ')') return interp_unknown(in, node);
    text = slice_trim(slice_of(text.ptr + from + 1, text.len - from - 2));
    for (size_t i = text.len; i > 1; i--)
        if (text.ptr[i - 1] == ':') {
            text = slice_skip(text, i);
            break;
        }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (slice_equal(text, slice_from(types[i].type))) return val_num(in->arena, types[i].bytes);
    return val_op1(in->arena, OP_ELEMENT_BYTES, interp_unknown(in, node));
}

static const struct val *identifier(struct interp *in, TSNode node) {
    struct slice text = cpp_text(in->tree, node);
    const struct binding *b = interp_find_binding(in, text);
    if (b) {
        in->out->sets_used |= b->cell->set_bit;
        return b->cell->value;
    }
    const struct val *constant = interp_find_constant(in, text, interp_last_name(in->tree, node));
    if (constant) return constant;
    if (is_kind(node, CPP_qualified_identifier)) { /* Enum::NAME, Class::kConstant, namespace::name */
        b = interp_find_binding(in, interp_last_name(in->tree, node));
        if (b) return b->cell->value;
    }
    return interp_unknown(in, node);
}

static const struct val *lambda(struct interp *in, TSNode node) {
    struct val *v = arena_zalloc(in->arena, sizeof *v);
    struct val_lambda *l = arena_zalloc(in->arena, sizeof *l);
    *l = (struct val_lambda){in->tree, node, in->scope};
    *v = (struct val){.kind = VAL_LAMBDA, .depth = 1, .size = 1, .lambda = l};
    return v;
}

static const struct val *conditional(struct interp *in, TSNode node) {
    const struct val *condition = val_as_condition(in->arena, interp_eval(in, cpp_field(node, CPP_FIELD_condition)));
    int truth = val_truth(condition);
    if (truth >= 0) {
        interp_note_skipped(in, cpp_field(node, truth ? CPP_FIELD_alternative : CPP_FIELD_consequence));
        const struct val *taken = interp_eval(in, cpp_field(node, truth ? CPP_FIELD_consequence : CPP_FIELD_alternative));
        return val_with_sets(in->arena, taken, condition->sets);
    }
    /* a call in one of the sides can make a buffer: it holds under the condition only */
    struct strbuf text = {0};
    val_write(&text, condition, INTERP_TEXT);
    struct cb_condition c = {in->next_condition++, true, interp_tidy(in, arena_copy(in->arena, strbuf_slice(&text)))};
    strbuf_release(&text);
    vec_push(&in->conditions, c);
    const struct val *yes = interp_eval(in, cpp_field(node, CPP_FIELD_consequence));
    vec_last(&in->conditions).side = false;
    const struct val *no = interp_eval(in, cpp_field(node, CPP_FIELD_alternative));
    in->conditions.len--;
    return val_cond(in->arena, condition, yes, no);
}

static const struct val *eval_kind(struct interp *in, TSNode node) {
    switch (cpp_kind(node)) {
        case CPP_number_literal:
            return number(in, node);
        case CPP_true:
            return val_num(in->arena, 1);
        case CPP_false:
            return val_num(in->arena, 0);
        case CPP_null:
            return val_null(in->arena);
        case CPP_string_literal:
        case CPP_concatenated_string:
            return string(in, node);
        case CPP_identifier:
        case CPP_qualified_identifier:
        case CPP_type_identifier:
        case CPP_field_identifier:
            return identifier(in, node);
        case CPP_parenthesized_expression:
        case CPP_init_statement:
        case CPP_condition_clause: {
            TSNode inner = cpp_field(node, CPP_FIELD_value);
            if (!exists(inner)) inner = cpp_first(node);
            return exists(inner) ? interp_eval(in, inner) : interp_unknown(in, node);
        }
        case CPP_binary_expression:
            return binary(in, node);
        case CPP_unary_expression:
            return unary(in, node);
        case CPP_update_expression:
            return update(in, node);
        case CPP_pointer_expression:
            return interp_eval(in, cpp_field(node, CPP_FIELD_argument)); /* pointers are looked through */
        case CPP_cast_expression:
            return interp_eval(in, cpp_field(node, CPP_FIELD_value));
        case CPP_conditional_expression:
            return conditional(in, node);
        case CPP_assignment_expression:
            return assignment(in, node);
        case CPP_call_expression:
            return interp_eval_call(in, node);
        case CPP_field_expression:
            return field(in, node);
        case CPP_subscript_expression:
            return subscript(in, node);
        case CPP_initializer_list:
            return interp_eval_braces(in, node, SLICE(""));
        case CPP_compound_literal_expression:
            return interp_construct(in, interp_last_name(in->tree, cpp_field(node, CPP_FIELD_type)),
                                    cpp_field(node, CPP_FIELD_value), node);
        case CPP_lambda_expression:
            return lambda(in, node);
        case CPP_sizeof_expression:
            return sizeof_value(in, node);
        case CPP_comma_expression:
            interp_eval(in, cpp_field(node, CPP_FIELD_left));
            return interp_eval(in, cpp_field(node, CPP_FIELD_right));
        case CPP_declaration:
            interp_declare(in, node);
            return interp_unknown(in, node);
        case CPP_template_function:
        default:
            return interp_unknown(in, node);
    }
}

const struct val *interp_eval(struct interp *in, TSNode node) {
    if (!exists(node)) return val_free(in->arena, SLICE(""));
    if (++in->steps > INTERP_MAX_STEPS || in->arena->total > INTERP_MAX_MEMORY) in->exhausted = true;
    if (in->depth >= INTERP_MAX_DEPTH) in->too_deep = true;
    if (in->exhausted || in->depth >= INTERP_MAX_DEPTH)
        return val_free(in->arena, interp_tidy(in, slice_take(cpp_text(in->tree, node), INTERP_TEXT)));
    in->depth++;
    const struct val *v = eval_kind(in, node);
    in->depth--;
    return v;
}
