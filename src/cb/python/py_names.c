/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the names of a Python module and its functions, what they stand for, and which of them change. */
#include <string.h>

#include "cb/python/py_write.h"

enum { MAX_DEPTH = 80 };

bool py_is(TSNode node, const char *kind) { return !ts_node_is_null(node) && strcmp(ts_node_type(node), kind) == 0; }

static bool is_among(const slices *list, size_t from, struct slice name) {
    for (size_t i = from; i < list->len; i++)
        if (slice_equal(list->items[i], name)) return true;
    return false;
}

bool py_is_declared(const struct py *py, struct slice name) { return is_among(&py->declared, 0, name); }

bool py_is_known(const struct py *py, struct slice name) {
    return py_is_declared(py, name) || is_among(&py->parameters, 0, name);
}

/* --- names of a function --- */

bool py_is_pattern(TSNode node) {
    return py_is(node, "pattern_list") || py_is(node, "tuple_pattern") || py_is(node, "list_pattern") ||
           py_is(node, "list_splat_pattern") || py_is(node, "as_pattern_target");
}

/* Where the names of a function begin in the lists. */
struct function_names {
    size_t declared, shared;
};

static void declare_target(struct py *py, TSNode target, const struct function_names *from, unsigned depth) {
    if (depth > MAX_DEPTH) return;
    struct slice name = py_text(py, target);
    bool known = is_among(&py->declared, from->declared, name) || is_among(&py->shared, from->shared, name);
    if (py_is(target, "identifier") && !known) vec_push(&py->declared, name);
    uint32_t n = py_is_pattern(target) ? ts_node_named_child_count(target) : 0;
    for (uint32_t i = 0; i < n; i++) declare_target(py, ts_node_named_child(target, i), from, depth + 1);
}

static void collect_names(struct py *py, TSNode node, const struct function_names *from, unsigned depth) {
    if (depth > MAX_DEPTH || py_is(node, "function_definition") || py_is(node, "class_definition") || py_is(node, "lambda"))
        return;
    uint32_t n = ts_node_named_child_count(node);
    if (py_is(node, "nonlocal_statement") || py_is(node, "global_statement"))
        for (uint32_t i = 0; i < n; i++) vec_push(&py->shared, py_text(py, ts_node_named_child(node, i)));
    if (py_is(node, "assignment") || py_is(node, "for_statement") || py_is(node, "augmented_assignment"))
        declare_target(py, py_field(node, "left"), from, depth);
    if (py_is(node, "named_expression")) declare_target(py, py_field(node, "name"), from, depth);
    if (py_is(node, "as_pattern_target")) declare_target(py, node, from, depth);
    for (uint32_t i = 0; i < n; i++) collect_names(py, ts_node_named_child(node, i), from, depth + 1);
}

/* Python variables belong to the whole function, so they are declared at its start. */
void py_declare_names(struct py *py, TSNode body, size_t from) {
    struct function_names names = {from, py->shared.len};
    collect_names(py, body, &names, 0);
    py->shared.len = names.shared;
}

TSNode py_parameter_name(TSNode p) {
    TSNode name = py_is(p, "identifier") ? p : py_field(p, "name");
    if (py_is(p, "typed_parameter")) name = ts_node_named_child(p, 0);
    return py_is(name, "identifier") ? name : (TSNode){0};
}

/* --- names of the module --- */

/* CBD = ttnn.CBDescriptor, from ttnn import CBDescriptor as CBD */
static void note_alias(struct py *py, TSNode name, TSNode meaning) {
    if (!py_is(name, "identifier") || ts_node_is_null(meaning)) return;
    struct slice last = py_text(py, py_is(meaning, "attribute") ? py_field(meaning, "attribute") : meaning);
    bool plain = py_is(meaning, "identifier") || py_is(meaning, "attribute") || py_is(meaning, "dotted_name");
    if (plain && !slice_equal(py_text(py, name), last)) vec_push(&py->aliases, ((struct py_alias){py_text(py, name), last}));
}

/* Collects the functions of the file: calls of them are followed, so their effect on arguments is seen. */
static void collect_functions(struct py *py, TSNode node, unsigned depth) {
    if (depth > MAX_DEPTH) return;
    if (py_is(node, "function_definition"))
        vec_push(&py->functions, ((struct py_function){py_text(py, py_field(node, "name")), py_field(node, "parameters")}));
    if (py_is(node, "assignment")) note_alias(py, py_field(node, "left"), py_field(node, "right"));
    if (py_is(node, "aliased_import")) note_alias(py, py_field(node, "alias"), py_field(node, "name"));
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) collect_functions(py, ts_node_named_child(node, i), depth + 1);
}

static void note_unsteady(struct py *py, TSNode node) {
    if (py_is(node, "identifier")) vec_push(&py->unsteady, py_text(py, node));
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) note_unsteady(py, ts_node_named_child(node, i));
}

/* Names of the module that a function changes (`global`), or that are assigned in a branch, in a loop or in place. */
static void collect_unsteady(struct py *py, TSNode node, bool nested, bool function, unsigned depth) {
    if (depth > MAX_DEPTH) return;
    if (py_is(node, "global_statement")) note_unsteady(py, node);
    bool assigns = py_is(node, "assignment") || py_is(node, "for_statement"), in_place = py_is(node, "augmented_assignment");
    if (!function && ((assigns && nested) || in_place)) note_unsteady(py, py_field(node, "left"));
    function |= py_is(node, "function_definition") || py_is(node, "lambda");
    nested |= py_is(node, "block") || py_is(node, "for_statement");
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++) collect_unsteady(py, ts_node_named_child(node, i), nested, function, depth + 1);
}

void py_collect(struct py *py, TSNode module) {
    collect_functions(py, module, 0);
    collect_unsteady(py, module, false, false, 0);
}

const struct py_function *py_find_function(const struct py *py, struct slice name) {
    const struct py_function *found = NULL;
    for (size_t i = 0; i < py->functions.len; i++) {
        if (!slice_equal(py->functions.items[i].name, name)) continue;
        if (found) return NULL;
        found = &py->functions.items[i];
    }
    return found;
}

bool py_has_function(const struct py *py, struct slice name) {
    for (size_t i = 0; i < py->functions.len; i++)
        if (slice_equal(py->functions.items[i].name, name)) return true;
    return false;
}

struct slice py_meaning(const struct py *py, struct slice name) {
    for (size_t i = 0; i < py->aliases.len; i++)
        if (slice_equal(py->aliases.items[i].name, name)) return py->aliases.items[i].meaning;
    return name;
}
