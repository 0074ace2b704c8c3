/* SPDX-License-Identifier: Apache-2.0 */
/* The distinct ops of a run as templates of the page: text, operands, results and the weights they use. */
#ifndef TTMEM_RENDER_PAGE_OPS_H
#define TTMEM_RENDER_PAGE_OPS_H

#include "render/page/page_data.h"

/* Fills the template columns and step_template. `types` maps run.types to the page's type table. */
void page_ops(struct page_data *page, const struct run *run, const uint32_t *types);

#endif
