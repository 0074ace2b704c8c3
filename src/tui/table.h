/* SPDX-License-Identifier: Apache-2.0 */
/* A list with columns that scrolls, sorts and searches. The caller owns the rows; the table asks for the cells it shows. */
#ifndef TTMEM_TUI_TABLE_H
#define TTMEM_TUI_TABLE_H

#include "base/vec.h"
#include "tui/screen.h"

struct table_column {
    const char *title;
    int width;    /* 0: takes the rest */
    bool right;   /* numbers */
    bool falling; /* largest first if sorted by it */
    int wide;     /* its width on a wide terminal, 0: the same */
    int from;     /* shown on terminals of at least this many columns */
};

struct table {
    const struct table_column *columns;
    size_t column_count;
    size_t row_count;
    void *who;
    /* Appends the cell's text; may change the look. */
    void (*cell)(void *who, size_t row, size_t column, struct strbuf *out, enum look *look);
    /* < 0, 0, > 0; NULL: the table is not sorted. */
    int (*compare)(void *who, size_t a, size_t b, size_t column);
    size_t sort_column;
    bool reversed;
    char search[64];
    bool searching;      /* the search is being typed */
    VEC(uint32_t) order; /* rows shown */
    size_t selected, top;
    int first_row, rows; /* on the screen, as last drawn; for the mouse */
};

/* Sorts and filters; call after a change of the rows, the sort or the search. */
void table_arrange(struct table *table);
void table_draw(struct table *table, int first_row, int rows);

enum table_answer { TABLE_IGNORED, TABLE_MOVED, TABLE_CHOSEN };

/* Moves, sorts (s, S), searches (/). TABLE_CHOSEN: Enter, or a click on the selected row. */
enum table_answer table_event(struct table *table, struct event event);

/* The selected row, or (size_t)-1 if none is shown. */
size_t table_row(const struct table *table);
void table_release(struct table *table);

#endif
