/* SPDX-License-Identifier: Apache-2.0 */
/* The pages made by web/build.mjs, embedded in the program. */
#ifndef TTMEM_RENDER_PAGE_TEMPLATE_H
#define TTMEM_RENDER_PAGE_TEMPLATE_H

#include "base/strbuf.h"

struct slice page_template(void);   /* of a report; marks TITLE, FIRST and REST */
struct slice graph_template(void);  /* of a graph capture; marks TITLE, FIRST and REST */
struct slice index_template(void);  /* of the list of reports; mark ROWS */
struct slice live_template(void);   /* of devices now; no marks */
struct slice trends_template(void); /* of the history; mark DATA */
struct slice diff_template(void);   /* of two runs compared; marks TITLE, HEADLINE, BODY and DATA */

/* Splits a template at "@@TTMEM_<name>@@": returns the text before the mark and leaves the rest. */
struct slice template_until(struct slice *rest, const char *name);

#endif
