/* SPDX-License-Identifier: Apache-2.0 */
/* The history as a page: DRAM and L1 peaks of every model over time, newest models first. Points link to the reports of the
 * catalog and to differences. */
#ifndef TTMEM_SERVE_TRENDS_PAGE_H
#define TTMEM_SERVE_TRENDS_PAGE_H

#include "base/strbuf.h"
#include "serve/catalog.h"

/* If there is no history, or it cannot be read, the page says so. */
void trends_page(struct strbuf *out, const struct catalog *catalog);

#endif
