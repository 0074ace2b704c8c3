/* SPDX-License-Identifier: Apache-2.0 */
#include "work/visualizer/page_chunks.h"

void page_chunks_add(page_chunks *out, struct page_chunk now) {
    now.count = 1;
    if (now.page < 0 || now.start < 0 || now.start > INT64_MAX - now.page) return;
    now.end = now.start + now.page;
    for (size_t i = out->len; i-- > 0;) {
        struct page_chunk *known = &out->items[i];
        if (known->device != now.device || known->bank != now.bank || known->x != now.x || known->y != now.y ||
            known->type != now.type)
            continue;
        if (now.start < known->start) known->start = now.start;
        if (now.end > known->end) known->end = now.end;
        if (now.page > known->page) known->page = now.page;
        known->count++;
        return;
    }
    vec_push(out, now);
}
