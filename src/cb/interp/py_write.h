/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of py_source: what its two files share, statements and expressions. */
#ifndef TTMEM_PARSE_PY_WRITE_H
#define TTMEM_PARSE_PY_WRITE_H

#include <stdbool.h>
#include <tree_sitter/api.h>

#include "base/slice.h"
#include "base/strbuf.h"
#include "base/vec.h"

struct py {
    struct slice text;
    struct strbuf *out;
    uint32_t line;                          /* of what is written next, as in the source */
    VEC(struct slice) declared, parameters; /* of the functions around */
    VEC(struct slice) functions;            /* of the file */
    unsigned depth_of_function, loops;
    VEC(struct slice) unsteady; /* names of the module that are given a value more than once */
    bool too_deep;
};

TSNode py_field(TSNode node, const char *name);
struct slice py_text(const struct py *py, TSNode node);
void py_name(struct py *py, struct slice name); /* with another name where C++ has a meaning for it */
void py_line(struct py *py, TSNode node);       /* goes on in the line of the node */
/* `for (...) {` with the value of each round in `left`; what follows is the body. */
void py_loop(struct py *py, TSNode left, TSNode right, unsigned depth);
void py_expression(struct py *py, TSNode node, unsigned depth);

#endif
