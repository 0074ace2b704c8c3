/* SPDX-License-Identifier: Apache-2.0 */
/* A run as the data of a report page. */
#ifndef TTMEM_RENDER_PAGE_RUN_H
#define TTMEM_RENDER_PAGE_RUN_H

#include "render/format/output_job.h"
#include "render/page/page_data.h"

/* The page's numbers for those of the run. */
struct page_ids {
    uint32_t *types;   /* run.types -> type table, NONE */
    uint32_t *modules; /* run.modules -> meta.modules, NONE */
    uint8_t *ranks;    /* run.ranks -> meta.ranks */
    size_t rank_count;
    VEC(uint32_t) config_keys[PAGE_POOLS]; /* per config of meta.configs: id in run.configs or NONE */
};

/* Fills `page`; release it in any case. */
void page_from_run(struct page_data *page, const struct output_job *job);

/* Used by page_from_run: the JSON of `meta` and `registry`, and the modules. */
void page_meta(struct page_data *page, const struct output_job *job, const struct page_ids *ids);
void page_registry(struct page_data *page, const struct run *run);
void page_modules(struct page_data *page, const struct output_job *job, struct page_ids *ids);

#endif
