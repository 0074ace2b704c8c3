/* SPDX-License-Identifier: Apache-2.0 */
/* What passes leave behind, in the page's data. */
#ifndef TTMEM_RENDER_PAGE_LEAKS_H
#define TTMEM_RENDER_PAGE_LEAKS_H

#include "analysis/pass/leaks.h"
#include "base/json_write.h"

/* Member "leaks" of `meta`; nothing if passes leave nothing behind. */
void page_leaks(struct json *j, const struct run *run, const struct leaks *leaks);

#endif
