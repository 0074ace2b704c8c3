/* SPDX-License-Identifier: Apache-2.0 */
/* A log that ends inside a program without a word: the process was killed, or the log was cut. */
#ifndef TTMEM_ANALYSIS_CUT_H
#define TTMEM_ANALYSIS_CUT_H

#include "model/run.h"

struct log_cut {
    bool cut;
    struct slice program; /* "main" */
    bool has_op;          /* the last record before the end */
    uint64_t op_index;
};

struct log_cut log_cut_of(const struct run *run);

/* Whether the end of a log may lie inside a program: false is certain. Looks at the last few megabytes alone. */
bool log_cut_maybe(struct slice text);

#endif
