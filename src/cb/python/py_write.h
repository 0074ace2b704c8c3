/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of py_source that its files share (py_source: statements, py_expression: expressions, py_call: calls, py_names:
 * names). */
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
    uint32_t line;                     /* source line of the text written next */
    slices declared, parameters;       /* of the enclosing functions */
    slices shared;                     /* names of other scopes that the enclosing function assigns: nonlocal, global */
    VEC(struct py_function) functions; /* of the file */
    VEC(struct py_alias) aliases;
    unsigned depth_of_function, loops;
    slices unsteady; /* names of the module that are assigned more than once */
    bool too_deep;
};

TSNode py_field(TSNode node, const char *name);
struct slice py_text(const struct py *py, TSNode node);
void py_name(struct py *py, struct slice name); /* renamed if the name means something in C++ */
void py_line(struct py *py, TSNode node);       /* continues on the line of the node */
bool py_is(TSNode node, const char *kind);
/* Writes `for (...) {` with the value of each round in `left`; the caller writes the body. */
void py_loop(struct py *py, TSNode left, TSNode right, unsigned depth);
void py_expression(struct py *py, TSNode node, unsigned depth);
void py_list_items(struct py *py, TSNode list, unsigned depth);
/* Writes something that is not followed: the names in it may have changed, and buffers made in it are counted as unread. */
void py_unknown(struct py *py, TSNode node);

/* py_call.c */
void py_call(struct py *py, TSNode node, unsigned depth);
bool py_makes_buffer(const struct py *py, TSNode node); /* does it call a function that describes a buffer? */

/* py_names.c */
void py_collect(struct py *py, TSNode module);
/* Declares the names that a function assigns; those from index `from` on belong to it. */
void py_declare_names(struct py *py, TSNode body, size_t from);
bool py_is_declared(const struct py *py, struct slice name);
bool py_is_known(const struct py *py, struct slice name); /* declared, or a parameter */
bool py_is_pattern(TSNode node);
const struct py_function *py_find_function(const struct py *py, struct slice name); /* NULL: none, or several */
bool py_has_function(const struct py *py, struct slice name);
struct slice py_meaning(const struct py *py, struct slice name); /* the ttnn name of an alias, else the name */
TSNode py_parameter_name(TSNode parameter);                      /* null if it has no plain name */

#endif
