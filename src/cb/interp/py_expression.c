/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of Python as C++. */
#include <string.h>

#include "cb/interp/py_write.h"

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

static void unknown(struct py *py) { strbuf_addz(py->out, "py_unknown()"); }

static void write_list(struct py *py, TSNode list, unsigned depth) {
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
        unknown(py); /* true division, powers, matrices */
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
        unknown(py); /* a < b < c */
        return;
    }
    TSNode left = ts_node_named_child(node, 0), right = ts_node_named_child(node, 1);
    uint32_t from = ts_node_end_byte(left), to = ts_node_start_byte(right);
    struct slice op = slice_trim(slice_of(py->text.ptr + from, to - from));
    if (slice_equal(op, SLICE("is"))) op = SLICE("==");
    else if (slice_starts(op, SLICE("is"))) op = SLICE("!=");
    if (op.len > 2 || slice_equal(op, SLICE("in")) || memchr(op.ptr, '\n', op.len)) {
        unknown(py);
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
        unknown(py);
        return;
    }
    strbuf_addz(py->out, not ? "(!" : "(-");
    py_expression(py, py_field(node, "argument"), depth + 1);
    strbuf_addc(py->out, ')');
}

static void write_conditional(struct py *py, TSNode node, unsigned depth) {
    if (ts_node_named_child_count(node) != 3) {
        unknown(py);
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
        unknown(py);
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

static void write_list_literal(struct py *py, TSNode node, unsigned depth) {
    strbuf_addz(py->out, "std::vector{");
    write_list(py, node, depth);
    strbuf_addc(py->out, '}');
}

static void write_tuple(struct py *py, TSNode node, unsigned depth) {
    strbuf_addz(py->out, "std::make_tuple(");
    write_list(py, node, depth);
    strbuf_addc(py->out, ')');
}

static void write_dictionary(struct py *py, TSNode node, unsigned depth) {
    strbuf_addz(py->out, "std::map{");
    uint32_t n = ts_node_named_child_count(node), written = 0;
    for (uint32_t i = 0; i < n; i++) {
        TSNode pair = ts_node_named_child(node, i);
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
    if (strcmp(kind, "slice") == 0 || strcmp(kind, "unary_operator") == 0 || !*kind) {
        unknown(py);
        return;
    }
    py_expression(py, py_field(node, "value"), depth + 1);
    strbuf_addc(py->out, '[');
    py_expression(py, key, depth + 1);
    strbuf_addc(py->out, ']');
}

static void write_inside(struct py *py, TSNode node, unsigned depth) {
    if (ts_node_named_child_count(node)) py_expression(py, ts_node_named_child(node, 0), depth + 1);
    else unknown(py);
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
        if (loop) { /* its names are its own */
            uint32_t names = strcmp(ts_node_type(left), "identifier") == 0 ? 0 : ts_node_named_child_count(left);
            for (uint32_t k = 0; k < (names ? names : 1); k++) {
                strbuf_addz(py->out, "auto ");
                py_name(py, py_text(py, names ? ts_node_named_child(left, k) : left));
                strbuf_addz(py->out, " = py_unset(); ");
            }
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

/* (name := value) */
static void write_named(struct py *py, TSNode node, unsigned depth) {
    strbuf_addc(py->out, '(');
    py_name(py, py_text(py, py_field(node, "name")));
    strbuf_addz(py->out, " = ");
    py_expression(py, py_field(node, "value"), depth + 1);
    strbuf_addc(py->out, ')');
}

/* --- calls --- */

static bool is_descriptor(struct slice name) {
    static const char *const names[] = {"CBDescriptor",       "CBFormatDescriptor", "KernelDescriptor", "ProgramDescriptor",
                                        "DataflowBufferSpec", "ScratchpadSpec",     "KernelSpec",       "ProgramSpec"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equal(name, slice_from(names[i]))) return true;
    return false;
}

/* Lists of descriptors stand there in braces, as the fields of C++ have them. */
static void write_field_value(struct py *py, TSNode value, unsigned depth) {
    if (strcmp(ts_node_type(value), "list") != 0) {
        py_expression(py, value, depth);
        return;
    }
    strbuf_addc(py->out, '{');
    write_list(py, value, depth);
    strbuf_addc(py->out, '}');
}

static void write_descriptor(struct py *py, struct slice name, TSNode args, unsigned depth) {
    strbuf_add(py->out, name);
    strbuf_addc(py->out, '{');
    uint32_t n = ts_node_named_child_count(args), written = 0;
    for (uint32_t i = 0; i < n; i++) {
        TSNode arg = ts_node_named_child(args, i);
        if (strcmp(ts_node_type(arg), "keyword_argument") != 0) continue;
        strbuf_addz(py->out, written++ ? ", ." : ".");
        strbuf_add(py->out, py_text(py, py_field(arg, "name")));
        strbuf_addz(py->out, " = ");
        write_field_value(py, py_field(arg, "value"), depth + 1);
    }
    strbuf_addc(py->out, '}');
}

static const struct { const char *python, *cpp; } functions[] = {{"min", "std::min"}, {"max", "std::max"}, {"int", "int64_t"}};

/* A number that is handed on is not changed by that; what it is handed to sees its value. */
static void write_arguments(struct py *py, TSNode args, bool values, unsigned depth) {
    uint32_t n = ts_node_is_null(args) ? 0 : ts_node_named_child_count(args), written = 0;
    strbuf_addc(py->out, '(');
    for (uint32_t i = 0; i < n; i++) {
        TSNode arg = ts_node_named_child(args, i);
        const char *kind = ts_node_type(arg);
        if (strcmp(kind, "comment") == 0) continue;
        if (strcmp(kind, "keyword_argument") == 0) arg = py_field(arg, "value");
        if (written++) strbuf_addz(py->out, ", ");
        bool name = values && (strcmp(ts_node_type(arg), "identifier") == 0 || strcmp(ts_node_type(arg), "attribute") == 0);
        if (name) strbuf_addz(py->out, "py_value(");
        py_expression(py, arg, depth + 1);
        if (name) strbuf_addc(py->out, ')');
    }
    strbuf_addc(py->out, ')');
}

static bool has_keywords(TSNode args) {
    uint32_t n = ts_node_is_null(args) ? 0 : ts_node_named_child_count(args);
    for (uint32_t i = 0; i < n; i++) {
        const char *kind = ts_node_type(ts_node_named_child(args, i));
        if (strcmp(kind, "keyword_argument") == 0 || strcmp(kind, "list_splat") == 0 || strcmp(kind, "dictionary_splat") == 0)
            return true;
    }
    return false;
}

static void write_call(struct py *py, TSNode node, unsigned depth) {
    TSNode callee = py_field(node, "function"), args = py_field(node, "arguments");
    bool attribute = strcmp(ts_node_type(callee), "attribute") == 0;
    struct slice name = attribute ? py_text(py, py_field(callee, "attribute")) : py_text(py, callee);
    if (strcmp(ts_node_type(args), "argument_list") != 0) { /* f(x for x in y) */
        unknown(py);
        return;
    }
    if (is_descriptor(name)) {
        write_descriptor(py, name, args, depth);
        return;
    }
    if (slice_equal(name, SLICE("cb_descriptor_from_sharded_tensor"))) {
        strbuf_add(py->out, name);
        write_arguments(py, args, false, depth);
        return;
    }
    if (!attribute && slice_equal(name, SLICE("len")) && ts_node_named_child_count(args) == 1) {
        py_expression(py, ts_node_named_child(args, 0), depth + 1);
        strbuf_addz(py->out, ".size()");
        return;
    }
    for (size_t i = 0; !attribute && i < sizeof functions / sizeof *functions; i++)
        if (slice_equal(name, slice_from(functions[i].python))) {
            strbuf_addz(py->out, functions[i].cpp);
            write_arguments(py, args, false, depth);
            return;
        }
    if (attribute && slice_equal(name, SLICE("append"))) {
        py_expression(py, py_field(callee, "object"), depth + 1);
        strbuf_addz(py->out, ".push_back");
        write_arguments(py, args, false, depth);
        return;
    }
    /* arguments by name are of no known place: the function is not followed */
    if (has_keywords(args) && !attribute) {
        strbuf_addz(py->out, "py_call_");
        strbuf_add(py->out, name);
    } else {
        py_expression(py, callee, depth + 1);
    }
    bool followed = false;
    for (size_t i = 0; i < py->functions.len && !has_keywords(args); i++) followed |= slice_equal(py->functions.items[i], name);
    write_arguments(py, args, !followed, depth);
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
    {"call", write_call},
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
        unknown(py);
        return;
    }
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++)
        if (strcmp(ts_node_type(node), expressions[i].kind) == 0) {
            expressions[i].write(py, node, depth);
            return;
        }
    unknown(py);
}
