/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of a kernel source, shared by cb_kernel.c, which walks the tree, and cb_kernel_value.c, which tells what a name
 * or an expression is. Not included from elsewhere.
 *
 * A value is a number from 0 on, KERNEL_UNKNOWN, a compile-time argument (KERNEL_ARG, KERNEL_NAMED), or stands for something
 * that is known later: KERNEL_PARAM - n for a parameter of the function around it, KERNEL_VAR - n for a variable, which may
 * still turn out to change, KERNEL_EXPR - n for an expression of these. */
#ifndef TTMEM_CB_KERNEL_READ_H
#define TTMEM_CB_KERNEL_READ_H

#include "base/strbuf.h"
#include "cb/interp/cb_kernel.h"
#include "cb/interp/cpp_tree.h"

enum {
    KERNEL_MAX_PARAMS = 32, /* of a function; those of its template follow */
    KERNEL_MAX_VARS = 8192,
    KERNEL_PARAM = -2000000,
    KERNEL_VAR = -3000000,
    KERNEL_EXPR = -10000000,
};

struct kernel_var {
    struct slice name;
    int64_t value;
    uint32_t function;
    uint32_t end; /* byte where its block ends */
};

struct kernel_op {
    int64_t value, guard;
    enum kernel_cb_op op;
    uint32_t loops; /* around it, in its function */
};

struct kernel_call {
    struct slice name;
    int64_t args[2 * KERNEL_MAX_PARAMS];
    int64_t guard;
    uint32_t n_args, n_template_args;
    uint32_t loops;
    uint32_t lambda; /* 0: by its name */
};

/* Of a function; the first one holds what is outside of all. */
struct kernel_function {
    struct slice name;
    uint32_t end;   /* byte */
    uint32_t outer; /* of a lambda: the function around it */
    uint32_t loops; /* around a lambda */
    uint32_t n_params;
    uint32_t changes; /* bit n: the n-th parameter is a reference to a number that it may change */
    bool called, header, lambda;
    int64_t defaults[2 * KERNEL_MAX_PARAMS];
    VEC(struct kernel_op) ops;
    VEC(struct kernel_call) calls;
};

/* Between these bytes, code is there only if the value is not 0. */
struct kernel_guard {
    uint32_t from, end;
    int64_t value;
};

struct kernel_reader {
    const struct cpp_tree *tree; /* that is walked */
    VEC(struct kernel_var) vars;
    VEC(struct kernel_function) functions;
    VEC(struct strbuf) texts;
    VEC(uint32_t) loop_ends;  /* of the loops around, bytes */
    VEC(uint32_t) block_ends; /* of the blocks around */
    VEC(struct kernel_guard) guards;
    struct slice lambda_name; /* of the variable that gets the next lambda */
    struct strbuf macros;     /* function-like ones, as functions */
    uint32_t current;
    uint32_t at; /* byte that the walk has reached */
    bool header;
    uint32_t emitting; /* the function whose operations are told */
    uint32_t emitted, work, nested;
    struct kernel_facts *facts;
};

/* The last name of `a::b<c>`, `x.y`, `T &z`; "" when there is none. */
struct slice kernel_plain_name(const struct kernel_reader *r, TSNode node);
int64_t kernel_value_of(struct kernel_reader *r, TSNode node);
int64_t kernel_lookup(const struct kernel_reader *r, struct slice name);
int64_t kernel_number(struct slice text);
/* The variable of that name in the block that the walk is in; a second value makes it unknown. */
void kernel_learn(struct kernel_reader *r, struct slice name, int64_t value);
/* The variable that the name means here gets another value: which one it has where is not known. */
void kernel_change(struct kernel_reader *r, struct slice name, int64_t value);
int64_t kernel_not(struct kernel_facts *facts, int64_t value);
int64_t kernel_and(struct kernel_facts *facts, int64_t a, int64_t b);
/* The value where the function is called with these; NULL: they are not known. */
int64_t kernel_put_in(struct kernel_reader *r, int64_t value, const int64_t *params);
/* The number that a value is with these arguments, or KERNEL_UNKNOWN. `name`: the dataflow buffer that it names, or NULL. */
int64_t kernel_settle(const struct kernel_facts *facts, int64_t value, const struct kernel_args *args,
                      const struct kernel_name **name);

#endif
