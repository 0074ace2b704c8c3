/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/page_template.h"

#include <stdio.h>

#include "base/embed.h"

/* TTMEM_PAGE_HTML and the others are the paths of the built files (CMakeLists.txt). */
EMBED(ttmem_page_html, TTMEM_PAGE_HTML);
EMBED(ttmem_graph_html, TTMEM_GRAPH_HTML);
EMBED(ttmem_index_html, TTMEM_INDEX_HTML);
EMBED(ttmem_diff_html, TTMEM_DIFF_HTML);
EMBED(ttmem_live_html, TTMEM_LIVE_HTML);
EMBED(ttmem_trends_html, TTMEM_TRENDS_HTML);

struct slice page_template(void) {
    return slice_between(ttmem_page_html_begin, ttmem_page_html_end);
}
struct slice graph_template(void) {
    return slice_between(ttmem_graph_html_begin, ttmem_graph_html_end);
}
struct slice index_template(void) {
    return slice_between(ttmem_index_html_begin, ttmem_index_html_end);
}

struct slice diff_template(void) {
    return slice_between(ttmem_diff_html_begin, ttmem_diff_html_end);
}

struct slice live_template(void) {
    return slice_between(ttmem_live_html_begin, ttmem_live_html_end);
}

struct slice trends_template(void) {
    return slice_between(ttmem_trends_html_begin, ttmem_trends_html_end);
}

struct slice template_until(struct slice *rest, const char *name) {
    char mark[64];
    int n = snprintf(mark, sizeof mark, "@@TTMEM_%s@@", name);
    size_t at = slice_find(*rest, slice_of(mark, (size_t)n));
    struct slice front = slice_take(*rest, at);
    *rest = at == SLICE_NONE ? slice_of("", 0) : slice_skip(*rest, at + (size_t)n);
    return front;
}
