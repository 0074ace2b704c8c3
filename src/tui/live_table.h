/* SPDX-License-Identifier: Apache-2.0 */
/* What is alive at the DRAM peak as tables: tensor by tensor, and in groups of equal ones. */
#ifndef TTMEM_TUI_LIVE_TABLE_H
#define TTMEM_TUI_LIVE_TABLE_H

#include "analysis/search/live_groups.h"
#include "tui/opened.h"
#include "tui/table.h"

/* The table keeps `opened`; a row is an index into the live set. */
void live_table_init(struct table *table, const struct opened *opened);

/* Shows how much of the exact memory blocks op lines explain. Returns the row after it. */
int live_head_draw(const struct opened *opened, int row);

/* The record that made the tensor of a row, or SLICE_NONE. */
size_t live_table_record(const struct opened *opened, size_t row);

struct group_table {
    const struct opened *opened;
    enum live_by by;
    struct live_groups groups;
    struct table table;
};

void group_table_init(struct group_table *g, const struct opened *opened);
void group_table_next(struct group_table *g); /* groups by the next criterion */
int group_head_draw(const struct group_table *g, int row);
/* The first record that made one of a row's group, or SLICE_NONE. */
size_t group_table_record(const struct group_table *g, size_t row);
void group_table_release(struct group_table *g);

#endif
