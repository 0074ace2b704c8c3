/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the modules of a report are those that ran: an older report does not list its files, so modules of another run
 * can only be noticed by their ops. */
#ifndef TTMEM_INPUT_REPORT_IR_H
#define TTMEM_INPUT_REPORT_IR_H

#include "base/json_read.h"
#include "base/table/map.h"
#include "input/report/report_files.h"

struct report_ir {
    struct map lines;     /* op, value and shape of the modules' lines */
    size_t modules;       /* number with text */
    size_t probed, found; /* ops that ran, and how many of them a module has */
    struct map places;    /* names of locations in the modules */
    size_t placed, known; /* ops with a location, and how many of these locations a module has */
};

/* Takes a module of the TTNN stage: its text, and its index of locations. */
void report_ir_take(struct report_ir *ir, struct json_value module);

/* Looks up an op that ran. */
void report_ir_probe(struct report_ir *ir, struct json_value op);

/* ERR_INPUT if the modules have none of the ops, or, if every one of the `programs` has its module, hardly any of them or
 * not nearly all of their locations. */
int report_ir_check(const struct report_ir *ir, const struct report_files *files, size_t programs, struct err *err);
void report_ir_release(struct report_ir *ir);

#endif
