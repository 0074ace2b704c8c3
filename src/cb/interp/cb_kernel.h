/* Facts about a kernel source: size, shape, and which circular buffers it fills and empties. Takes text, opens nothing. */
#ifndef TTMEM_PARSE_CB_KERNEL_H
#define TTMEM_PARSE_CB_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/vec.h"

/* Indices below KERNEL_UNKNOWN stand for compile-time arguments, in facts that are not resolved. */
enum { KERNEL_UNKNOWN = -1, KERNEL_ARG = -2 };

enum kernel_cb_op { KERNEL_RESERVE, KERNEL_PUSH, KERNEL_WAIT, KERNEL_POP, KERNEL_CB_OPS };
extern const char *const kernel_cb_op_names[KERNEL_CB_OPS]; /* "cb_reserve_back", ... */

struct kernel_cb_use {
    int64_t index; /* KERNEL_UNKNOWN: not known from this file and its compile-time arguments */
    uint32_t ops[KERNEL_CB_OPS];
    bool elsewhere; /* also handed to a function that may fill or empty it */
};

struct kernel_facts {
    uint64_t bytes;
    uint32_t lines;
    uint32_t functions;
    uint32_t loops;
    uint32_t complexity; /* functions + branches: if, loops, case, &&, ||, ?: */
    VEC(struct kernel_cb_use) uses;
    bool understood; /* parsed within the bounds */
    bool low_level;  /* calls what lies below the operations on circular buffers */
};

/* What the text alone tells; indices that are compile-time arguments are not resolved yet. */
void kernel_facts_read(struct kernel_facts *facts, struct slice text);
/* A copy for one use of the kernel. `args`: compile-time arguments of the host, -1 where not known. */
void kernel_facts_resolve(struct kernel_facts *out, const struct kernel_facts *facts, const int64_t *args, uint32_t n_args);
void kernel_facts_release(struct kernel_facts *facts);

#endif
