/* SPDX-License-Identifier: Apache-2.0 */
/* Circular buffers that a C++ host source declares: every form of tt-metal's API, found by running the source symbolically
 * (constants folded, helpers and lambdas of the same file inlined, loops with known bounds unrolled, both sides taken if a
 * condition is unknown). Takes text, opens no files; bounded in time, depth and memory for any text. All strings live in the
 * result's arena. */
#ifndef TTMEM_PARSE_CB_SOURCE_H
#define TTMEM_PARSE_CB_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/vec.h"
#include "device/tile.h"

/* A value given for a name (--set NAME=VALUE): a variable, a parameter, or the last part of an unknown expression. */
struct cb_set {
    struct slice name;
    struct slice value; /* a number, true, false, or a data format; a name @N stands for the number at a point in the text */
    bool fact;          /* about the chip: a size that depends on it still counts as fixed */
};
/* Functions of ttnn that return a property of the device or of a configuration: formulas stop at these. */
bool cb_tells_property(struct slice name);

bool cb_set_truth(struct slice text, bool *truth); /* true, false, or Python's True, False */
/* "16", "0x10", "-1": up to 18 digits. */
bool cb_set_number(struct slice text, int64_t *num);

enum cb_kind { CB_CIRCULAR, CB_DATAFLOW, CB_SCRATCHPAD };
enum cb_strategy { CB_FIXED, CB_ADAPTIVE, CB_TENSOR_BACKED };

/* One index of a buffer; the indices of a buffer share its bytes. */
struct cb_index {
    int64_t index; /* -1: unknown */
    struct slice index_expr;
    struct slice page_expr; /* as written; "" if never set */
    struct slice format;    /* the format's name, or the expression if it does not fold */
    const struct data_format *known_format;
    int64_t page_bytes; /* -1: unknown */
    bool sometimes;     /* added under a condition that the buffer itself does not have */
};

struct cb_condition {
    uint32_t id; /* equal for all sides of the same branch */
    bool side;
    uint32_t which, sides; /* which side it is, of how many; an if has two: 1 yes, 0 no */
    struct slice text;
};

struct cb_decl {
    enum cb_kind kind;
    struct cb_index *indices;
    uint32_t n_indices;
    struct slice name;         /* the program's name for it: an identifier, or the name used for its index */
    struct slice total_expr;   /* as written */
    struct slice total_folded; /* with constants folded and variables followed to the unknowns */
    int64_t total_bytes;       /* declared size, -1: unknown; a tensor-backed buffer takes no memory of its own */
    bool closed;               /* total_folded depends only on parameters and their properties */
    int64_t min_bytes;         /* least memory that it takes */
    int64_t max_bytes;         /* most memory that it takes; -1: no bound */
    bool tensor_backed;
    struct slice alias;       /* a dataflow buffer that shares its memory; "" */
    struct slice backed_when; /* tensor-backed only under this condition */
    bool global;              /* in the memory of a global circular buffer: takes none of the program's */
    bool maybe_global;        /* only under a condition */
    bool sometimes;           /* made under one of several conditions: `conditions` holds what they have in common */
    bool repeats;             /* made by a loop of unknown bounds: there may be more like it */
    enum cb_strategy strategy;
    struct slice *adapts_to;
    uint32_t n_adapts_to;
    struct slice unknown;      /* the first name with unknown value that the size depends on; "" */
    struct slice unknown_root; /* the unknown that this name's value depends on in turn */
    struct slice core_expr;
    struct cb_condition *conditions; /* outermost first */
    uint32_t n_conditions;
    uint32_t line;
    uint32_t program; /* index into programs */
};

struct cb_named_arg {
    struct slice name;
    int64_t value; /* -1: unknown */
};

enum cb_end { CB_END_UNKNOWN, CB_END_PRODUCER, CB_END_CONSUMER };

/* A dataflow buffer that a kernel uses, and the kernel's name for it. */
struct cb_binding {
    struct slice buffer, accessor;
    enum cb_end end;
};

struct cb_kernel_ref {
    struct slice path; /* as written; "" if not a literal */
    uint32_t line;
    uint32_t program;
    int64_t *args; /* compile-time arguments, -1 if unknown */
    uint32_t n_args;
    struct cb_named_arg *named;
    uint32_t n_named;
    struct cb_binding *bindings;
    uint32_t n_bindings;
    bool bindings_open; /* there may be more, or one of them is not understood */
};

struct cb_program {
    struct slice function;
    struct slice variable; /* the variable that holds it in the source; "" if unknown */
    uint32_t line;
    bool open;              /* it may have buffers that are not seen */
    bool negative;          /* in a test that expects a failure: errors there are intended */
    const void *key, *cell; /* used only while scanning */
};

struct cb_helper {
    struct slice name, total; /* total: its size, in terms of its unknowns */
    uint32_t line;
    int64_t min_bytes, max_bytes; /* as for a buffer */
};

/* A place that makes a buffer whose size is not read. */
struct cb_unread {
    uint32_t line;
    struct slice reason;
};

/* A variable that the source sets to a number or a data format. */
struct cb_constant {
    struct slice name;
    int64_t value;
    const struct data_format *format; /* NULL: a number */
    uint32_t line;
    struct slice place; /* for a factor of 2: the name (@N) of the cb_set that replaces it; else "" */
    bool ambiguous;     /* another of the same name has another value */
};

struct cb_source {
    struct arena arena;
    VEC(struct cb_decl) decls;
    VEC(struct cb_kernel_ref) kernels;
    VEC(struct cb_program) programs;
    VEC(struct cb_helper) helpers; /* functions that make a buffer from their parameters and are never called in this file */
    bool kernels_open;             /* a program has kernels that are not seen */
    VEC(struct cb_constant) constants;
    VEC(struct cb_unread) unread;
    bool partial;
    bool partial_everywhere; /* not only in programs that are marked open */
    struct slice partial_reason;
    bool has_errors;    /* some piece of the text is not understood as C++ */
    uint64_t sets_used; /* bit n: the n-th given value was used */
};

/* Cheap test: could this text declare circular buffers? */
bool cb_source_is_candidate(struct slice text);
/* Cheap test: could it make a program that other files fill? */
bool cb_source_makes_program(struct slice text);

struct cpp_tree;

/* `includes` are parsed texts whose functions and constants the source may use; may be NULL. */
void cb_source_scan(struct cb_source *source, struct slice text, const struct cpp_tree *const *includes, size_t n_includes,
                    const struct cb_set *sets, size_t n_sets);
/* The same for Python that py_source translated to C++: names refer to shared objects. */
void cb_source_scan_python(struct cb_source *source, struct slice text, const struct cb_set *sets, size_t n_sets);
void cb_source_release(struct cb_source *source);

#endif
