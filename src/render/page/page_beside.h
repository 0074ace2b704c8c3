/* SPDX-License-Identifier: Apache-2.0 */
/* What the page shows beside the memory of the devices: when each step began, programs that are kept, the memory of the
 * processes on the host, the KV cache of a server. */
#ifndef TTMEM_RENDER_PAGE_BESIDE_H
#define TTMEM_RENDER_PAGE_BESIDE_H

#include "base/json_write.h"
#include "model/run.h"
#include "render/page/page_columns.h"

void page_beside(struct page_columns *columns, const struct run *run);

/* Members "time" and "host" of `meta`: null if unknown. */
void page_beside_meta(struct json *j, const struct run *run);

#endif
