/* SPDX-License-Identifier: Apache-2.0 */
/* The only writer of markdown: headings, tables, escaping. Text from a log stays in its cell, line or list item and is never
 * markup. */
#ifndef TTMEM_RENDER_MARKDOWN_H
#define TTMEM_RENDER_MARKDOWN_H

#include <stdbool.h>

#include "base/strbuf.h"

/* Appends the text with every character escaped that would end a cell, start markup, HTML, a link or a code span (brackets that
 * make no link and underscores within a word stay). Tabs and line ends become spaces, other control bytes, bidi controls and
 * invalid UTF-8 become U+FFFD. A text of more than `most` characters (0: no limit) is cut to most - 3 of them and "...". */
void md_text(struct strbuf *out, struct slice text, size_t most);

/* The same at the start of a line or list item, where further characters open a block. */
void md_item(struct strbuf *out, struct slice text, size_t most);

/* "## title" on a line. */
void md_heading(struct strbuf *out, unsigned level, struct slice title);

/* A table: its headings separated by '|', a '>' before one that is right-aligned; then cells and the end of each row. The
 * caller writes the escaped content of a cell after md_cell_open. */
void md_table(struct strbuf *out, struct slice headings);
void md_cell_open(struct strbuf *out);
void md_row_end(struct strbuf *out);

/* A whole cell: text from outside ("N/A" if empty), or words of our own. */
void md_cell(struct strbuf *out, struct slice text, size_t most);
void md_cellf(struct strbuf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next of headings written as above; false at the end. */
bool md_next_heading(struct slice *rest, struct slice *heading, bool *right);

/* A code span: the text is kept as it is, whatever backticks it contains; what md_text replaces is replaced here too. A
 * table ends its cells before it looks for code: `in_cell` protects a | from that. */
void md_code(struct strbuf *out, struct slice text, bool in_cell);

#endif
