/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of a run as rows of a table. */
#ifndef TTMEM_TUI_OP_TABLE_H
#define TTMEM_TUI_OP_TABLE_H

#include "tui/opened.h"
#include "tui/table.h"

/* The initial sort order. */
enum op_order { OPS_BY_INDEX, OPS_BY_DRAM, OPS_BY_CHANGE };

/* The table keeps the run; a row is a record. */
void op_table_init(struct table *table, const struct run *run, enum op_order order);

/* Cells that other tables have too: a size or a change in MB (INT64_MIN: nothing), "32x64 bf16", where in the model a step
 * is. */
void cell_milli(struct strbuf *out, int64_t milli, bool with_sign);
void cell_type(struct strbuf *out, const struct tensor_type *type);

/* < 0, 0, > 0. */
int cell_order(int64_t a, int64_t b);
int cell_order_text(struct slice a, struct slice b);

#endif
