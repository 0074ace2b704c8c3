/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a kernel source: size, shape, and which buffers it fills and empties. Takes text, opens no files. */
#ifndef TTMEM_PARSE_CB_KERNEL_H
#define TTMEM_PARSE_CB_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/vec.h"

/* In unresolved facts, indices below KERNEL_UNKNOWN stand for compile-time arguments: by number and, from KERNEL_NAMED on,
 * by name. */
enum { KERNEL_UNKNOWN = -1, KERNEL_ARG = -2, KERNEL_NAMED = -1000000, KERNEL_NAME_ROOM = 56 };

enum kernel_cb_op { KERNEL_RESERVE, KERNEL_PUSH, KERNEL_WAIT, KERNEL_POP, KERNEL_CB_OPS };
extern const char *const kernel_cb_op_names[KERNEL_CB_OPS]; /* "cb_reserve_back", ... */

/* "in0": the kernel's name for a dataflow buffer; "@cb_out": a compile-time argument of that name. */
struct kernel_name {
    char text[KERNEL_NAME_ROOM];
};

struct kernel_cb_use {
    int64_t index;           /* KERNEL_UNKNOWN: this file and its compile-time arguments do not tell */
    struct kernel_name name; /* for a dataflow buffer, which has no index; else "" */
    uint32_t ops[KERNEL_CB_OPS];
    uint32_t pop_loops; /* loops around its innermost pop */
    int64_t guard;      /* if it is 0 with a kernel's arguments, the code does not exist */
    bool elsewhere;     /* also passed to a function that may fill or empty it */
};

/* a op b, or for '?' a ? b : c; operands are numbers, arguments, names and earlier expressions. */
struct kernel_expression {
    char op;
    int64_t a, b, c;
};

struct kernel_facts {
    uint64_t bytes;
    uint32_t lines;
    uint32_t functions;
    uint32_t loops;
    uint32_t complexity; /* functions + branches: if, loops, case, &&, ||, ?: */
    VEC(struct kernel_cb_use) uses;
    VEC(struct kernel_name) names;
    VEC(struct kernel_expression) expressions;
    bool understood; /* parsed within the bounds */
    bool low_level;  /* calls functions below the level of circular buffers */
};

/* Compile-time arguments from the host. */
struct kernel_args {
    const int64_t *values; /* -1: unknown */
    uint32_t n;
    const struct cb_named_arg *named;
    uint32_t n_named;
};

struct cpp_tree;

/* Reads facts from the texts alone; indices that are compile-time arguments are not resolved yet. `headers` are parsed
 * includes whose functions it may call. */
void kernel_facts_read(struct kernel_facts *facts, struct slice text, const struct cpp_tree *const *headers, size_t n_headers);
/* Makes a copy for one use of the kernel. */
void kernel_facts_resolve(struct kernel_facts *out, const struct kernel_facts *facts, const struct kernel_args *args);
void kernel_facts_release(struct kernel_facts *facts);

#endif
