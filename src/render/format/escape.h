/* SPDX-License-Identifier: Apache-2.0 */
/* Makes log text safe for HTML, SVG and XML; render/format/markdown.h does it for markdown, base/json_write.h for JSON,
 * base/term.h for the terminal. */
#ifndef TTMEM_RENDER_ESCAPE_H
#define TTMEM_RENDER_ESCAPE_H

#include "base/strbuf.h"

/* As text or an attribute's value. The result is valid UTF-8; tabs become spaces, control and bad bytes U+FFFD. */
void escape_xml(struct strbuf *out, struct slice text);
/* JSON inside a script element: '<' occurs only inside strings, and written as \u003c it cannot end the element. */
void escape_json_in_html(struct strbuf *out, struct slice json);
/* A part of a URL: everything but letters, digits and -_.~ as %XX. */
void escape_url_part(struct strbuf *out, const char *text);
/* For a workflow command of GitHub: %, CR and LF end or change it, and so do : and , in its properties; nothing else does. */
void escape_github(struct strbuf *out, struct slice text, bool property);

#endif
