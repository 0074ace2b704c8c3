/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the modules of a report are those that ran: an older report does not list its files, so that the modules of another
 * run beside it are noticed by the operations alone. */
#ifndef TTMEM_INPUT_REPORT_IR_H
#define TTMEM_INPUT_REPORT_IR_H

#include "base/json_read.h"
#include "base/table/map.h"
#include "input/report/report_files.h"

struct report_ir {
    struct map lines;     /* operation, value and shape of the modules' lines */
    size_t modules;       /* with text */
    size_t probed, found; /* operations that ran, and those of them that a module has */
    struct map places;    /* names of locations in the modules */
    size_t placed, known; /* operations with a location, and those of them whose location a module has */
};

/* Takes a module of the TTNN stage: its text, and its index of locations. */
void report_ir_take(struct report_ir *ir, struct json_value module);

/* Looks for an operation that ran. */
void report_ir_probe(struct report_ir *ir, struct json_value op);

/* ERR_INPUT when the modules hold none of the operations, or, where every one of the `programs` has its module, next to none or
 * not nearly all of their locations. */
int report_ir_check(const struct report_ir *ir, const struct report_files *files, size_t programs, struct err *err);
void report_ir_release(struct report_ir *ir);

#endif
