/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of the report for agents: its sections. A section writes at most `limit` rows and returns how many there are;
 * with limit 0, or without rows, it writes nothing. */
#ifndef TTMEM_RENDER_REPORT_MD_PARTS_H
#define TTMEM_RENDER_REPORT_MD_PARTS_H

#include "analysis/run/thresholds.h"
#include "render/markdown/report_md.h"

enum { LOCATION_MOST = 50, NAME_MOST = 60, SHAPE_MOST = 60, DTYPE_MOST = 24, WEIGHT_NAME_MOST = 100, RANK_MOST = 24 };

struct md_page {
    struct strbuf *out;
    const struct run *run;
    const struct overview *o;
    const struct report_figures *figures;
    const struct report_request *request;
};

typedef size_t md_section(struct md_page *p, size_t limit);

md_section md_configuration, md_peaks, md_consumers, md_padding, md_weights, md_distribution;
md_section md_failures, md_left, md_growth, md_live, md_fragmentation, md_would_fit, md_caveats;

/* "| 12 | ttnn.add | add.3", "N/A" if the record has none; NONE means a state from the start. */
void md_op_cells(struct md_page *p, uint32_t record, bool with_location);

/* The same for a row that represents several records: "| 12 | ttnn.add (8 times) | add.3". */
void md_times_cells(struct md_page *p, const struct top_op *row, bool with_location);

/* "| 8x1000, 1000" */
void md_shapes_cell(struct md_page *p, const struct op *op, bool results);

/* "\nDig deeper: `ttmem op LOG 12`\n" */
void md_next(struct md_page *p, const char *command, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* For a list with the largest first: "Rank|", which is the position, and the columns; for a run of several ranks "Place|"
 * and the columns, and at the end the rank, in the cell that md_rank_cell adds. */
void md_top_table(struct md_page *p, struct slice columns);
void md_rank_cell(struct md_page *p, uint32_t record);

/* The same for what is alive at the DRAM peak of one rank: a line before the table names the rank. */
void md_alive_table(struct md_page *p, struct slice columns);

/* "\n*... and 12 more weights*\n", nothing for 0. */
void md_more(struct md_page *p, uint64_t count, const char *what);

/* Sentences about thresholds, each after `front`: "DRAM at 92.9%, above 90%: risk of ...". */
void md_threshold(struct md_page *p, const char *front, const char *what, enum metric metric, uint64_t part, uint64_t whole);

#endif
