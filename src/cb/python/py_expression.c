/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Python expressions as C++. */
#include <string.h>

#include "cb/python/py_write.h"

enum { MAX_DEPTH = 80, MAX_TEXT = 4096 };

TSNode py_field(TSNode node, const char *name) {
    if (ts_node_is_null(node)) return node;
    return ts_node_child_by_field_name(node, name, (uint32_t)strlen(name));
}

struct slice py_text(const struct py *py, TSNode node) {
    if (ts_node_is_null(node)) return SLICE("");
    uint32_t from = ts_node_start_byte(node), to = ts_node_end_byte(node);
    return slice_of(py->text.ptr + from, to - from);
}

void py_name(struct py *py, struct slice name) {
    static const char *const taken[] = {"new",    "delete",   "int",      "float", "bool",      "char",    "double",
                                        "this",   "default",  "switch",   "case",  "const",     "static",  "struct",
                                        "union",  "private",  "template", "auto",  "register",  "long",    "short",
                                        "signed", "unsigned", "operator", "using", "namespace", "typename"};
    strbuf_add(py->out, name);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (slice_equal(name, slice_from(taken[i]))) strbuf_addc(py->out, '_');
}

void py_line(struct py *py, TSNode node) {
    uint32_t line = ts_node_start_point(node).row + 1;
    for (; py->line < line; py->line++) strbuf_addc(py->out, '\n');
}

static bool has_call(TSNode node, unsigned depth) {
    if (depth > MAX_DEPTH || py_is(node, "call") || py_is(node, "await")) return true;
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        if (has_call(ts_node_named_child(node, i), depth + 1)) return true;
    return false;
}

static void write_mentioned(struct py *py, TSNode node, uint32_t *written, unsigned depth) {
    if (depth > MAX_DEPTH || *written >= 64) return;
    if (py_is(node, "identifier") && py_is_known(py, py_text(py, node))) {
        strbuf_addz(py->out, (*written)++ ? ", py_value(" : "py_value(");
        py_name(py, py_text(py, node));
        strbuf_addc(py->out, ')');
    }
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) write_mentioned(py, ts_node_named_child(node, i), written, depth + 1);
}

void py_unknown(struct py *py, TSNode node) {
    uint32_t written = 0;
    bool makes = py_makes_buffer(py, node);
    if (makes) py_line(py, node);
    strbuf_addz(py->out, makes ? "py_unread(" : "py_unknown(");
    if (!ts_node_is_null(node) && has_call(node, 0)) write_mentioned(py, node, &written, 0);
    strbuf_addc(py->out, ')');
}

void py_list_items(struct py *py, TSNode list, unsigned depth) {
    uint32_t n = ts_node_named_child_count(list), written = 0;
    for (uint32_t i = 0; i < n; i++) {
        TSNode item = ts_node_named_child(list, i);
        if (strcmp(ts_node_type(item), "comment") == 0) continue;
        if (written++) strbuf_addz(py->out, ", ");
        py_expression(py, item, depth + 1);
    }
}

/* --- operators --- */

static void write_binary(struct py *py, TSNode node, unsigned depth) {
    struct slice op = py_text(py, py_field(node, "operator"));
    static const char *const same[] = {"+", "-", "*", "%", "<<", ">>", "&", "|", "^"};
    bool known = slice_equal(op, SLICE("//"));
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) known |= slice_equal(op, slice_from(same[i]));
    if (!known) {
        py_unknown(py, node); /* true division, powers, matrices */
        return;
    }
    strbuf_addc(py->out, '(');
    py_expression(py, py_field(node, "left"), depth + 1);
    strbuf_addc(py->out, ' ');
    strbuf_add(py->out, slice_equal(op, SLICE("//")) ? SLICE("/") : op);
    strbuf_addc(py->out, ' ');
    py_expression(py, py_field(node, "right"), depth + 1);
    strbuf_addc(py->out, ')');
}

static void write_boolean(struct py *py, TSNode node, unsigned depth) {
    bool and = slice_equal(py_text(py, py_field(node, "operator")), SLICE("and"));
    strbuf_addc(py->out, '(');
    py_expression(py, py_field(node, "left"), depth + 1);
    strbuf_addz(py->out, and? " && " : " || ");
    py_expression(py, py_field(node, "right"), depth + 1);
    strbuf_addc(py->out, ')');
}

static void write_comparison(struct py *py, TSNode node, unsigned depth) {
    if (ts_node_named_child_count(node) != 2) {
        py_unknown(py, node); /* a < b < c */
        return;
    }
    TSNode left = ts_node_named_child(node, 0), right = ts_node_named_child(node, 1);
    uint32_t from = ts_node_end_byte(left), to = ts_node_start_byte(right);
    struct slice op = slice_trim(slice_of(py->text.ptr + from, to - from));
    if (slice_equal(op, SLICE("is"))) op = SLICE("==");
    else if (slice_starts(op, SLICE("is"))) op = SLICE("!=");
    if (op.len > 2 || slice_equal(op, SLICE("in")) || memchr(op.ptr, '\n', op.len)) {
        py_unknown(py, node);
        return;
    }
    strbuf_addc(py->out, '(');
    py_expression(py, left, depth + 1);
    strbuf_addc(py->out, ' ');
    strbuf_add(py->out, op);
    strbuf_addc(py->out, ' ');
    py_expression(py, right, depth + 1);
    strbuf_addc(py->out, ')');
}

static void write_unary(struct py *py, TSNode node, unsigned depth) {
    struct slice op = py_text(py, py_field(node, "operator"));
    bool not = strcmp(ts_node_type(node), "not_operator") == 0;
    if (!not &&!slice_equal(op, SLICE("-"))) {
        py_unknown(py, node);
        return;
    }
    strbuf_addz(py->out, not ? "(!" : "(-");
    py_expression(py, py_field(node, "argument"), depth + 1);
    strbuf_addc(py->out, ')');
}

static void write_conditional(struct py *py, TSNode node, unsigned depth) {
    if (ts_node_named_child_count(node) != 3) {
        py_unknown(py, node);
        return;
    }
    strbuf_addc(py->out, '(');
    py_expression(py, ts_node_named_child(node, 1), depth + 1);
    strbuf_addz(py->out, " ? ");
    py_expression(py, ts_node_named_child(node, 0), depth + 1);
    strbuf_addz(py->out, " : ");
    py_expression(py, ts_node_named_child(node, 2), depth + 1);
    strbuf_addc(py->out, ')');
}

/* --- names and literals --- */

static const struct {
    const char *python, *cpp;
} formats[] = {{"bfloat16", "Float16_b"}, {"float32", "Float32"}, {"bfloat8_b", "Bfp8_b"}, {"bfloat4_b", "Bfp4_b"},
               {"uint32", "UInt32"},      {"int32", "Int32"},     {"uint16", "UInt16"},    {"uint8", "UInt8"}};

static void write_attribute(struct py *py, TSNode node, unsigned depth) {
    struct slice text = py_text(py, node), name = py_text(py, py_field(node, "attribute"));
    if (slice_starts(text, SLICE("ttnn."))) {
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
            if (slice_equal(name, slice_from(formats[i].python)) && text.len == name.len + 5) {
                strbuf_addf(py->out, "tt::DataFormat::%s", formats[i].cpp);
                return;
            }
        if (slice_equal(name, SLICE("TILE_SIZE"))) {
            strbuf_addz(py->out, "32");
            return;
        }
    }
    py_expression(py, py_field(node, "object"), depth + 1);
    strbuf_addc(py->out, '.');
    py_name(py, name);
}

static void write_integer(struct py *py, TSNode node, unsigned depth) {
    (void)depth;
    struct slice text = py_text(py, node);
    for (size_t i = 0; i < text.len && i < 32; i++)
        if (text.ptr[i] != '_') strbuf_addc(py->out, text.ptr[i]);
}

static void write_string(struct py *py, TSNode node, unsigned depth) {
    (void)depth;
    struct slice text = py_text(py, node);
    char first = text.len ? text.ptr[0] : 0;
    bool plain = (first == '"' || first == '\'') && text.len >= 2 && text.len < MAX_TEXT && !memchr(text.ptr, '\n', text.len) &&
                 !memchr(text.ptr, '\\', text.len) && !slice_starts(text, SLICE("\"\"\"")) && !slice_starts(text, SLICE("'''"));
    struct slice inside = plain ? slice_of(text.ptr + 1, text.len - 2) : SLICE("");
    if (!plain || memchr(inside.ptr, '"', inside.len)) {
        py_unknown(py, node);
        return;
    }
    strbuf_addc(py->out, '"');
    strbuf_add(py->out, inside);
    strbuf_addc(py->out, '"');
}

static void write_identifier(struct py *py, TSNode node, unsigned depth) {
    (void)depth;
    py_name(py, py_text(py, node));
}

static bool has_splat(TSNode list) {
    uint32_t n = ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++)
        if (py_is(ts_node_named_child(list, i), "list_splat")) return true;
    return false;
}

/* [a, *b, c]: the sum of the lists [a], b and [c]. */
static void write_joined(struct py *py, TSNode node, unsigned depth) {
    uint32_t n = ts_node_named_child_count(node);
    strbuf_addz(py->out, "(std::vector{}");
    for (uint32_t i = 0; i < n; i++) {
        TSNode item = ts_node_named_child(node, i);
        if (py_is(item, "comment")) continue;
        bool splat = py_is(item, "list_splat");
        strbuf_addz(py->out, splat ? " + " : " + std::vector{");
        py_expression(py, splat ? ts_node_named_child(item, 0) : item, depth + 1);
        if (!splat) strbuf_addc(py->out, '}');
    }
    strbuf_addc(py->out, ')');
}

static void write_list_literal(struct py *py, TSNode node, unsigned depth) {
    if (has_splat(node)) {
        write_joined(py, node, depth);
        return;
    }
    strbuf_addz(py->out, "std::vector{");
    py_list_items(py, node, depth);
    strbuf_addc(py->out, '}');
}

static void write_tuple(struct py *py, TSNode node, unsigned depth) {
    if (has_splat(node)) {
        write_joined(py, node, depth);
        return;
    }
    strbuf_addz(py->out, "std::make_tuple(");
    py_list_items(py, node, depth);
    strbuf_addc(py->out, ')');
}

static void write_dictionary(struct py *py, TSNode node, unsigned depth) {
    strbuf_addz(py->out, "std::map{");
    uint32_t n = ts_node_named_child_count(node), written = 0;
    for (uint32_t i = 0; i < n; i++) {
        TSNode pair = ts_node_named_child(node, i);
        if (py_is(pair, "dictionary_splat")) { /* {**others} */
            strbuf_addz(py->out, written++ ? ", {" : "{");
            py_unknown(py, pair);
            strbuf_addz(py->out, ", py_unknown()}");
        }
        if (strcmp(ts_node_type(pair), "pair") != 0) continue;
        strbuf_addz(py->out, written++ ? ", {" : "{");
        py_expression(py, py_field(pair, "key"), depth + 1);
        strbuf_addz(py->out, ", ");
        py_expression(py, py_field(pair, "value"), depth + 1);
        strbuf_addc(py->out, '}');
    }
    strbuf_addc(py->out, '}');
}

static void write_subscript(struct py *py, TSNode node, unsigned depth) {
    TSNode key = py_field(node, "subscript");
    const char *kind = ts_node_is_null(key) ? "" : ts_node_type(key);
    if (strcmp(kind, "unary_operator") == 0 && slice_equal(py_text(py, key), SLICE("-1"))) {
        py_expression(py, py_field(node, "value"), depth + 1);
        strbuf_addz(py->out, ".back()");
        return;
    }
    if (strcmp(kind, "slice") == 0 || strcmp(kind, "unary_operator") == 0 || !*kind) {
        py_unknown(py, node);
        return;
    }
    py_expression(py, py_field(node, "value"), depth + 1);
    strbuf_addc(py->out, '[');
    py_expression(py, key, depth + 1);
    strbuf_addc(py->out, ']');
}

static void write_inside(struct py *py, TSNode node, unsigned depth) {
    if (ts_node_named_child_count(node)) py_expression(py, ts_node_named_child(node, 0), depth + 1);
    else py_unknown(py, node);
}

static void declare_targets(struct py *py, TSNode target, unsigned depth) {
    if (depth > MAX_DEPTH) return;
    if (py_is(target, "identifier")) {
        strbuf_addz(py->out, "auto ");
        py_name(py, py_text(py, target));
        strbuf_addz(py->out, " = py_unset(); ");
    }
    uint32_t n = py_is_pattern(target) ? ts_node_named_child_count(target) : 0;
    for (uint32_t i = 0; i < n; i++) declare_targets(py, ts_node_named_child(target, i), depth + 1);
}

/* [expression for name in list if condition]: a list that a loop fills. */
static void write_comprehension(struct py *py, TSNode node, unsigned depth) {
    unsigned id = ++py->loops;
    uint32_t n = ts_node_named_child_count(node), open = 0;
    strbuf_addf(py->out, "[&]() { auto py_made_%u = std::vector{}; ", id);
    for (uint32_t i = 0; i < n; i++) {
        TSNode part = ts_node_named_child(node, i);
        bool loop = strcmp(ts_node_type(part), "for_in_clause") == 0, choice = strcmp(ts_node_type(part), "if_clause") == 0;
        TSNode left = loop ? py_field(part, "left") : part;
        if (loop) { /* its names are local to it */
            declare_targets(py, left, depth);
            py_loop(py, left, py_field(part, "right"), depth + 1);
        }
        if (choice) {
            strbuf_addz(py->out, "if (");
            py_expression(py, ts_node_named_child(part, 0), depth + 1);
            strbuf_addz(py->out, ") { ");
        }
        open += loop || choice;
    }
    strbuf_addf(py->out, "py_made_%u.push_back(", id);
    py_expression(py, py_field(node, "body"), depth + 1);
    strbuf_addz(py->out, "); ");
    while (open--) strbuf_addz(py->out, "} ");
    strbuf_addf(py->out, "return py_made_%u; }()", id);
}

/* lambda a, b: expression */
static void write_lambda(struct py *py, TSNode node, unsigned depth) {
    TSNode list = py_field(node, "parameters");
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list), written = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!py_is(ts_node_named_child(list, i), "identifier")) {
            py_unknown(py, node);
            return;
        }
    strbuf_addz(py->out, "[&](");
    for (uint32_t i = 0; i < n; i++) {
        strbuf_addz(py->out, written++ ? ", auto& " : "auto& ");
        py_name(py, py_text(py, ts_node_named_child(list, i)));
    }
    strbuf_addz(py->out, ") { return ");
    py_expression(py, py_field(node, "body"), depth + 1);
    strbuf_addz(py->out, "; }");
}

/* (name := value) */
static void write_named(struct py *py, TSNode node, unsigned depth) {
    strbuf_addc(py->out, '(');
    py_name(py, py_text(py, py_field(node, "name")));
    strbuf_addz(py->out, " = ");
    py_expression(py, py_field(node, "value"), depth + 1);
    strbuf_addc(py->out, ')');
}

static void write_constant(struct py *py, TSNode node, unsigned depth) {
    (void)depth;
    const char *kind = ts_node_type(node);
    strbuf_addz(py->out, strcmp(kind, "none") == 0 ? "nullptr" : strcmp(kind, "true") == 0 ? "true" : "false");
}

static const struct {
    const char *kind;
    void (*write)(struct py *py, TSNode node, unsigned depth);
} expressions[] = {
    {"identifier", write_identifier},
    {"integer", write_integer},
    {"string", write_string},
    {"true", write_constant},
    {"false", write_constant},
    {"none", write_constant},
    {"attribute", write_attribute},
    {"subscript", write_subscript},
    {"call", py_call},
    {"lambda", write_lambda},
    {"generator_expression", write_comprehension},
    {"binary_operator", write_binary},
    {"boolean_operator", write_boolean},
    {"comparison_operator", write_comparison},
    {"unary_operator", write_unary},
    {"not_operator", write_unary},
    {"conditional_expression", write_conditional},
    {"parenthesized_expression", write_inside},
    {"list", write_list_literal},
    {"tuple", write_tuple},
    {"expression_list", write_tuple},
    {"dictionary", write_dictionary},
    {"list_comprehension", write_comprehension},
    {"named_expression", write_named},
};

void py_expression(struct py *py, TSNode node, unsigned depth) {
    if (ts_node_is_null(node) || depth > MAX_DEPTH) {
        if (depth > MAX_DEPTH) py->too_deep = true;
        strbuf_addz(py->out, "py_unknown()");
        return;
    }
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++)
        if (strcmp(ts_node_type(node), expressions[i].kind) == 0) {
            expressions[i].write(py, node, depth);
            return;
        }
    py_unknown(py, node);
}
