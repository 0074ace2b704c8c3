/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that would make it fit, in the page's data. */
#ifndef TTMEM_RENDER_PAGE_FIT_H
#define TTMEM_RENDER_PAGE_FIT_H

#include "base/json_write.h"
#include "model/run.h"

/* Member "fit" of `meta`; nothing if there is nothing to say. */
void page_fit(struct json *j, const struct run *run);

#endif
