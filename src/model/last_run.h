/* SPDX-License-Identifier: Apache-2.0 */
/* The last complete pass of a log with warm-up passes, as parts of its bytes.
 *
 * A pass begins with the first program that runs more than once, or with the first submit like it if the log has no program
 * lines. It ends at the next such beginning, or at a program that never finished. It is complete unless it is merely the
 * beginning of the pass before it. If the log has markers (a print after each pass), a pass is the text between two of them.
 *
 * Module dumps outside the pass belong to it, because they tell weights from inputs. */
#ifndef TTMEM_MODEL_LAST_RUN_H
#define TTMEM_MODEL_LAST_RUN_H

#include "base/err.h"
#include "model/run.h"

#define LAST_RUN_MARKER "Got output shape:"

struct log_part {
    size_t begin, end;   /* bytes; whole lines */
    uint64_t first_line; /* 1-based */
};

struct last_run {
    VEC(struct log_part) parts; /* in the order of the log */
    uint64_t first_line;        /* of the pass; with several ranks that of the first one */
    size_t dumps;               /* module dumps outside of it */
    size_t ranks;               /* that ran something: each has its own pass, separated by its tag */
    uint64_t passes;            /* in the log, complete or not */
    bool by_marker;
};

/* `run` was read from `log`. `marker` NULL: LAST_RUN_MARKER if the log has it, else programs and submits. Returns -1 with
 * ERR_LACKS if the log does not show where a pass ends. */
int last_run_find(struct last_run *out, const struct run *run, struct slice log, const char *marker, struct err *err);
void last_run_release(struct last_run *last);

#endif
