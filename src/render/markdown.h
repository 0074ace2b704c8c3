/* Text from a log inside markdown: it stays in its cell, line or list item and means nothing but itself. */
#ifndef TTMEM_RENDER_MARKDOWN_H
#define TTMEM_RENDER_MARKDOWN_H

#include "base/strbuf.h"

/* Appends the text with every character escaped that would end a cell, start markup, HTML, a link or a code span. Control
 * bytes, line ends, bidi controls and invalid UTF-8 become U+FFFD. A text of more than `most` characters (0: no limit) is cut
 * to most - 3 of them and "...". */
void md_text(struct strbuf *out, struct slice text, size_t most);

/* The same at the start of a line or list item, where a further set of characters opens a block. */
void md_item(struct strbuf *out, struct slice text, size_t most);

/* "| text ", "N/A" when empty. */
void md_cell(struct strbuf *out, struct slice text, size_t most);

/* `path` as a word of a shell command inside a code span: as it is, in single quotes, or LOG when neither is safe or it is "-".
 */
void md_log_word(struct strbuf *out, const char *path);

#endif
