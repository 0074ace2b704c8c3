/* SPDX-License-Identifier: Apache-2.0 */
/* One op as MLIR prints it on one line: in `Executing operation:` lines and in module dumps.
 *   [%N = | %N:K = ]"dialect.op"(operands) [<{properties}>] [(regions)] [{attributes}] : (types) -> types loc(...)
 * and the custom forms `ttcore.load_cached(@f, [%a])`, `func.call @f(%a)`. Slices point into the parsed text. */
#ifndef TTMEM_PARSE_OP_H
#define TTMEM_PARSE_OP_H

#include <stdbool.h>

#include "base/slice.h"
#include "base/vec.h"

struct op_operand {
    struct slice value; /* "%arg0", "%5#1" */
    struct slice type;  /* empty if the line was cut */
};

struct op_text {
    struct slice result; /* "%5"; empty if there is none */
    unsigned result_count;
    struct slice name;          /* "ttnn.matmul" */
    struct slice callee;        /* "main_const_eval_0", without @ */
    struct slice properties;    /* inside <{ }> */
    struct slice attributes;    /* discardable ones, inside { } */
    struct slice operand_types; /* as printed, inside ( ) */
    struct slice result_type;   /* as printed */
    struct slice location;      /* inside loc( ) */
    bool truncated;             /* brackets do not balance, or no location closes the line */
    VEC(struct op_operand) operands;
    VEC(struct slice) result_types;
};

/* Parses into `op`, whose vecs are reused; a zeroed struct is ready. False if there is no op name at all. */
bool op_parse(struct slice text, struct op_text *op);
void op_release(struct op_text *op);

/* The part of a result value that names the op: "%5#1" -> "%5", with the number after # in *index. */
struct slice op_value_base(struct slice value, unsigned *index);

#endif
