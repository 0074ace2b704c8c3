/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/python/py_source.h"

#include <string.h>
#include <tree_sitter/api.h>

#include "cb/interp/cb_source.h"
#include "cb/interp/cpp_tree.h"
#include "cb/python/py_write.h"

enum { MAX_BYTES = 1 << 20, MAX_DEPTH = 80 };

const TSLanguage *tree_sitter_python(void);

static void py_block(struct py *py, TSNode block, unsigned depth);
static void py_statement(struct py *py, TSNode node, unsigned depth);
static void write_named_contexts(struct py *py, TSNode node, unsigned depth);

/* --- functions --- */

static void write_parameters(struct py *py, TSNode list, size_t from) {
    bool first = true;
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(list, i);
        TSNode name = py_parameter_name(p);
        if (ts_node_is_null(name)) continue;
        if (slice_equal(py_text(py, name), SLICE("self")) || slice_equal(py_text(py, name), SLICE("cls"))) continue;
        /* the caller does not see a parameter rebound, but does see its object changed */
        bool changed = false;
        for (size_t k = from; k < py->declared.len; k++) changed |= slice_equal(py->declared.items[k], py_text(py, name));
        strbuf_addz(py->out, first ? "auto" : ", auto");
        strbuf_addz(py->out, changed ? " " : "& ");
        py_name(py, py_text(py, name));
        vec_push(&py->parameters, py_text(py, name));
        TSNode value = py_field(p, "value");
        if (!ts_node_is_null(value)) {
            strbuf_addz(py->out, " = ");
            py_expression(py, value, 0);
        }
        first = false;
    }
}

static void write_function(struct py *py, TSNode node, unsigned depth) {
    size_t outer = py->declared.len, parameters = py->parameters.len;
    py_line(py, node);
    bool nested = py->depth_of_function > 0;
    strbuf_addz(py->out, "auto ");
    py_name(py, py_text(py, py_field(node, "name")));
    strbuf_addz(py->out, nested ? " = [&](" : "(");
    py->depth_of_function++;
    py_declare_names(py, py_field(node, "body"), outer);
    write_parameters(py, py_field(node, "parameters"), outer);
    strbuf_addz(py->out, ") { ");
    for (size_t i = outer; i < py->declared.len; i++) {
        bool parameter = false;
        for (size_t k = parameters; k < py->parameters.len; k++)
            parameter |= slice_equal(py->parameters.items[k], py->declared.items[i]);
        if (parameter) continue;
        strbuf_addz(py->out, "auto ");
        py_name(py, py->declared.items[i]);
        strbuf_addz(py->out, " = py_unset(); ");
    }
    py_block(py, py_field(node, "body"), depth + 1);
    strbuf_addz(py->out, nested ? "}; " : "} ");
    py->depth_of_function--;
    py->declared.len = outer;
    py->parameters.len = parameters;
}

/* --- statements --- */

/* From here on both the names and the objects they stand for are unknown. */
static void forget_names(struct py *py, TSNode node, unsigned depth) {
    if (depth > MAX_DEPTH) return;
    if (py_is(node, "identifier") && py_is_known(py, py_text(py, node))) {
        strbuf_addz(py->out, "py_forget(py_value(");
        py_name(py, py_text(py, node));
        strbuf_addz(py->out, ")); ");
    }
    if (py_is(node, "identifier") && py_is_declared(py, py_text(py, node))) {
        py_name(py, py_text(py, node));
        strbuf_addz(py->out, " = py_unknown(); ");
    }
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) forget_names(py, ts_node_named_child(node, i), depth + 1);
}

static bool is_slice(TSNode target) {
    TSNode key = py_field(target, "subscript");
    return py_is(target, "subscript") && (py_is(key, "slice") || py_is(key, "unary_operator") || ts_node_is_null(key));
}

/* C++ has no assignment to such targets. */
static bool is_odd_target(TSNode target) { return py_is_pattern(target) || is_slice(target); }

static void forget_target(struct py *py, TSNode target, unsigned depth) {
    if (is_slice(target)) { /* list[a:b] = ... */
        py_expression(py, py_field(target, "value"), depth);
        strbuf_addz(py->out, ".assign(); ");
    } else {
        forget_names(py, target, depth);
    }
}

static bool has_splat(TSNode pattern) {
    uint32_t n = ts_node_named_child_count(pattern);
    for (uint32_t i = 0; i < n; i++)
        if (py_is(ts_node_named_child(pattern, i), "list_splat_pattern")) return true;
    return false;
}

/* The value of an assignment: an expression, or the variable py_item_N. */
struct py_value {
    TSNode node;
    unsigned item; /* N; 0: the expression */
};

static void write_value(struct py *py, const struct py_value *value, unsigned depth) {
    if (value->item) strbuf_addf(py->out, "py_item_%u", value->item);
    else py_expression(py, value->node, depth);
}

static void assign(struct py *py, TSNode target, const struct py_value *value, unsigned depth) {
    bool several = py_is(target, "pattern_list") || py_is(target, "tuple_pattern") || py_is(target, "list_pattern");
    if (is_slice(target) || (several && has_splat(target))) {
        write_value(py, value, depth);
        strbuf_addz(py->out, "; ");
        forget_target(py, target, depth);
        return;
    }
    uint32_t n = several ? ts_node_named_child_count(target) : 0;
    if (several) strbuf_addz(py->out, "std::tie(");
    else py_expression(py, target, depth);
    for (uint32_t i = 0; i < n; i++) {
        TSNode one = ts_node_named_child(target, i);
        if (i) strbuf_addz(py->out, ", ");
        if (is_odd_target(one)) strbuf_addz(py->out, "py_unknown()");
        else py_expression(py, one, depth + 1);
    }
    strbuf_addz(py->out, several ? ") = " : " = ");
    write_value(py, value, depth);
    strbuf_addz(py->out, "; ");
    for (uint32_t i = 0; i < n; i++)
        if (is_odd_target(ts_node_named_child(target, i))) forget_target(py, ts_node_named_child(target, i), depth + 1);
}

static void write_assignment(struct py *py, TSNode node, unsigned depth) {
    TSNode left = py_field(node, "left"), right = py_field(node, "right");
    if (ts_node_is_null(right)) return; /* only an annotation */
    if (py->depth_of_function == 0) {   /* a name that a module assigns once is a constant */
        if (!py_is(left, "identifier")) return;
        strbuf_addz(py->out, "const auto ");
    }
    if (py_is(right, "assignment")) { /* a = b = 1 */
        write_assignment(py, right, depth + 1);
        right = py_field(right, "left");
    }
    assign(py, left, &(struct py_value){.node = right}, depth);
}

static void write_if(struct py *py, TSNode node, unsigned depth) {
    strbuf_addz(py->out, "if (");
    py_expression(py, py_field(node, "condition"), depth);
    strbuf_addz(py->out, ") { ");
    py_block(py, py_field(node, "consequence"), depth + 1);
    strbuf_addz(py->out, "} ");
    uint32_t n = ts_node_named_child_count(node), open = 0;
    for (uint32_t i = 0; i < n; i++) {
        TSNode other = ts_node_named_child(node, i);
        bool elif = strcmp(ts_node_type(other), "elif_clause") == 0;
        if (!elif && strcmp(ts_node_type(other), "else_clause") != 0) continue;
        strbuf_addz(py->out, "else { ");
        if (!elif) {
            py_block(py, py_field(other, "body"), depth + 1);
            strbuf_addz(py->out, "} ");
            continue;
        }
        strbuf_addz(py->out, "if (");
        py_expression(py, py_field(other, "condition"), depth);
        strbuf_addz(py->out, ") { ");
        py_block(py, py_field(other, "consequence"), depth + 1);
        strbuf_addz(py->out, "} ");
        open++;
    }
    while (open--) strbuf_addz(py->out, "} ");
}

/* for i in range(a, b): computes the bounds once. */
static bool write_range(struct py *py, TSNode left, TSNode right, unsigned depth) {
    if (strcmp(ts_node_type(right), "call") != 0 || strcmp(ts_node_type(left), "identifier") != 0) return false;
    if (!slice_equal(py_text(py, py_field(right, "function")), SLICE("range"))) return false;
    TSNode args = py_field(right, "arguments");
    uint32_t n = ts_node_named_child_count(args);
    if (n < 1 || n > 2) return false;
    struct slice name = py_text(py, left);
    strbuf_addf(py->out, "const auto py_end_%u = ", ++py->loops);
    unsigned id = py->loops;
    py_expression(py, ts_node_named_child(args, n - 1), depth);
    strbuf_addf(py->out, "; auto py_at_%u = ", id);
    if (n == 2) py_expression(py, ts_node_named_child(args, 0), depth);
    else strbuf_addz(py->out, "0");
    strbuf_addf(py->out, "; for (; py_at_%u < py_end_%u; py_at_%u++) { ", id, id, id);
    py_name(py, name);
    strbuf_addf(py->out, " = py_at_%u; ", id);
    return true;
}

void py_loop(struct py *py, TSNode left, TSNode right, unsigned depth) {
    if (write_range(py, left, right, depth)) return;
    strbuf_addf(py->out, "for (auto& py_item_%u : ", ++py->loops);
    unsigned id = py->loops;
    py_expression(py, right, depth);
    strbuf_addz(py->out, ") { ");
    assign(py, left, &(struct py_value){.item = id}, depth);
}

static bool has_break(TSNode node, unsigned depth) {
    if (depth > MAX_DEPTH || py_is(node, "break_statement")) return true;
    bool inner = py_is(node, "for_statement") || py_is(node, "while_statement") || py_is(node, "function_definition");
    uint32_t n = inner ? 0 : ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        if (has_break(ts_node_named_child(node, i), depth + 1)) return true;
    return false;
}

/* The else of a loop runs if there was no break. */
static void write_loop_else(struct py *py, TSNode loop, unsigned depth) {
    TSNode other = py_field(loop, "alternative");
    if (ts_node_is_null(other)) return;
    strbuf_addz(py->out, has_break(py_field(loop, "body"), 0) ? "if (py_unknown()) { " : "{ ");
    py_block(py, py_field(other, "body"), depth + 1);
    strbuf_addz(py->out, "} ");
}

static void write_for(struct py *py, TSNode node, unsigned depth) {
    strbuf_addz(py->out, "{ ");
    py_loop(py, py_field(node, "left"), py_field(node, "right"), depth);
    py_block(py, py_field(node, "body"), depth + 1);
    strbuf_addz(py->out, "} } ");
    write_loop_else(py, node, depth);
}

/* Each part of a try runs under its own condition, because nobody knows how much of it runs. */
static void write_try(struct py *py, TSNode node, unsigned depth) {
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) {
        TSNode part = ts_node_named_child(node, i);
        TSNode body = strcmp(ts_node_type(part), "block") == 0 ? part : py_field(part, "body");
        for (uint32_t k = 0; ts_node_is_null(body) && k < ts_node_named_child_count(part); k++)
            if (strcmp(ts_node_type(ts_node_named_child(part, k)), "block") == 0) body = ts_node_named_child(part, k);
        if (ts_node_is_null(body)) continue;
        strbuf_addz(py->out, "try { ");
        write_named_contexts(py, part, depth);
        py_block(py, body, depth + 1);
        strbuf_addz(py->out, "} catch (...) { } ");
    }
}

static void write_return(struct py *py, TSNode node, unsigned depth) {
    strbuf_addz(py->out, "return ");
    if (ts_node_named_child_count(node)) py_expression(py, ts_node_named_child(node, 0), depth);
    strbuf_addz(py->out, "; ");
}

static void write_expression(struct py *py, TSNode node, unsigned depth) {
    TSNode inner = ts_node_named_child(node, 0);
    const char *kind = ts_node_is_null(inner) ? "" : ts_node_type(inner);
    if (strcmp(kind, "assignment") == 0) {
        write_assignment(py, inner, depth);
    } else if (strcmp(kind, "augmented_assignment") == 0) {
        if (py->depth_of_function == 0) return;
        struct slice op = py_text(py, py_field(inner, "operator"));
        if (is_odd_target(py_field(inner, "left"))) {
            forget_target(py, py_field(inner, "left"), depth);
            return;
        }
        py_expression(py, py_field(inner, "left"), depth);
        if (slice_equal(op, SLICE("//="))) op = SLICE("/=");
        else if (slice_equal(op, SLICE("/=")) || slice_equal(op, SLICE("**="))) op = SLICE("= py_unknown() +");
        strbuf_addc(py->out, ' ');
        strbuf_add(py->out, op);
        strbuf_addc(py->out, ' ');
        py_expression(py, py_field(inner, "right"), depth);
        strbuf_addz(py->out, "; ");
    } else if (*kind && strcmp(kind, "string") != 0) {
        if (py->depth_of_function == 0) return;
        py_expression(py, inner, depth);
        strbuf_addz(py->out, "; ");
    }
}

static void write_inner(struct py *py, TSNode node, unsigned depth) { py_block(py, py_field(node, "body"), depth); }

/* The value that `as` names is unknown; the expression before it is evaluated. */
static void write_named_contexts(struct py *py, TSNode node, unsigned depth) {
    if (depth > MAX_DEPTH || py_is(node, "block")) return;
    if (py_is(node, "with_item")) {
        TSNode value = py_field(node, "value");
        py_expression(py, py_is(value, "as_pattern") ? ts_node_named_child(value, 0) : value, depth);
        strbuf_addz(py->out, "; ");
    }
    if (py_is(node, "as_pattern_target")) forget_names(py, node, depth);
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) write_named_contexts(py, ts_node_named_child(node, i), depth + 1);
}

static void write_with(struct py *py, TSNode node, unsigned depth) {
    write_named_contexts(py, node, depth);
    write_inner(py, node, depth);
}

static void write_while(struct py *py, TSNode node, unsigned depth) {
    strbuf_addz(py->out, "while (");
    py_expression(py, py_field(node, "condition"), depth);
    strbuf_addz(py->out, ") { ");
    py_block(py, py_field(node, "body"), depth + 1);
    strbuf_addz(py->out, "} ");
    write_loop_else(py, node, depth);
}

/* Decorators that do not change what the function does. */
static bool is_plain_decorator(struct slice name) {
    static const char *const names[] = {"staticmethod", "classmethod",     "property", "abstractmethod", "cache",
                                        "lru_cache",    "cached_property", "wraps",    "no_grad",        "inference_mode",
                                        "override",     "dataclass",       "setter",   "overload"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equal(name, slice_from(names[i]))) return true;
    return slice_starts(name, SLICE("skip_")) || slice_starts(name, SLICE("run_for")) ||
           slice_starts(name, SLICE("parametrize")) || slice_starts(name, SLICE("fixture"));
}

/* Any other decorator can replace the function, so the result of calling it is unknown. */
static bool is_replaced(const struct py *py, TSNode node) {
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) {
        TSNode part = ts_node_named_child(node, i), name = ts_node_named_child(part, 0);
        if (!py_is(part, "decorator") || ts_node_is_null(name)) continue;
        if (py_is(name, "call")) name = py_field(name, "function");
        if (slice_starts(py_text(py, name), SLICE("pytest."))) continue;
        if (py_is(name, "attribute")) name = py_field(name, "attribute");
        if (!is_plain_decorator(py_text(py, name))) return true;
    }
    return false;
}

static void write_decorated(struct py *py, TSNode node, unsigned depth) {
    TSNode inner = py_field(node, "definition");
    if (is_replaced(py, node))
        strbuf_addf(py->out, "auto %.*s(...) { return py_unknown(); } ", (int)py_text(py, py_field(inner, "name")).len,
                    py_text(py, py_field(inner, "name")).ptr);
    if (!ts_node_is_null(inner)) py_statement(py, inner, depth);
}

static void write_raise(struct py *py, TSNode node, unsigned depth) {
    (void)node, (void)depth;
    strbuf_addz(py->out, "throw 1; ");
}
static void write_break(struct py *py, TSNode node, unsigned depth) {
    (void)node, (void)depth;
    strbuf_addz(py->out, "break; ");
}
static void write_continue(struct py *py, TSNode node, unsigned depth) {
    (void)node, (void)depth;
    strbuf_addz(py->out, "continue; ");
}

/* A statement that is not understood: the names in it become unknown, and buffers made in it are counted as unread. */
static void write_unknown(struct py *py, TSNode node, unsigned depth) {
    static const char *const harmless[] = {"pass_statement",          "import_statement", "import_from_statement",
                                           "assert_statement",        "global_statement", "nonlocal_statement",
                                           "future_import_statement", "comment"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strcmp(ts_node_type(node), harmless[i]) == 0) return;
    py_line(py, node);
    if (py_makes_buffer(py, node)) strbuf_addz(py->out, "py_unread(); ");
    forget_names(py, node, depth);
}

static const struct {
    const char *kind;
    void (*write)(struct py *py, TSNode node, unsigned depth);
    bool in_module; /* allowed outside functions too */
} statements[] = {
    {"expression_statement", write_expression, true},
    {"function_definition", write_function, true},
    {"decorated_definition", write_decorated, true},
    {"class_definition", write_inner, true},
    {"if_statement", write_if, false},
    {"for_statement", write_for, false},
    {"while_statement", write_while, false},
    {"with_statement", write_with, false},
    {"try_statement", write_try, false},
    {"return_statement", write_return, false},
    {"raise_statement", write_raise, false},
    {"break_statement", write_break, false},
    {"continue_statement", write_continue, false},
};

static void py_statement(struct py *py, TSNode node, unsigned depth) {
    if (depth > MAX_DEPTH) {
        py->too_deep = true;
        return;
    }
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (strcmp(ts_node_type(node), statements[i].kind) != 0) continue;
        if (!statements[i].in_module && py->depth_of_function == 0) return;
        py_line(py, node);
        statements[i].write(py, node, depth);
        return;
    }
    if (py->depth_of_function > 0) write_unknown(py, node, depth);
}

static void py_block(struct py *py, TSNode block, unsigned depth) {
    uint32_t n = ts_node_is_null(block) ? 0 : ts_node_named_child_count(block);
    for (uint32_t i = 0; i < n; i++) py_statement(py, ts_node_named_child(block, i), depth);
}

bool py_source_to_cpp(struct slice text, struct strbuf *out, bool *errors) {
    *errors = false;
    if (text.len > MAX_BYTES || memchr(text.ptr, '\0', text.len)) return false;
    cpp_tree_prepare();
    TSParser *parser = ts_parser_new();
    struct py py = {.text = text, .out = out, .line = 1};
    bool parsed = false;
    if (ts_parser_set_language(parser, tree_sitter_python())) {
        ts_parser_set_timeout_micros(parser, 4000000);
        TSTree *tree = ts_parser_parse_string(parser, NULL, text.ptr, (uint32_t)text.len);
        if (tree) {
            TSNode root = ts_tree_root_node(tree);
            *errors = ts_node_has_error(root);
            py_collect(&py, root);
            for (size_t i = 0; i < py.unsteady.len; i++) {
                strbuf_addz(out, "const auto ");
                py_name(&py, py.unsteady.items[i]);
                strbuf_addz(out, " = py_unknown(); ");
            }
            py_block(&py, root, 0);
            strbuf_addc(out, '\n');
            parsed = !py.too_deep;
            ts_tree_delete(tree);
        }
    }
    ts_parser_delete(parser);
    vec_release(&py.declared);
    vec_release(&py.parameters);
    vec_release(&py.shared);
    vec_release(&py.functions);
    vec_release(&py.aliases);
    vec_release(&py.unsteady);
    return parsed;
}
