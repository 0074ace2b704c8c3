/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/interp/py_source.h"

#include <string.h>
#include <tree_sitter/api.h>

#include "cb/interp/cb_source.h"
#include "cb/interp/cpp_tree.h"
#include "cb/interp/py_write.h"

enum { MAX_BYTES = 1 << 20, MAX_DEPTH = 80 };

const TSLanguage *tree_sitter_python(void);

static void py_block(struct py *py, TSNode block, unsigned depth);
static void py_statement(struct py *py, TSNode node, unsigned depth);

/* --- names --- */

static bool is_assigned_elsewhere(const struct py *py, struct slice name) {
    for (size_t i = 0; i < py->declared.len; i++)
        if (slice_equal(py->declared.items[i], name)) return true;
    return false;
}

/* Python's variables belong to the function: they are declared where it begins. */
static void collect_names(struct py *py, TSNode node, unsigned depth) {
    if (depth > MAX_DEPTH) return;
    const char *kind = ts_node_type(node);
    if (strcmp(kind, "function_definition") == 0 || strcmp(kind, "class_definition") == 0 || strcmp(kind, "lambda") == 0)
        return;
    TSNode target = {0};
    if (strcmp(kind, "assignment") == 0 || strcmp(kind, "for_statement") == 0) target = py_field(node, "left");
    if (strcmp(kind, "named_expression") == 0) target = py_field(node, "name");
    if (!ts_node_is_null(target)) {
        uint32_t n = ts_node_named_child_count(target);
        bool several = strcmp(ts_node_type(target), "pattern_list") == 0 || strcmp(ts_node_type(target), "tuple_pattern") == 0;
        for (uint32_t i = 0; i < (several ? n : 1); i++) {
            TSNode one = several ? ts_node_named_child(target, i) : target;
            struct slice name = py_text(py, one);
            if (strcmp(ts_node_type(one), "identifier") == 0 && !is_assigned_elsewhere(py, name)) vec_push(&py->declared, name);
        }
    }
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) collect_names(py, ts_node_named_child(node, i), depth + 1);
}

/* Functions of the file are followed: what they do to what they are given is seen. */
static void collect_functions(struct py *py, TSNode node, unsigned depth) {
    if (depth > MAX_DEPTH) return;
    if (strcmp(ts_node_type(node), "function_definition") == 0) vec_push(&py->functions, py_text(py, py_field(node, "name")));
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) collect_functions(py, ts_node_named_child(node, i), depth + 1);
}

static void note_unsteady(struct py *py, TSNode node) {
    if (strcmp(ts_node_type(node), "identifier") == 0) vec_push(&py->unsteady, py_text(py, node));
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) note_unsteady(py, ts_node_named_child(node, i));
}

/* Names of the module that a function changes (`global`), or that are given a value in a branch, a loop or in place. */
static void collect_unsteady(struct py *py, TSNode node, bool nested, bool function, unsigned depth) {
    if (depth > MAX_DEPTH) return;
    const char *kind = ts_node_type(node);
    if (strcmp(kind, "global_statement") == 0) note_unsteady(py, node);
    bool assigns = strcmp(kind, "assignment") == 0 || strcmp(kind, "for_statement") == 0;
    bool in_place = strcmp(kind, "augmented_assignment") == 0;
    if (!function && ((assigns && nested) || in_place)) note_unsteady(py, py_field(node, "left"));
    function |= strcmp(kind, "function_definition") == 0 || strcmp(kind, "lambda") == 0;
    nested |= strcmp(kind, "block") == 0 || strcmp(kind, "for_statement") == 0;
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) collect_unsteady(py, ts_node_named_child(node, i), nested, function, depth + 1);
}

static void write_parameters(struct py *py, TSNode list, size_t from) {
    bool first = true;
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(list, i);
        const char *kind = ts_node_type(p);
        TSNode name = strcmp(kind, "identifier") == 0 ? p : py_field(p, "name");
        if (strcmp(kind, "typed_parameter") == 0) name = ts_node_named_child(p, 0);
        if (ts_node_is_null(name) || strcmp(ts_node_type(name), "identifier") != 0) continue;
        if (slice_equal(py_text(py, name), SLICE("self")) || slice_equal(py_text(py, name), SLICE("cls"))) continue;
        /* another value for a parameter is not seen by the caller, a change of what it is given is */
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
    collect_names(py, py_field(node, "body"), 0);
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

static void forget_names(struct py *py, TSNode node, unsigned depth) {
    if (depth > MAX_DEPTH) return;
    if (strcmp(ts_node_type(node), "identifier") == 0 && is_assigned_elsewhere(py, py_text(py, node))) {
        py_name(py, py_text(py, node));
        strbuf_addz(py->out, " = py_unknown(); ");
    }
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) forget_names(py, ts_node_named_child(node, i), depth + 1);
}

static void write_target(struct py *py, TSNode target, unsigned depth) {
    const char *kind = ts_node_type(target);
    if (strcmp(kind, "pattern_list") != 0 && strcmp(kind, "tuple_pattern") != 0) {
        py_expression(py, target, depth);
        return;
    }
    strbuf_addz(py->out, "std::tie(");
    uint32_t n = ts_node_named_child_count(target);
    for (uint32_t i = 0; i < n; i++) {
        if (i) strbuf_addz(py->out, ", ");
        py_expression(py, ts_node_named_child(target, i), depth + 1);
    }
    strbuf_addc(py->out, ')');
}

static void write_assignment(struct py *py, TSNode node, unsigned depth) {
    TSNode left = py_field(node, "left"), right = py_field(node, "right");
    if (ts_node_is_null(right)) return; /* an annotation */
    if (py->depth_of_function == 0) {   /* what a module gives a name once is a constant */
        if (strcmp(ts_node_type(left), "identifier") != 0) return;
        strbuf_addz(py->out, "const auto ");
    }
    if (strcmp(ts_node_type(right), "assignment") == 0) { /* a = b = 1 */
        write_assignment(py, right, depth + 1);
        right = py_field(right, "left");
    }
    write_target(py, left, depth);
    strbuf_addz(py->out, " = ");
    py_expression(py, right, depth);
    strbuf_addz(py->out, "; ");
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

/* for i in range(a, b): the bounds are computed once. */
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
    write_target(py, left, depth);
    strbuf_addf(py->out, " = py_item_%u; ", id);
}

static void write_for(struct py *py, TSNode node, unsigned depth) {
    strbuf_addz(py->out, "{ ");
    py_loop(py, py_field(node, "left"), py_field(node, "right"), depth);
    py_block(py, py_field(node, "body"), depth + 1);
    strbuf_addz(py->out, "} } ");
    TSNode other = py_field(node, "alternative");
    if (!ts_node_is_null(other)) {
        strbuf_addz(py->out, "if (py_unknown()) { ");
        py_block(py, py_field(other, "body"), depth + 1);
        strbuf_addz(py->out, "} ");
    }
}

/* Everything of it, each part under a condition of its own: how much runs is not known. */
static void write_try(struct py *py, TSNode node, unsigned depth) {
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) {
        TSNode part = ts_node_named_child(node, i);
        TSNode body = strcmp(ts_node_type(part), "block") == 0 ? part : py_field(part, "body");
        for (uint32_t k = 0; ts_node_is_null(body) && k < ts_node_named_child_count(part); k++)
            if (strcmp(ts_node_type(ts_node_named_child(part, k)), "block") == 0) body = ts_node_named_child(part, k);
        if (ts_node_is_null(body)) continue;
        strbuf_addz(py->out, "try { ");
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

static void write_while(struct py *py, TSNode node, unsigned depth) {
    strbuf_addz(py->out, "while (");
    py_expression(py, py_field(node, "condition"), depth);
    strbuf_addz(py->out, ") { ");
    py_block(py, py_field(node, "body"), depth + 1);
    strbuf_addz(py->out, "} ");
}

/* A decorator of the file can put anything in the place of the function: what a call of it gives is not known. */
static bool is_replaced(const struct py *py, TSNode node) {
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) {
        TSNode part = ts_node_named_child(node, i), name = ts_node_named_child(part, 0);
        if (strcmp(ts_node_type(part), "decorator") != 0 || ts_node_is_null(name)) continue;
        if (strcmp(ts_node_type(name), "call") == 0) name = py_field(name, "function");
        for (size_t k = 0; k < py->functions.len; k++)
            if (slice_equal(py->functions.items[k], py_text(py, name))) return true;
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

/* A statement that is not understood: what it names is not known afterwards, and buffers in it are counted. */
static void write_unknown(struct py *py, TSNode node, unsigned depth) {
    static const char *const harmless[] = {"pass_statement",          "import_statement", "import_from_statement",
                                           "assert_statement",        "global_statement", "nonlocal_statement",
                                           "future_import_statement", "comment"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strcmp(ts_node_type(node), harmless[i]) == 0) return;
    py_line(py, node);
    if (cb_source_is_candidate(py_text(py, node))) strbuf_addz(py->out, "py_unread.cbs.push_back(py_unknown()); ");
    forget_names(py, node, depth);
}

static const struct {
    const char *kind;
    void (*write)(struct py *py, TSNode node, unsigned depth);
    bool in_module; /* also outside of functions */
} statements[] = {
    {"expression_statement", write_expression, true},
    {"function_definition", write_function, true},
    {"decorated_definition", write_decorated, true},
    {"class_definition", write_inner, true},
    {"if_statement", write_if, false},
    {"for_statement", write_for, false},
    {"while_statement", write_while, false},
    {"with_statement", write_inner, false},
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
            collect_functions(&py, root, 0);
            collect_unsteady(&py, root, false, false, 0);
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
    vec_release(&py.functions);
    vec_release(&py.unsteady);
    return parsed;
}
