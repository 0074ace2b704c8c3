/* SPDX-License-Identifier: Apache-2.0 */
/* The list of reports as a page. */
#ifndef TTMEM_SERVE_INDEX_PAGE_H
#define TTMEM_SERVE_INDEX_PAGE_H

#include "base/strbuf.h"
#include "serve/catalog.h"

void index_page(struct strbuf *out, const struct catalog *catalog, const char *folder);

#endif
