/* SPDX-License-Identifier: Apache-2.0 */
/* Markdown, wherever it is written: text from a log stays in its cell, line or list item and means nothing but itself. */
#ifndef TTMEM_RENDER_MARKDOWN_H
#define TTMEM_RENDER_MARKDOWN_H

#include "base/strbuf.h"

/* Appends the text with every character escaped that would end a cell, start markup, HTML, a link or a code span (brackets that
 * make no link and underscores within a word stay). Tabs and line ends become spaces, other control bytes, bidi controls and
 * invalid UTF-8 become U+FFFD. A text of more than `most` characters (0: no limit) is cut to most - 3 of them and "...". */
void md_text(struct strbuf *out, struct slice text, size_t most);

/* The same at the start of a line or list item, where a further set of characters opens a block. */
void md_item(struct strbuf *out, struct slice text, size_t most);

/* "| text ", "N/A" when empty. */
void md_cell(struct strbuf *out, struct slice text, size_t most);

/* A code span: the text stands in it as it is, whatever backticks it holds; what md_text replaces is replaced here too. A
 * table ends its cells before it looks for code: `in_cell` keeps a | from that. */
void md_code(struct strbuf *out, struct slice text, bool in_cell);

#endif
