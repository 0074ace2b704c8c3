/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of the report page (web/DATA.md): sequences of typed values, and the bytes of any part of a section in the
 * coding that the page reads. Reading a part needs no other part, so several threads pack sections piece by piece. */
#ifndef TTMEM_RENDER_PAGE_COLUMNS_H
#define TTMEM_RENDER_PAGE_COLUMNS_H

#include <stdint.h>

#include "base/strbuf.h"
#include "base/vec.h"

enum { PAGE_POOLS = 4 };

enum page_section {
    SECTION_MEM,
    SECTION_POOL1,
    SECTION_POOL2,
    SECTION_POOL3,
    SECTION_OPS,
    SECTION_TEMPLATES,
    SECTION_TENSORS,
    SECTION_LOCATIONS,
    SECTION_TEXT,
    SECTION_BESIDE,
    SECTION_COUNT,
};

extern const char *const page_section_names[SECTION_COUNT];

enum page_column {
    COL_STEP_FLAGS,
    COL_STEP_PROGRAM,
    COL_STEP_RANK,
    COL_BLOCK_STEP,
    COL_BLOCK_CONFIG,
    COL_ALLOC, /* one per pool */
    COL_SLACK = COL_ALLOC + PAGE_POOLS,
    COL_GAP = COL_SLACK + PAGE_POOLS,
    COL_STEP_TEMPLATE = COL_GAP + PAGE_POOLS,
    COL_STEP_LINE,
    COL_STEP_AFTER,
    COL_STEP_GRAPH,
    COL_TPL_NAME,
    COL_TPL_LOC,
    COL_TPL_LOC_FULL,
    COL_TPL_ATTRS,
    COL_TPL_IN,
    COL_TPL_OUT,
    COL_TPL_WEIGHT,
    COL_IN_NAME,
    COL_IN_TYPE,
    COL_OUT_NAME,
    COL_OUT_TYPE,
    COL_WEIGHT,
    COL_TYPE_SHAPE,
    COL_TYPE_DTYPE,
    COL_TYPE_STORAGE,
    COL_TYPE_LAYOUT,
    COL_TYPE_GRID,
    COL_TYPE_PADDED,
    COL_TYPE_POOL,
    COL_TYPE_LOGICAL,
    COL_TYPE_PHYSICAL,
    COL_TYPE_BANK,
    COL_TYPE_ADVICE,
    COL_TYPE_BETTER,
    COL_TYPE_TEXT,
    COL_STR_OFFSET,
    COL_STR,
    COL_TEN_BIRTH,
    COL_TEN_LIFE,
    COL_TEN_TYPE,
    COL_TEN_CLASS,
    COL_TEN_BACK,
    COL_TEN_NAME,
    COL_TEN_RANK,
    COL_TEN_ADDRESS,
    COL_LOC_MODULE,
    COL_LOC_NAME,
    COL_LOC_LINE,
    COL_LOC_OP,
    COL_LOC_VALUE,
    COL_LOC_FUNCTION,
    COL_TEXT_OFFSET,
    COL_TEXT,
    COL_STEP_TIME,
    COL_STEP_PROGRAMS,
    COL_HOST_PROCESS,
    COL_HOST_MS,
    COL_HOST_STEP,
    COL_HOST_KB,
    COL_MACHINE_MS,
    COL_MACHINE_STEP,
    COL_MACHINE_HUGE_KB,
    COL_MACHINE_CGROUP_KB,
    COL_KV_MS,
    COL_KV_STEP,
    COL_KV_USED,
    COL_COUNT,
};

/* Values of one column, little-endian as in the machine. */
struct page_values {
    void *items;
    size_t len, cap; /* in values */
};

struct page_columns {
    struct page_values of[COL_COUNT];
};

void page_push(struct page_columns *columns, enum page_column column, uint32_t value);
void page_push_wide(struct page_columns *columns, enum page_column column, uint64_t value);      /* f64 columns */
void page_push_bytes(struct page_columns *columns, enum page_column column, struct slice bytes); /* u8 columns */
void page_reserve(struct page_columns *columns, enum page_column column, size_t values);
uint32_t page_value(const struct page_columns *columns, enum page_column column, size_t at);
static inline size_t page_len(const struct page_columns *columns, enum page_column column) { return columns->of[column].len; }
void page_columns_release(struct page_columns *columns);

/* A column of changes: this many bytes of each, and those that need more. */
struct page_coded {
    uint32_t base; /* the expected change */
    unsigned planes;
    VEC(uint32_t) exceptions; /* in pairs: the index of a value, its change */
};

/* The layout of a section: its header, and where each of its columns begins. Columns with nothing but their default are left
 * out. */
struct page_layout {
    const struct page_columns *columns;
    struct strbuf head;
    size_t count;
    enum page_column column[COL_COUNT];
    struct page_coded of[COL_COUNT]; /* for columns of changes */
    size_t start[COL_COUNT + 1];
    size_t size; /* of the whole section */
};

/* False if the section would have no column. */
bool page_layout_init(struct page_layout *layout, const struct page_columns *columns, enum page_section section);
void page_layout_release(struct page_layout *layout);

/* Bytes [begin, end) of the section. */
void page_layout_bytes(const struct page_layout *layout, size_t begin, size_t end, char *out);

#endif
