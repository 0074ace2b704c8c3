/* SPDX-License-Identifier: Apache-2.0 */
/* A run as tables of rows, for csv and sqlite: columns are data, a cell is made when it is asked for. */
#ifndef TTMEM_RENDER_EXPORT_ROWS_H
#define TTMEM_RENDER_EXPORT_ROWS_H

#include "render/export/export.h"

enum cell_kind { CELL_NULL, CELL_INTEGER, CELL_MILLI /* thousandths */, CELL_TEXT };

struct export_cell {
    enum cell_kind kind;
    int64_t number;
    struct slice text;
};

struct export_column {
    const char *name;
    const char *type; /* in SQL */
    void (*get)(const struct run *run, size_t row, struct export_cell *cell);
};

struct export_table {
    const char *name;
    const struct export_column *columns; /* NULL-name-terminated */
    size_t (*rows)(const struct run *run);
};

extern const struct export_table export_row_tables[]; /* NULL-name-terminated */

#endif
