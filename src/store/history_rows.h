/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a history's tables, for readers. */
#ifndef TTMEM_STORE_HISTORY_ROWS_H
#define TTMEM_STORE_HISTORY_ROWS_H

#include "store/history.h"

#define HISTORY_RUN_COLUMNS \
    "r.run_id, r.added, r.name, r.model, r.git_commit, r.branch, r.host, r.job, r.chip, r.source, r.ops, r.has_ops"
enum { HISTORY_RUN_COLUMN_COUNT = 12 };

/* Rows of ttmem_rank_peaks whose pool is this or more are figures of the rank (enum footprint_figure): bytes, and those that
 * a percentage refers to. */
enum { HISTORY_FIGURES = 16 };

/* A copy of a row's text, which is itself valid only until the next row. */
struct slice history_keep(struct arena *arena, const struct store_value *value);

/* HISTORY_RUN_COLUMNS -> a run. */
struct history_run history_row_run(struct arena *arena, const struct store_value *row);

/* From the bits kept beside the figures of free memory: see history_add. Those of HISTORY_BOUND_BITS make it a lower bound;
 * so does a failure that ended the run. */
struct history_peak history_row_peak(const struct store_value *bits, bool ended);
#define HISTORY_BOUND_BITS 30 /* known only around programs, not measured, sizes that are bounds */
#define HISTORY_SIZE_BIT 16   /* the last of them */

/* Where the failures that ended a run are: a table `e` and a condition on its rows, `at` from 0; NULL: the history has no
 * more of them. */
const char *history_ended_source(const struct store *store, size_t at);

#endif
