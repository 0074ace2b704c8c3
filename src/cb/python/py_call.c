/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Python calls as C++: descriptors with named fields, functions of the file with arguments in parameter order,
 * methods of lists. */
#include <string.h>

#include "cb/python/py_write.h"

enum { MAX_DEPTH = 80, MAX_PARAMETERS = 64 };

/* --- descriptors --- */

static bool is_descriptor(struct slice name) {
    static const char *const names[] = {"CBDescriptor",      "CBFormatDescriptor", "KernelDescriptor",
                                        "ProgramDescriptor", "DataflowBufferSpec", "ScratchpadSpec",
                                        "KernelSpec",        "ProgramSpec",        "UnifiedKernelDescriptor"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equal(name, slice_from(names[i]))) return true;
    return false;
}

static bool is_sharded(struct slice name) { return slice_equal(name, SLICE("cb_descriptor_from_sharded_tensor")); }

static struct slice called_name(const struct py *py, TSNode call) {
    TSNode callee = py_field(call, "function");
    if (py_is(callee, "attribute")) return py_text(py, py_field(callee, "attribute"));
    struct slice name = py_text(py, callee), meaning = py_meaning(py, name);
    return is_descriptor(meaning) || is_sharded(meaning) ? meaning : name;
}

static bool finds_maker(const struct py *py, TSNode node, unsigned depth) {
    if (depth > MAX_DEPTH) return false;
    if (py_is(node, "call")) {
        struct slice name = called_name(py, node);
        if (is_sharded(name) || slice_equal(name, SLICE("CBDescriptor")) || slice_equal(name, SLICE("DataflowBufferSpec")) ||
            slice_equal(name, SLICE("ScratchpadSpec")))
            return true;
    }
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        if (finds_maker(py, ts_node_named_child(node, i), depth + 1)) return true;
    return false;
}

bool py_makes_buffer(const struct py *py, TSNode node) { return !ts_node_is_null(node) && finds_maker(py, node, 0); }

/* Descriptor lists are written in braces, as C++ writes fields. */
static void write_field_value(struct py *py, TSNode value, unsigned depth) {
    bool plain = py_is(value, "list");
    uint32_t n = plain ? ts_node_named_child_count(value) : 0;
    for (uint32_t i = 0; i < n; i++) plain &= !py_is(ts_node_named_child(value, i), "list_splat");
    if (!plain) {
        py_expression(py, value, depth);
        return;
    }
    strbuf_addc(py->out, '{');
    py_list_items(py, value, depth);
    strbuf_addc(py->out, '}');
}

static const struct {
    const char *type, *fields[4];
} positions[] = {{"CBDescriptor", {"total_size", "core_ranges", "format_descriptors", NULL}},
                 {"CBFormatDescriptor", {"buffer_index", "data_format", "page_size", NULL}},
                 {"ProgramDescriptor", {"kernels", "semaphores", "cbs", NULL}}};

/* The field that the n-th positional argument sets; NULL: unknown. */
static const char *field_at(struct slice type, uint32_t n) {
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++)
        if (slice_equal(type, slice_from(positions[i].type)) && n < 3) return positions[i].fields[n];
    return NULL;
}

static void write_descriptor(struct py *py, struct slice type, TSNode call, unsigned depth) {
    TSNode args = py_field(call, "arguments");
    py_line(py, call);
    strbuf_add(py->out, type);
    strbuf_addc(py->out, '{');
    uint32_t n = ts_node_named_child_count(args), written = 0, at = 0;
    bool open = false;
    for (uint32_t i = 0; i < n; i++) {
        TSNode arg = ts_node_named_child(args, i), value = arg;
        struct slice field = SLICE("");
        if (py_is(arg, "comment")) continue;
        if (py_is(arg, "keyword_argument")) {
            field = py_text(py, py_field(arg, "name"));
            value = py_field(arg, "value");
        } else if (py_is(arg, "list_splat") || py_is(arg, "dictionary_splat")) {
            open = true;
        } else if (field_at(type, at)) {
            field = slice_from(field_at(type, at++));
        }
        if (!field.len) continue;
        strbuf_addz(py->out, written++ ? ", ." : ".");
        strbuf_add(py->out, field);
        strbuf_addz(py->out, " = ");
        write_field_value(py, value, depth + 1);
    }
    /* f(**fields): every field that is not written out is unknown */
    for (unsigned k = 0; open && k < 3 && field_at(type, k); k++)
        strbuf_addf(py->out, "%s%s = py_unknown()", written++ ? ", ." : ".", field_at(type, k));
    strbuf_addc(py->out, '}');
}

/* --- functions --- */

/* Passing a number on does not change it; the callee gets its value. */
static void write_argument(struct py *py, TSNode arg, bool value, unsigned depth) {
    bool name = value && (py_is(arg, "identifier") || py_is(arg, "attribute"));
    if (name) strbuf_addz(py->out, "py_value(");
    py_expression(py, arg, depth + 1);
    if (name) strbuf_addc(py->out, ')');
}

/* `first` is written before the other arguments; it may be empty. */
static void write_arguments(struct py *py, TSNode args, struct slice first, bool values, unsigned depth) {
    uint32_t n = ts_node_is_null(args) ? 0 : ts_node_named_child_count(args), written = first.len > 0;
    strbuf_addc(py->out, '(');
    strbuf_add(py->out, first);
    for (uint32_t i = 0; i < n; i++) {
        TSNode arg = ts_node_named_child(args, i);
        if (py_is(arg, "comment")) continue;
        if (py_is(arg, "keyword_argument")) arg = py_field(arg, "value");
        if (py_is(arg, "list_splat") || py_is(arg, "dictionary_splat")) arg = ts_node_named_child(arg, 0);
        if (written++) strbuf_addz(py->out, ", ");
        write_argument(py, arg, values, depth);
    }
    strbuf_addc(py->out, ')');
}

static bool has_keywords(TSNode args) {
    uint32_t n = ts_node_is_null(args) ? 0 : ts_node_named_child_count(args);
    for (uint32_t i = 0; i < n; i++) {
        TSNode arg = ts_node_named_child(args, i);
        if (py_is(arg, "keyword_argument") || py_is(arg, "list_splat") || py_is(arg, "dictionary_splat")) return true;
    }
    return false;
}

/* The arguments of a call in parameter order; null where the default applies. */
struct placed {
    TSNode args[MAX_PARAMETERS], parameters[MAX_PARAMETERS];
    uint32_t len; /* number of parameters */
    uint32_t end; /* one past the last given argument */
};

static bool place_parameters(const struct py *py, TSNode list, struct placed *out, bool *takes_rest) {
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(list, i), name = py_parameter_name(p);
        if (py_is(p, "dictionary_splat_pattern")) *takes_rest = true;
        if (py_is(p, "list_splat_pattern")) return false;
        if (ts_node_is_null(name)) continue;
        struct slice text = py_text(py, name);
        if (i == 0 && (slice_equal(text, SLICE("self")) || slice_equal(text, SLICE("cls")))) continue;
        if (out->len == MAX_PARAMETERS) return false;
        out->parameters[out->len++] = p;
    }
    return true;
}

/* Returns false if the arguments cannot be matched to parameters. */
static bool place_arguments(const struct py *py, const struct py_function *f, TSNode args, struct placed *out) {
    bool takes_rest = false;
    if (!place_parameters(py, f->parameters, out, &takes_rest)) return false;
    uint32_t n = ts_node_named_child_count(args), at = 0;
    for (uint32_t i = 0; i < n; i++) {
        TSNode arg = ts_node_named_child(args, i);
        if (py_is(arg, "comment")) continue;
        if (py_is(arg, "list_splat") || py_is(arg, "dictionary_splat")) return false;
        uint32_t to = at;
        if (py_is(arg, "keyword_argument")) {
            for (to = 0; to < out->len; to++)
                if (slice_equal(py_text(py, py_parameter_name(out->parameters[to])), py_text(py, py_field(arg, "name")))) break;
            if (to == out->len && takes_rest) continue;
            arg = py_field(arg, "value");
        } else {
            at++;
        }
        if (to >= out->len || !ts_node_is_null(out->args[to])) return false;
        out->args[to] = arg;
        if (to + 1 > out->end) out->end = to + 1;
    }
    for (uint32_t i = 0; i < out->end; i++)
        if (ts_node_is_null(out->args[i]) && ts_node_is_null(py_field(out->parameters[i], "value"))) return false;
    return true;
}

/* Python creates a default value once for all calls, so an earlier call may have changed it unless it is constant. */
static bool is_constant(TSNode value) {
    static const char *const kinds[] = {"integer", "true", "false", "none", "string", "attribute", "identifier"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (py_is(value, kinds[i])) return true;
    return false;
}

static void write_placed(struct py *py, const struct placed *placed, unsigned depth) {
    strbuf_addc(py->out, '(');
    for (uint32_t i = 0; i < placed->end; i++) {
        if (i) strbuf_addz(py->out, ", ");
        TSNode fallback = py_field(placed->parameters[i], "value");
        if (!ts_node_is_null(placed->args[i])) py_expression(py, placed->args[i], depth + 1);
        else if (is_constant(fallback)) py_expression(py, fallback, depth + 1);
        else strbuf_addz(py->out, "py_unknown()");
    }
    strbuf_addc(py->out, ')');
}

static const struct {
    const char *python, *cpp;
} functions[] = {{"min", "std::min"}, {"max", "std::max"}, {"int", "int64_t"}, {"list", "py_list"}, {"tuple", "py_list"}};
static const struct {
    const char *python, *cpp;
} methods[] = {{"append", "push_back"}, {"extend", "py_extend"}, {"insert", "py_insert"}, {"values", "py_values"}};

static bool write_known(struct py *py, TSNode callee, struct slice name, TSNode args, unsigned depth) {
    bool attribute = py_is(callee, "attribute");
    uint32_t n = ts_node_named_child_count(args);
    if (!attribute && slice_equal(name, SLICE("len")) && n == 1) {
        py_expression(py, ts_node_named_child(args, 0), depth + 1);
        strbuf_addz(py->out, ".size()");
        return true;
    }
    for (size_t i = 0; !attribute && i < sizeof functions / sizeof *functions; i++)
        if (slice_equal(name, slice_from(functions[i].python))) {
            strbuf_addz(py->out, functions[i].cpp);
            write_arguments(py, args, SLICE(""), false, depth);
            return true;
        }
    for (size_t i = 0; attribute && i < sizeof methods / sizeof *methods; i++)
        if (slice_equal(name, slice_from(methods[i].python))) {
            py_expression(py, py_field(callee, "object"), depth + 1);
            strbuf_addf(py->out, ".%s", methods[i].cpp);
            write_arguments(py, args, SLICE(""), false, depth);
            return true;
        }
    return false;
}

void py_call(struct py *py, TSNode node, unsigned depth) {
    TSNode callee = py_field(node, "function"), args = py_field(node, "arguments");
    struct slice name = called_name(py, node);
    if (is_descriptor(name) && py_is(args, "argument_list")) {
        write_descriptor(py, name, node, depth);
        return;
    }
    if (is_sharded(name)) {
        py_line(py, node);
        strbuf_add(py->out, name);
        write_arguments(py, args, SLICE(""), false, depth);
        return;
    }
    if (py_is(args, "generator_expression")) { /* f(x for x in y) */
        if (!py_has_function(py, name)) {
            py_expression(py, callee, depth + 1);
            strbuf_addc(py->out, '(');
            py_expression(py, args, depth + 1);
            strbuf_addc(py->out, ')');
        } else {
            py_unknown(py, node);
        }
        return;
    }
    bool own = py_has_function(py, name);
    if (!own && write_known(py, callee, name, args, depth)) return;
    struct placed placed = {0};
    if (!has_keywords(args)) {
        py_expression(py, callee, depth + 1);
        write_arguments(py, args, SLICE(""), !own, depth);
    } else if (own && py_find_function(py, name) && place_arguments(py, py_find_function(py, name), args, &placed)) {
        py_expression(py, callee, depth + 1);
        write_placed(py, &placed, depth);
    } else { /* arguments cannot be matched to parameters: the call is not followed, and a function that makes buffers counts as
                missed */
        if (own) strbuf_addz(py->out, "py_call");
        else py_expression(py, callee, depth + 1);
        write_arguments(py, args, own ? name : SLICE(""), true, depth);
    }
}
