/* SPDX-License-Identifier: Apache-2.0 */
/* A run as tables of rows, for csv and sqlite: columns are data, a cell is made when needed. */
#ifndef TTMEM_RENDER_EXPORT_ROWS_H
#define TTMEM_RENDER_EXPORT_ROWS_H

#include "base/num.h"
#include "render/export/export.h"

enum cell_kind { CELL_NULL, CELL_INTEGER, CELL_TEXT };

struct export_cell {
    enum cell_kind kind;
    int64_t number;
    struct slice text;
};

struct export_column {
    const char *name;
    const char *type; /* in SQL */
    void (*get)(const struct output_job *job, size_t row, struct export_cell *cell);
};

struct export_table {
    const char *name;
    const struct export_column *columns; /* NULL-name-terminated */
    size_t (*rows)(const struct output_job *job);
    bool from_overview;
};

extern const struct export_table export_row_tables[]; /* NULL-name-terminated; the last is `run`, keys and values */

/* The overview's answers: peaks, the largest growth, failures. */
extern const struct export_column export_peak_columns[], export_growth_columns[], export_failure_columns[],
    export_run_columns[];
size_t export_peak_rows(const struct output_job *job);
size_t export_growth_rows(const struct output_job *job);
size_t export_failure_rows(const struct output_job *job);
size_t export_run_rows(const struct output_job *job);

static inline void put_integer(struct export_cell *cell, uint64_t n) {
    cell->kind = CELL_INTEGER;
    cell->number = n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static inline void put_id(struct export_cell *cell, uint32_t id) {
    if (id != NONE) put_integer(cell, id);
}

static inline void put_bytes(struct export_cell *cell, int64_t bytes) {
    cell->kind = CELL_INTEGER;
    cell->number = bytes;
}

static inline void put_text(struct export_cell *cell, struct slice text) {
    if (!text.len) return;
    cell->kind = CELL_TEXT;
    cell->text = text;
}

/* The tag as in the log; null for lines without one. */
static inline void put_rank(struct export_cell *cell, const struct run *run, uint16_t rank) {
    put_text(cell, run_string(run, run->ranks.items[rank].name));
}

#endif
