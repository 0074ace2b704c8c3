/* SPDX-License-Identifier: Apache-2.0 */
/* Memory over the ops of a run as a graph of block characters, with a cursor. */
#ifndef TTMEM_TUI_TIMELINE_H
#define TTMEM_TUI_TIMELINE_H

#include "tui/opened.h"
#include "tui/screen.h"

struct timeline {
    const struct opened *opened;
    enum pool pool;
    /* per record: the higher of before and after, thousandths of a MB per bank; NULL: not made yet */
    uint32_t *values[POOL_COUNT];
    size_t first, count;           /* records shown */
    size_t cursor;                 /* record */
    bool to_capacity;              /* the scale extends to the bank's size */
    int graph_column, graph_width; /* as drawn, for the mouse */
    int graph_row, graph_rows;
};

void timeline_init(struct timeline *timeline, const struct opened *opened);
void timeline_draw(struct timeline *timeline, int row, int rows);

/* Moves, zooms, changes the pool. True: the op at the cursor was chosen. */
bool timeline_event(struct timeline *timeline, struct event event);
void timeline_release(struct timeline *timeline);

#endif
