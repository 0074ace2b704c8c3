/* SPDX-License-Identifier: Apache-2.0 */
/* Which arguments are weights according to a report's files: the registry, or the lists of the ops if it is missing. */
#ifndef TTMEM_INPUT_REPORT_WEIGHTS_H
#define TTMEM_INPUT_REPORT_WEIGHTS_H

#include "base/json_read.h"
#include "input/report/report_files.h"
#include "model/run.h"

struct told_argument {
    uint32_t program; /* program_index in the files, or NONE */
    uint32_t row;     /* row in the registry, and the row that represents its buffer; NONE: not recorded */
    uint32_t buffer;
    struct registry_entry entry;
};

/* An entry of the registry, by its index there. */
struct registry_row {
    struct slice name;
    uint64_t bytes;
    bool has_bytes;
};

struct report_weights {
    struct arena arena;
    VEC(struct told_argument) arguments;
    VEC(struct registry_row) rows;
    struct map known; /* keyed by program and argument */
    bool by_operations;
};

/* Reads the registry file, if there is one. */
int report_weights_read(struct report_weights *weights, const struct report_files *files, struct json_reader *reader,
                        struct err *err);

/* Are the weights that an op lists those of the registry? ERR_INPUT if not. */
int report_weights_check(const struct report_weights *weights, const struct report_files *files, uint64_t index,
                         struct json_value op, struct err *err);

/* Takes what an op of a program, not of a const-eval graph, says about the arguments that it uses. */
void report_weights_of_op(struct report_weights *weights, uint32_t program, struct json_value op);

/* Makes them the registry of the run, in file order; `program_of` are the files' numbers of the run's programs. */
void report_weights_end(struct report_weights *weights, struct run *run, const uint32_t *program_of);
void report_weights_release(struct report_weights *weights);

#endif
