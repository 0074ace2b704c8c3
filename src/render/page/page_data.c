/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/page_data.h"

#include <stdio.h>

#include "analysis/run/padding.h"
#include "base/utf8.h"

void page_data_init(struct page_data *page) {
    *page = (struct page_data){0};
    page->str = (struct page_strings){COL_STR_OFFSET, COL_STR, {0}};
    page->text = (struct page_strings){COL_TEXT_OFFSET, COL_TEXT, {0}};
    for (unsigned i = 0; i < 2; i++) {
        page_push(&page->columns, i ? COL_TEXT_OFFSET : COL_STR_OFFSET, 0);
        page_push(&page->columns, i ? COL_TEXT_OFFSET : COL_STR_OFFSET, 0);
    }
    page_push(&page->columns, COL_TPL_IN, 0);
    page_push(&page->columns, COL_TPL_OUT, 0);
    page_push(&page->columns, COL_TPL_WEIGHT, 0);
}

void page_data_release(struct page_data *page) {
    page_columns_release(&page->columns);
    map_release(&page->str.ids);
    map_release(&page->text.ids);
    strbuf_release(&page->meta);
    strbuf_release(&page->registry);
    strbuf_release(&page->scratch);
    vec_release(&page->modules);
}

static uint32_t intern(struct page_data *page, struct page_strings *table, struct slice s) {
    if (!s.len) return 0;
    bool added;
    uint32_t *id = map_at(&table->ids, hash_bytes(s), &added);
    if (!added) return *id;
    strbuf_clear(&page->scratch);
    utf8_add_valid(&page->scratch, s);
    size_t end = page_len(&page->columns, table->bytes) + page->scratch.len;
    if (end > UINT32_MAX) return *id = 0; /* offsets have 32 bits */
    *id = (uint32_t)page_len(&page->columns, table->offsets) - 1;
    page_push_bytes(&page->columns, table->bytes, strbuf_slice(&page->scratch));
    page_push(&page->columns, table->offsets, (uint32_t)end);
    return *id;
}

uint32_t page_str(struct page_data *page, struct slice s) { return intern(page, &page->str, s); }
uint32_t page_text(struct page_data *page, struct slice s) { return intern(page, &page->text, s); }

uint32_t page_location(struct page_data *page, struct slice full, struct slice shown) {
    bool quoted = full.len == shown.len + 2 && full.ptr[0] == '"' && slice_equal(slice_of(full.ptr + 1, shown.len), shown);
    return quoted || slice_equal(full, shown) ? 0 : page_text(page, full);
}

static uint32_t layout_text(struct page_data *page, const struct tensor_type *type) {
    char text[96];
    /* the order of elements is unknown for a buffer of which only the bytes are known */
    if (slice_equal(type->dtype, SLICE("bytes")) || slice_equal(type->dtype, SLICE("kernel")))
        return page_str(
            page, type->memory_layout == LAYOUT_NONE ? slice_of("", 0) : slice_from(memory_layout_name(type->memory_layout)));
    return page_str(page, slice_of(text, tensor_layout_text(type, text, sizeof text)));
}

static uint32_t padded_shape(struct page_data *page, const struct tensor_type *type) {
    char text[256];
    if (!type->tiled) return 0;
    struct slice padded = slice_of(text, tensor_padded_shape(type, text, sizeof text));
    return slice_equal(padded, type->shape) ? 0 : page_str(page, padded);
}

uint32_t page_type(struct page_data *page, const struct tensor_type *type, const struct memory_geometry *geometry) {
    static const uint8_t pools[BUFFER_TYPE_COUNT] = {
        [BUFFER_NONE] = PAGE_NO_POOL,      [BUFFER_DRAM] = POOL_DRAM,   [BUFFER_L1] = POOL_L1,
        [BUFFER_L1_SMALL] = POOL_L1_SMALL, [BUFFER_TRACE] = POOL_TRACE, [BUFFER_HOST] = PAGE_NO_POOL};
    struct page_columns *c = &page->columns;
    uint64_t logical = type->logical_known ? type->logical_bytes : 0;
    uint64_t physical = tensor_stored_bytes(type, geometry);
    struct padding_advice advice;
    padding_advise(type, geometry, &advice);
    page_push(c, COL_TYPE_SHAPE, page_str(page, type->shape));
    page_push(c, COL_TYPE_DTYPE, page_str(page, type->dtype));
    page_push(c, COL_TYPE_STORAGE, slice_equal(type->storage, type->dtype) ? 0 : page_str(page, type->storage));
    page_push(c, COL_TYPE_LAYOUT, type->has_layout ? layout_text(page, type) : 0);
    page_push(c, COL_TYPE_GRID, slice_equal(type->grid, SLICE("1x1")) ? 0 : page_str(page, type->grid));
    page_push(c, COL_TYPE_PADDED, type->has_layout ? padded_shape(page, type) : 0);
    page_push(c, COL_TYPE_POOL, type->has_layout ? pools[type->buffer] : PAGE_NO_POOL);
    page_push_wide(c, COL_TYPE_LOGICAL, logical);
    page_push_wide(c, COL_TYPE_PHYSICAL, physical);
    page_push_wide(c, COL_TYPE_BANK, tensor_per_bank_bytes(type, geometry));
    page_push(c, COL_TYPE_ADVICE, page_str(page, slice_from(advice.text)));
    page_push_wide(c, COL_TYPE_BETTER, advice.bytes);
    page_push(c, COL_TYPE_TEXT, page_text(page, type->text));
    return (uint32_t)page_len(c, COL_TYPE_SHAPE) - 1;
}

void page_line(void *context, const struct ir_line *line) {
    struct page_lines *lines = context;
    struct page_columns *c = &lines->page->columns;
    page_push(c, COL_LOC_MODULE, lines->module);
    page_push(c, COL_LOC_NAME, page_str(lines->page, line->location));
    page_push(c, COL_LOC_LINE, line->number < UINT32_MAX ? (uint32_t)line->number : 0);
    page_push(c, COL_LOC_OP, page_str(lines->page, line->op));
    page_push(c, COL_LOC_VALUE, page_str(lines->page, line->value));
    page_push(c, COL_LOC_FUNCTION, page_str(lines->page, line->function));
}

void page_template_end(struct page_data *page, uint32_t name, uint32_t loc, uint32_t loc_full, uint32_t attrs) {
    struct page_columns *c = &page->columns;
    page_push(c, COL_TPL_NAME, name);
    page_push(c, COL_TPL_LOC, loc);
    page_push(c, COL_TPL_LOC_FULL, loc_full);
    page_push(c, COL_TPL_ATTRS, attrs);
    page_push(c, COL_TPL_IN, (uint32_t)page_len(c, COL_IN_NAME));
    page_push(c, COL_TPL_OUT, (uint32_t)page_len(c, COL_OUT_NAME));
    page_push(c, COL_TPL_WEIGHT, (uint32_t)page_len(c, COL_WEIGHT));
}
