/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of a kernel source, shared by cb_kernel.c, which walks the tree, and cb_kernel_value.c, which evaluates names
 * and expressions. No other file includes it.
 *
 * A value is a number from 0 on, KERNEL_UNKNOWN, a compile-time argument (KERNEL_ARG, KERNEL_NAMED), or stands for something
 * that is known later: KERNEL_PARAM - n for a parameter of the enclosing function, KERNEL_VAR - n for a variable, which may
 * still turn out to change, KERNEL_EXPR - n for an expression of these. */
#ifndef TTMEM_CB_KERNEL_READ_H
#define TTMEM_CB_KERNEL_READ_H

#include "base/strbuf.h"
#include "cb/interp/cb_kernel.h"
#include "cb/interp/cpp_tree.h"

enum {
    KERNEL_MAX_PARAMS = 32, /* of a function; its template parameters follow */
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
    uint32_t loops; /* around it, within its function */
};

struct kernel_call {
    struct slice name;
    int64_t args[2 * KERNEL_MAX_PARAMS];
    int64_t guard;
    uint32_t n_args, n_template_args;
    uint32_t loops;
    uint32_t lambda; /* 0: called by name */
};

/* A function; the first entry holds code outside all functions. */
struct kernel_function {
    struct slice name;
    uint32_t end;   /* byte offset */
    uint32_t outer; /* of a lambda: the enclosing function */
    uint32_t loops; /* around a lambda */
    uint32_t n_params;
    uint32_t changes; /* bit n: parameter n is a reference to a number that it may change */
    bool called, header, lambda;
    int64_t defaults[2 * KERNEL_MAX_PARAMS];
    VEC(struct kernel_op) ops;
    VEC(struct kernel_call) calls;
};

/* Between these bytes, code exists only if the value is not 0. */
struct kernel_guard {
    uint32_t from, end;
    int64_t value;
};

struct kernel_reader {
    const struct cpp_tree *tree; /* being walked */
    VEC(struct kernel_var) vars;
    VEC(struct kernel_function) functions;
    VEC(struct strbuf) texts;
    VEC(uint32_t) loop_ends;  /* bytes where the enclosing loops end */
    VEC(uint32_t) block_ends; /* bytes where the enclosing blocks end */
    VEC(struct kernel_guard) guards;
    struct slice lambda_name; /* name of the variable that the next lambda is assigned to */
    struct strbuf macros;     /* function-like macros, written as functions */
    uint32_t current;
    uint32_t at; /* byte that the walk has reached */
    bool header;
    uint32_t emitting; /* the function whose buffer calls are being emitted */
    uint32_t emitted, work, nested;
    struct kernel_facts *facts;
};

/* The last name of `a::b<c>`, `x.y`, `T &z`; "" if there is none. */
struct slice kernel_plain_name(const struct kernel_reader *r, TSNode node);
int64_t kernel_value_of(struct kernel_reader *r, TSNode node);
int64_t kernel_lookup(const struct kernel_reader *r, struct slice name);
int64_t kernel_number(struct slice text);
/* Sets the variable of that name in the current block; a second value makes it unknown. */
void kernel_learn(struct kernel_reader *r, struct slice name, int64_t value);
/* The variable that the name means here gets another value, so it is unknown which value it has where. */
void kernel_change(struct kernel_reader *r, struct slice name, int64_t value);
int64_t kernel_not(struct kernel_facts *facts, int64_t value);
int64_t kernel_and(struct kernel_facts *facts, int64_t a, int64_t b);
/* The value if the function is called with these arguments; NULL: they are unknown. */
int64_t kernel_put_in(struct kernel_reader *r, int64_t value, const int64_t *params);
/* The number that a value has with these arguments, or KERNEL_UNKNOWN. `name` gets the dataflow buffer that it names; may be
 * NULL. */
int64_t kernel_settle(const struct kernel_facts *facts, int64_t value, const struct kernel_args *args,
                      const struct kernel_name **name);

#endif
