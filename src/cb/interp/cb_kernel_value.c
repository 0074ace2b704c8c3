/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates names and expressions of a kernel. */
#include <stdio.h>
#include <string.h>

#include "cb/interp/cb_index.h"
#include "cb/interp/cb_kernel_read.h"
#include "cb/interp/cb_source.h"

enum {
    MAX_NAMES = 4096,
    MAX_ARGS = 4096,
    MAX_EXPRESSIONS = 1 << 16,
    MAX_LOOKED_BACK = 256,
    MAX_NESTED = 16,
    MAX_WORK = 4000000
};

struct slice kernel_plain_name(const struct kernel_reader *r, TSNode node) {
    for (unsigned i = 0; i < 16; i++) {
        enum cpp_kind kind = cpp_kind(node);
        if (kind == CPP_identifier || kind == CPP_field_identifier || kind == CPP_type_identifier)
            return cpp_text(r->tree, node);
        if (kind == CPP_qualified_identifier || kind == CPP_template_function || kind == CPP_template_type)
            node = cpp_field(node, CPP_FIELD_name);
        else if (kind == CPP_field_expression) node = cpp_field(node, CPP_FIELD_field);
        else if (kind == CPP_reference_declarator || kind == CPP_pointer_declarator || kind == CPP_type_descriptor)
            node = cpp_first(node);
        else break;
    }
    return SLICE("");
}

/* --- expressions --- */

static bool calculate(char op, int64_t a, int64_t b, int64_t *out) {
    bool shifts = b < 31 && a < INT32_MAX;
    switch (op) {
        /* clang-format off */
        case '+': *out = a + b; break;
        case '-': *out = a - b; break;
        case '*': *out = a < INT32_MAX && b < INT32_MAX ? a * b : -1; break;
        case '/': *out = b ? a / b : -1; break;
        case '%': *out = b ? a % b : -1; break;
        case '<': *out = a < b; break;
        case '>': *out = a > b; break;
        case 'l': *out = a <= b; break;
        case 'g': *out = a >= b; break;
        case '=': *out = a == b; break;
        case '!': *out = a != b; break;
        case '&': *out = a && b; break;
        case '|': *out = a || b; break;
        case 'a': *out = a & b; break;
        case 'o': *out = a | b; break;
        case 'L': *out = shifts ? a << b : -1; break;
        case 'R': *out = shifts ? a >> b : -1; break;
        /* clang-format on */
        default:
            return false;
    }
    return *out >= 0 && *out <= UINT32_MAX;
}

static const struct {
    const char *text;
    char op;
} operators[] = {
    {"+", '+'},  {"-", '-'},  {"*", '*'},  {"/", '/'},  {"%", '%'}, {"<", '<'}, {">", '>'},  {"<=", 'l'}, {">=", 'g'},
    {"==", '='}, {"!=", '!'}, {"&&", '&'}, {"||", '|'}, {"&", 'a'}, {"|", 'o'}, {"<<", 'L'}, {">>", 'R'},
};

/* If one known side decides the result, the other does not matter. */
static bool decided(char op, int64_t a, int64_t b, int64_t *out) {
    if (op == '&' && (a == 0 || b == 0)) return *out = 0, true;
    if (op == '|' && (a > 0 || b > 0)) return *out = 1, true;
    return false;
}

static int64_t binary(struct kernel_facts *f, char op, int64_t a, int64_t b, int64_t c) {
    int64_t out;
    if (op == '?') {
        if (a >= 0) return a ? b : c;
        if (b == c) return b;
        if (a == KERNEL_UNKNOWN) return KERNEL_UNKNOWN;
    } else {
        if (decided(op, a, b, &out)) return out;
        if (a >= 0 && b >= 0) return calculate(op, a, b, &out) ? out : KERNEL_UNKNOWN;
        bool logical = op == '&' || op == '|';
        if (a == KERNEL_UNKNOWN && b == KERNEL_UNKNOWN) return KERNEL_UNKNOWN;
        if (!logical && (a == KERNEL_UNKNOWN || b == KERNEL_UNKNOWN)) return KERNEL_UNKNOWN;
    }
    struct kernel_expression e = {op, a, b, c};
    size_t first = f->expressions.len > MAX_LOOKED_BACK ? f->expressions.len - MAX_LOOKED_BACK : 0;
    for (size_t i = first; i < f->expressions.len; i++) {
        const struct kernel_expression *k = &f->expressions.items[i];
        if (k->op == e.op && k->a == a && k->b == b && k->c == c) return KERNEL_EXPR - (int64_t)i;
    }
    if (f->expressions.len >= MAX_EXPRESSIONS) return KERNEL_UNKNOWN;
    vec_push(&f->expressions, e);
    return KERNEL_EXPR - (int64_t)(f->expressions.len - 1);
}

int64_t kernel_not(struct kernel_facts *facts, int64_t value) { return binary(facts, '=', value, 0, 0); }
int64_t kernel_and(struct kernel_facts *facts, int64_t a, int64_t b) {
    return a == 1 ? b : b == 1 ? a : binary(facts, '&', a, b, 0);
}

static int64_t put_in(struct kernel_reader *r, int64_t value, const int64_t *params, unsigned depth) {
    if (value > KERNEL_PARAM) return value;
    if (depth > MAX_NESTED || r->work++ > MAX_WORK) return KERNEL_UNKNOWN;
    if (value <= KERNEL_EXPR) {
        struct kernel_expression e = r->facts->expressions.items[KERNEL_EXPR - value];
        int64_t a = put_in(r, e.a, params, depth + 1), b = put_in(r, e.b, params, depth + 1),
                c = put_in(r, e.c, params, depth + 1);
        return a == e.a && b == e.b && c == e.c ? value : binary(r->facts, e.op, a, b, c);
    }
    if (value > KERNEL_VAR) return params ? params[KERNEL_PARAM - value] : KERNEL_UNKNOWN;
    const struct kernel_var *v = &r->vars.items[KERNEL_VAR - value];
    /* a lambda can use a parameter of the enclosing function, which is not its own */
    return put_in(r, v->value, v->function && v->function != r->emitting ? NULL : params, depth + 1);
}

int64_t kernel_put_in(struct kernel_reader *r, int64_t value, const int64_t *params) { return put_in(r, value, params, 0); }

static int64_t named_arg(const struct kernel_args *args, const char *name) {
    for (uint32_t i = 0; i < args->n_named; i++)
        if (slice_equal(args->named[i].name, slice_from(name))) return args->named[i].value;
    return KERNEL_UNKNOWN;
}

static int64_t settle(const struct kernel_facts *f, int64_t value, const struct kernel_args *args,
                      const struct kernel_name **name, unsigned depth) {
    *name = NULL;
    if (value >= 0 || value == KERNEL_UNKNOWN || depth > MAX_NESTED) return value >= 0 ? value : KERNEL_UNKNOWN;
    if (value <= KERNEL_EXPR) {
        const struct kernel_expression *e = &f->expressions.items[KERNEL_EXPR - value];
        const struct kernel_name *none;
        int64_t a = settle(f, e->a, args, &none, depth + 1), out;
        if (e->op == '?' && a < 0) return KERNEL_UNKNOWN;
        if (e->op == '?') return settle(f, a ? e->b : e->c, args, name, depth + 1);
        int64_t b = settle(f, e->b, args, &none, depth + 1);
        if (decided(e->op, a, b, &out)) return out;
        return a >= 0 && b >= 0 && calculate(e->op, a, b, &out) ? out : KERNEL_UNKNOWN;
    }
    if (value <= KERNEL_PARAM) return KERNEL_UNKNOWN;
    if (value <= KERNEL_NAMED) {
        const struct kernel_name *which = &f->names.items[KERNEL_NAMED - value];
        if (which->text[0] == '@') return named_arg(args, which->text + 1);
        *name = which;
        return KERNEL_UNKNOWN;
    }
    int64_t at = KERNEL_ARG - value;
    return at < args->n && args->values[at] >= 0 ? args->values[at] : KERNEL_UNKNOWN;
}

int64_t kernel_settle(const struct kernel_facts *facts, int64_t value, const struct kernel_args *args,
                      const struct kernel_name **name) {
    return settle(facts, value, args, name, 0);
}

/* --- names --- */

static int64_t name_value(struct kernel_reader *r, const char *prefix, struct slice name) {
    struct kernel_facts *f = r->facts;
    struct kernel_name text = {{0}};
    if (!name.len || name.len + 2 >= sizeof text.text) return KERNEL_UNKNOWN;
    snprintf(text.text, sizeof text.text, "%s%.*s", prefix, SLICE_FMT(name));
    for (size_t i = 0; i < f->names.len; i++)
        if (strcmp(f->names.items[i].text, text.text) == 0) return KERNEL_NAMED - (int64_t)i;
    if (f->names.len >= MAX_NAMES) return KERNEL_UNKNOWN;
    vec_push(&f->names, text);
    return KERNEL_NAMED - (int64_t)(f->names.len - 1);
}

/* The index of the variable, or SIZE_MAX. A lambda sees the names around it. */
static size_t find_var(const struct kernel_reader *r, struct slice name) {
    for (uint32_t function = r->current;; function = r->functions.items[function].outer) {
        for (size_t k = r->vars.len; k-- > 0;) {
            const struct kernel_var *v = &r->vars.items[k];
            if (v->function == function && (!function || r->at < v->end) && slice_equal(v->name, name)) return k;
        }
        if (!function) return SIZE_MAX;
    }
}

int64_t kernel_lookup(const struct kernel_reader *r, struct slice name) {
    size_t k = find_var(r, name);
    if (k != SIZE_MAX) return KERNEL_VAR - (int64_t)k;
    int64_t value;
    return cb_index_by_name(name, &value) ? value : KERNEL_UNKNOWN;
}

void kernel_learn(struct kernel_reader *r, struct slice name, int64_t value) {
    if (!name.len) return;
    uint32_t end = r->current && r->block_ends.len ? vec_last(&r->block_ends) : UINT32_MAX;
    for (size_t i = r->vars.len; i-- > 0;) {
        struct kernel_var *known = &r->vars.items[i];
        if (known->function != r->current || known->end != end || !slice_equal(known->name, name)) continue;
        if (known->value != value) known->value = KERNEL_UNKNOWN; /* #if and #else: which of them holds is unknown */
        return;
    }
    if (r->vars.len < KERNEL_MAX_VARS) vec_push(&r->vars, ((struct kernel_var){name, value, r->current, end}));
}

void kernel_change(struct kernel_reader *r, struct slice name, int64_t value) {
    size_t k = name.len ? find_var(r, name) : SIZE_MAX;
    if (k != SIZE_MAX && r->vars.items[k].value != value) r->vars.items[k].value = KERNEL_UNKNOWN;
}

/* --- values --- */

/* Limits the depth of expressions, because operands are read recursively. */
static int64_t operand(struct kernel_reader *r, TSNode node) {
    if (r->nested >= MAX_NESTED) return KERNEL_UNKNOWN;
    r->nested++;
    int64_t value = kernel_value_of(r, node);
    r->nested--;
    return value;
}

/* get_compile_time_arg_val(3), get_named_compile_time_arg_val("cb"), get_arg(args::cb), static_cast<...>(x) */
static int64_t value_of_call(struct kernel_reader *r, TSNode node) {
    static const char *const transparent[] = {"static_cast",    "uint32_t", "CircularBuffer",
                                              "DataflowBuffer", "uint8_t",  "to_underlying"};
    struct slice name = kernel_plain_name(r, cpp_field(node, CPP_FIELD_function));
    TSNode arg = cpp_first(cpp_field(node, CPP_FIELD_arguments));
    if (ts_node_is_null(arg)) return KERNEL_UNKNOWN;
    if (slice_equal(name, SLICE("get_compile_time_arg_val"))) {
        int64_t at = kernel_put_in(r, operand(r, arg), NULL);
        return at >= 0 && at < MAX_ARGS ? KERNEL_ARG - at : KERNEL_UNKNOWN;
    }
    if (slice_equal(name, SLICE("get_named_compile_time_arg_val"))) {
        struct slice text = slice_trim(cpp_text(r->tree, arg));
        if (text.len < 3 || text.ptr[0] != '"') return KERNEL_UNKNOWN;
        return name_value(r, "@", slice_of(text.ptr + 1, text.len - 2));
    }
    if (slice_equal(name, SLICE("get_arg")) && cpp_kind(arg) == CPP_qualified_identifier)
        return name_value(r, "@", kernel_plain_name(r, arg));
    for (size_t i = 0; i < sizeof transparent / sizeof *transparent; i++)
        if (slice_equal(name, slice_from(transparent[i]))) return operand(r, arg);
    return KERNEL_UNKNOWN;
}

int64_t kernel_number(struct slice text) {
    uint64_t n = 0;
    bool hex = text.len > 2 && text.ptr[0] == '0' && (text.ptr[1] | 32) == 'x';
    if (!text.len || text.ptr[0] < '0' || text.ptr[0] > '9') return KERNEL_UNKNOWN;
    size_t k = hex ? 2 : 0;
    if (!hex && text.len > 1 && text.ptr[0] == '0' && text.ptr[1] >= '0' && text.ptr[1] <= '9')
        return KERNEL_UNKNOWN; /* octal */
    for (; k < text.len; k++) {
        char c = text.ptr[k], low = (char)(c | 32);
        unsigned digit = c >= '0' && c <= '9'              ? (unsigned)(c - '0')
                         : hex && low >= 'a' && low <= 'f' ? (unsigned)(low - 'a') + 10
                                                           : 99;
        if (c == '\'') continue;
        if (digit == 99) break;
        n = n * (hex ? 16 : 10) + digit;
        if (n > UINT32_MAX) return KERNEL_UNKNOWN;
    }
    for (; k < text.len; k++)
        if (!strchr("uUlLzZ", text.ptr[k])) return KERNEL_UNKNOWN; /* 0b1, 1.5 */
    return (int64_t)n;
}

static int64_t value_of_operator(struct kernel_reader *r, TSNode node) {
    struct slice text = cpp_text(r->tree, cpp_field(node, CPP_FIELD_operator));
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (slice_equal(text, slice_from(operators[i].text))) {
            int64_t a = operand(r, cpp_field(node, CPP_FIELD_left));
            return binary(r->facts, operators[i].op, a, operand(r, cpp_field(node, CPP_FIELD_right)), 0);
        }
    return KERNEL_UNKNOWN;
}

static int64_t value_of_qualified(struct kernel_reader *r, TSNode node) {
    struct slice scope = cpp_text(r->tree, cpp_field(node, CPP_FIELD_scope)), name = kernel_plain_name(r, node);
    if (slice_equal(scope, SLICE("dfb"))) return name_value(r, "", name);
    if (slice_equal(scope, SLICE("args"))) return name_value(r, "@", name);
    return kernel_lookup(r, name);
}

int64_t kernel_value_of(struct kernel_reader *r, TSNode node) {
    for (unsigned i = 0; i < 16; i++) {
        switch (cpp_kind(node)) {
            case CPP_parenthesized_expression:
            case CPP_condition_clause:
            case CPP_argument_list:
            case CPP_type_descriptor:
                node = cpp_first(node);
                continue;
            case CPP_initializer_list:
                if (ts_node_named_child_count(node) != 1) return KERNEL_UNKNOWN;
                node = cpp_first(node);
                continue;
            case CPP_compound_literal_expression:
            case CPP_cast_expression:
                node = cpp_field(node, CPP_FIELD_value);
                continue;
            case CPP_number_literal:
                return kernel_number(cpp_text(r->tree, node));
            case CPP_true:
                return 1;
            case CPP_false:
                return 0;
            case CPP_identifier:
            case CPP_type_identifier:
                return kernel_lookup(r, cpp_text(r->tree, node));
            case CPP_qualified_identifier:
                return value_of_qualified(r, node);
            case CPP_binary_expression:
                return value_of_operator(r, node);
            case CPP_unary_expression:
                if (!slice_equal(cpp_text(r->tree, cpp_field(node, CPP_FIELD_operator)), SLICE("!"))) return KERNEL_UNKNOWN;
                return kernel_not(r->facts, operand(r, cpp_field(node, CPP_FIELD_argument)));
            case CPP_conditional_expression: {
                int64_t condition = operand(r, cpp_field(node, CPP_FIELD_condition)),
                        yes = operand(r, cpp_field(node, CPP_FIELD_consequence));
                return binary(r->facts, '?', condition, yes, operand(r, cpp_field(node, CPP_FIELD_alternative)));
            }
            case CPP_call_expression: {
                TSNode callee = cpp_field(node, CPP_FIELD_function);
                if (cpp_kind(callee) != CPP_field_expression) return value_of_call(r, node);
                /* buf.get_id() is the buffer */
                struct slice method = kernel_plain_name(r, callee);
                if (!slice_equal(method, SLICE("get_cb_id")) && !slice_equal(method, SLICE("get_id"))) return KERNEL_UNKNOWN;
                node = cpp_field(callee, CPP_FIELD_argument);
                continue;
            }
            default:
                return KERNEL_UNKNOWN;
        }
    }
    return KERNEL_UNKNOWN;
}
