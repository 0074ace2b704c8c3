/* SPDX-License-Identifier: Apache-2.0 */
/* Failures and caveats in the form of the page's `meta`. */
#ifndef TTMEM_RENDER_PAGE_FAILURES_H
#define TTMEM_RENDER_PAGE_FAILURES_H

#include "base/json_write.h"
#include "render/page/page_run.h"

void page_failures(struct json *j, const struct output_job *job, const struct page_ids *ids);
void page_caveats(struct json *j, const struct output_job *job);

#endif
