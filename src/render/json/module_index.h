/* SPDX-License-Identifier: Apache-2.0 */
/* Which line of a module has which op: its function, its location as shown, its name and its result. */
#ifndef TTMEM_RENDER_MODULE_INDEX_H
#define TTMEM_RENDER_MODULE_INDEX_H

#include "model/run.h"

struct ir_line {
    uint64_t number;       /* from 1 */
    struct slice function; /* "main"; empty outside functions */
    struct slice location; /* empty if unknown */
    struct slice value;    /* "%5"; for an op without a result its first operand */
    struct slice op;       /* "ttnn.matmul" */
};

typedef void ir_line_fn(void *context, const struct ir_line *line);

/* Call `entry` for every op line, in order. The slices are valid during the call. Return the number of lines. */
uint64_t module_index(const struct module *module, struct slice log, ir_line_fn *entry, void *context);
uint64_t module_text_index(struct slice text, ir_line_fn *entry, void *context);

#endif
