/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of a buffer joined by core, for the table buffer_chunks. */
#ifndef TTMEM_WORK_PAGE_CHUNKS_H
#define TTMEM_WORK_PAGE_CHUNKS_H

#include <stdint.h>

#include "base/vec.h"

struct page_chunk {
    int64_t device, bank, x, y, type, start, end, page, count;
};

typedef VEC(struct page_chunk) page_chunks;

/* A page of `now.page` bytes at `now.start`; impossible ones are left out. */
void page_chunks_add(page_chunks *out, struct page_chunk now);

#endif
