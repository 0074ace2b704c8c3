/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of py_source: what its files share (py_source: statements, py_expression: expressions, py_call: calls, py_names: which
 * names there are). */
#ifndef TTMEM_PARSE_PY_WRITE_H
#define TTMEM_PARSE_PY_WRITE_H

#include <stdbool.h>
#include <tree_sitter/api.h>

#include "base/slice.h"
#include "base/strbuf.h"
#include "base/vec.h"

typedef VEC(struct slice) slices;

struct py_function {
    struct slice name;
    TSNode parameters;
};

/* Another name for a class or function of ttnn. */
struct py_alias {
    struct slice name, meaning;
};

struct py {
    struct slice text;
    struct strbuf *out;
    uint32_t line;                     /* of what is written next, as in the source */
    slices declared, parameters;       /* of the functions around */
    slices shared;                     /* names of other scopes that the function around gives values: nonlocal, global */
    VEC(struct py_function) functions; /* of the file */
    VEC(struct py_alias) aliases;
    unsigned depth_of_function, loops;
    slices unsteady; /* names of the module that are given a value more than once */
    bool too_deep;
};

TSNode py_field(TSNode node, const char *name);
struct slice py_text(const struct py *py, TSNode node);
void py_name(struct py *py, struct slice name); /* with another name where C++ has a meaning for it */
void py_line(struct py *py, TSNode node);       /* goes on in the line of the node */
bool py_is(TSNode node, const char *kind);
/* `for (...) {` with the value of each round in `left`; what follows is the body. */
void py_loop(struct py *py, TSNode left, TSNode right, unsigned depth);
void py_expression(struct py *py, TSNode node, unsigned depth);
void py_list_items(struct py *py, TSNode list, unsigned depth);
/* What is not followed: what it names may have changed, and buffers in it are counted. */
void py_unknown(struct py *py, TSNode node);

/* py_call.c */
void py_call(struct py *py, TSNode node, unsigned depth);
bool py_makes_buffer(const struct py *py, TSNode node); /* does it call what describes one? */

/* py_names.c */
void py_collect(struct py *py, TSNode module);
/* The names that a function gives values; those from `from` on are its own. */
void py_declare_names(struct py *py, TSNode body, size_t from);
bool py_is_declared(const struct py *py, struct slice name);
bool py_is_known(const struct py *py, struct slice name); /* or a parameter */
bool py_is_pattern(TSNode node);
const struct py_function *py_find_function(const struct py *py, struct slice name); /* NULL: none, or several */
bool py_has_function(const struct py *py, struct slice name);
struct slice py_meaning(const struct py *py, struct slice name); /* of another name for something of ttnn; else itself */
TSNode py_parameter_name(TSNode parameter);                      /* null: not a plain one */

#endif
