/* SPDX-License-Identifier: Apache-2.0 */
/* C++ source as a syntax tree: tree-sitter behind the few calls that ttmem needs. Node kinds and fields are enums, so that a
 * switch replaces comparisons of names. Parsing is limited by counted work, not by time; a source above the limit has no
 * tree. Safe from any thread; several threads can read a tree. */
#ifndef TTMEM_PARSE_CPP_TREE_H
#define TTMEM_PARSE_CPP_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <tree_sitter/api.h>

#include "base/arena.h"
#include "base/slice.h"

/* Names as the grammar spells them. */
/* clang-format off */
#define CPP_KINDS(X) \
    X(alias_declaration) X(argument_list) X(array_declarator) X(assignment_expression) X(base_class_clause) X(binary_expression) X(bitfield_clause) \
    X(break_statement) X(call_expression) X(case_statement) X(cast_expression) X(catch_clause) X(char_literal) \
    X(class_specifier) X(comma_expression) X(comment) X(compound_literal_expression) X(compound_statement) \
    X(concatenated_string) X(condition_clause) X(conditional_expression) X(continue_statement) X(declaration) \
    X(declaration_list) X(delete_expression) X(do_statement) X(else_clause) X(enum_specifier) X(enumerator) \
    X(enumerator_list) X(expression_statement) X(field_declaration) X(field_declaration_list) X(field_designator) \
    X(field_expression) X(field_identifier) X(field_initializer) X(field_initializer_list) X(for_range_loop) X(for_statement) X(function_declarator) \
    X(abstract_function_declarator) X(function_definition) X(goto_statement) X(identifier) X(if_statement) \
    X(init_declarator) X(init_statement) X(initializer_list) X(initializer_pair) X(labeled_statement) X(lambda_expression) \
    X(linkage_specification) X(namespace_definition) X(namespace_identifier) X(new_expression) X(null) X(number_literal) \
    X(operator_name) X(optional_parameter_declaration) X(parameter_declaration) X(parameter_list) \
    X(parameter_pack_expansion) X(parenthesized_declarator) X(parenthesized_expression) X(pointer_declarator) \
    X(pointer_expression) X(preproc_arg) X(preproc_def) X(preproc_elif) X(preproc_elifdef) X(preproc_else) \
    X(preproc_function_def) X(preproc_if) X(preproc_ifdef) X(preproc_include) X(primitive_type) X(qualified_identifier) \
    X(raw_string_literal) X(reference_declarator) X(return_statement) X(sizeof_expression) X(sized_type_specifier) \
    X(string_content) X(string_literal) X(struct_specifier) X(structured_binding_declarator) X(subscript_argument_list) \
    X(subscript_designator) X(subscript_expression) X(switch_statement) X(system_lib_string) X(template_argument_list) \
    X(template_declaration) X(template_function) X(template_method) X(template_type) X(throw_statement) X(translation_unit) \
    X(true) X(false) X(try_statement) X(type_definition) X(type_descriptor) X(type_identifier) X(unary_expression) X(union_specifier) X(update_expression) \
    X(this) X(user_defined_literal) X(using_declaration) X(while_statement)
/* clang-format on */

enum cpp_kind {
    CPP_other,
#define X(name) CPP_##name,
    CPP_KINDS(X)
#undef X
        CPP_KIND_COUNT
};

/* clang-format off */
#define CPP_FIELDS(X) \
    X(alternative) X(argument) X(arguments) X(body) X(condition) X(consequence) X(declarator) X(default_value) X(designator) \
    X(field) X(function) X(indices) X(initializer) X(label) X(left) X(name) X(operator) X(parameters) X(path) X(right) \
    X(scope) X(size) X(type) X(update) X(value)
/* clang-format on */

enum cpp_field {
#define X(name) CPP_FIELD_##name,
    CPP_FIELDS(X)
#undef X
        CPP_FIELD_COUNT
};

struct cpp_tree {
    struct slice text;
    TSTree *tree; /* NULL: could not be parsed within the limits */
};

enum { CPP_MAX_BYTES = 3 << 20 };

/* To be called before another language is parsed, so that tree-sitter always uses our allocator and running out of memory
 * gives one error message. */
void cpp_tree_prepare(void);

/* The text must outlive the tree. Returns false if there is no tree (too large, nested too deep, too much work). */
bool cpp_tree_parse(struct cpp_tree *tree, struct slice text);

/* What is known without parsing. */
struct cpp_shape {
    bool tame;          /* the parser can take it: not too large, not nested too deep */
    size_t open_braces; /* at the end of the text, if tame; those in strings and comments do not count */
};
struct cpp_shape cpp_measure(struct slice text);
/* The same for a text that was measured before; closing braces appended since do not matter. */
bool cpp_tree_parse_measured(struct cpp_tree *tree, struct slice text, struct cpp_shape shape);
void cpp_tree_release(struct cpp_tree *tree);

/* While one is open, its thread walks the children of a node only once. Can be nested; the trees must stay alive until it
 * ends. */
struct cpp_memory {
    struct arena *arena;
    struct remembered *table;
    size_t len, cap;
    struct cpp_memory *outer;
};
void cpp_memory_begin(struct cpp_memory *memory, struct arena *arena);
void cpp_memory_end(struct cpp_memory *memory);

/* All of these accept a null node and then return nothing. */
enum cpp_kind cpp_kind(TSNode node);
TSNode cpp_field(TSNode node, enum cpp_field field); /* null node if absent */
struct slice cpp_text(const struct cpp_tree *tree, TSNode node);
uint32_t cpp_line(TSNode node); /* from 1 */

/* Moves to the next node in text order. False: there is none. */
bool cpp_next(TSTreeCursor *cursor);

/* Named children without comments, in the arena. Walked with a cursor, because access by index is linear in tree-sitter. */
struct cpp_nodes {
    TSNode *items;
    uint32_t len;
};
struct cpp_nodes cpp_children(struct arena *arena, TSNode node);
TSNode cpp_first(TSNode node);

#endif
