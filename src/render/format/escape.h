/* Log text made harmless for the format it goes into. Output is valid UTF-8; control and bad bytes become U+FFFD. */
#ifndef TTMEM_RENDER_ESCAPE_H
#define TTMEM_RENDER_ESCAPE_H

#include "base/strbuf.h"

void escape_xml(struct strbuf *out, struct slice text);           /* text and attribute values of HTML and SVG */
void escape_markdown(struct strbuf *out, struct slice text);      /* running text and table cells */
void escape_markdown_code(struct strbuf *out, struct slice text); /* as `code`, safe inside table cells */

#endif
