/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/page_columns.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "base/mem.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "columns are kept in the byte order of the page, which is little-endian"
#endif

const char *const page_section_names[SECTION_COUNT] = {"mem",       "pool1",   "pool2",     "pool3", "ops",
                                                       "templates", "tensors", "locations", "text",  "beside"};

enum column_type { U8, U32, I32, F64 };
enum column_coding { RAW, PLANES, DELTAS };

static const char *const type_names[] = {"u8", "u32", "i32", "f64"};
static const size_t type_widths[] = {1, 4, 4, 8};
static const char *const coding_names[] = {"raw", "planes", "deltas"};

/* A column with nothing but its default is left out, if it has one. */
enum column_default { REQUIRED, ZERO, ONE, ALL_ONES, EMPTY /* without any value */ };

struct column_kind {
    const char *name;
    enum page_section section;
    enum column_type type;
    enum column_coding coding;
    enum column_default absent;
};

#define POOL_COLUMNS(name, absent)                                                                  \
    {name "_0", SECTION_MEM, I32, DELTAS, absent}, {name "_1", SECTION_POOL1, I32, DELTAS, absent}, \
        {name "_2", SECTION_POOL2, I32, DELTAS, absent}, {                                          \
        name "_3", SECTION_POOL3, I32, DELTAS, absent                                               \
    }

/* In the order of enum page_column. */
static const struct column_kind kinds[COL_COUNT] = {
    {"step_flags", SECTION_MEM, U8, RAW, REQUIRED},
    {"step_program", SECTION_MEM, U32, DELTAS, ALL_ONES},
    {"step_rank", SECTION_MEM, U8, RAW, ZERO},
    {"block_step", SECTION_MEM, U32, DELTAS, REQUIRED},
    {"block_config", SECTION_MEM, U8, RAW, ZERO},
    POOL_COLUMNS("alloc", ALL_ONES),
    POOL_COLUMNS("slack", ZERO),
    POOL_COLUMNS("gap", ZERO),
    {"step_template", SECTION_OPS, U32, DELTAS, ALL_ONES},
    {"step_line", SECTION_OPS, U32, DELTAS, ZERO},
    {"step_after", SECTION_OPS, I32, DELTAS, ALL_ONES},
    {"step_graph", SECTION_OPS, I32, DELTAS, ALL_ONES},
    {"tpl_name", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"tpl_loc", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"tpl_loc_full", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"tpl_attrs", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"tpl_in", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"tpl_out", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"tpl_weight", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"in_name", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"in_type", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"out_name", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"out_type", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"weight", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"type_shape", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"type_dtype", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"type_storage", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"type_layout", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"type_grid", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"type_padded", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"type_pool", SECTION_TEMPLATES, U8, RAW, REQUIRED},
    {"type_logical", SECTION_TEMPLATES, F64, RAW, REQUIRED},
    {"type_physical", SECTION_TEMPLATES, F64, RAW, REQUIRED},
    {"type_bank", SECTION_TEMPLATES, F64, RAW, REQUIRED},
    {"type_advice", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"type_better", SECTION_TEMPLATES, F64, RAW, REQUIRED},
    {"type_text", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"str_offset", SECTION_TEMPLATES, U32, DELTAS, REQUIRED},
    {"str", SECTION_TEMPLATES, U8, RAW, REQUIRED},
    {"ten_birth", SECTION_TENSORS, I32, DELTAS, REQUIRED},
    {"ten_life", SECTION_TENSORS, U32, PLANES, ALL_ONES},
    {"ten_type", SECTION_TENSORS, U32, PLANES, REQUIRED},
    {"ten_class", SECTION_TENSORS, U8, RAW, ONE},
    {"ten_back", SECTION_TENSORS, I32, PLANES, ZERO},
    {"ten_name", SECTION_TENSORS, U32, DELTAS, ZERO},
    {"ten_rank", SECTION_TENSORS, U8, RAW, ZERO},
    {"ten_address", SECTION_TENSORS, F64, RAW, ZERO},
    {"loc_module", SECTION_LOCATIONS, U32, DELTAS, REQUIRED},
    {"loc_name", SECTION_LOCATIONS, U32, DELTAS, REQUIRED},
    {"loc_line", SECTION_LOCATIONS, U32, DELTAS, REQUIRED},
    {"loc_op", SECTION_LOCATIONS, U32, DELTAS, ZERO},
    {"loc_value", SECTION_LOCATIONS, U32, DELTAS, ZERO},
    {"loc_function", SECTION_LOCATIONS, U32, DELTAS, ZERO},
    {"text_offset", SECTION_TEXT, U32, DELTAS, REQUIRED},
    {"text", SECTION_TEXT, U8, RAW, REQUIRED},
    {"step_time", SECTION_BESIDE, U32, DELTAS, EMPTY},
    {"step_programs", SECTION_BESIDE, U32, DELTAS, ZERO},
    {"host_process", SECTION_BESIDE, U32, DELTAS, EMPTY},
    {"host_ms", SECTION_BESIDE, U32, DELTAS, ZERO},
    {"host_step", SECTION_BESIDE, I32, DELTAS, ALL_ONES},
    {"host_kb", SECTION_BESIDE, U32, DELTAS, ZERO},
    {"machine_ms", SECTION_BESIDE, U32, DELTAS, EMPTY},
    {"machine_step", SECTION_BESIDE, I32, DELTAS, ALL_ONES},
    {"machine_huge_kb", SECTION_BESIDE, U32, DELTAS, ALL_ONES},
    {"machine_cgroup_kb", SECTION_BESIDE, U32, DELTAS, ALL_ONES},
    {"kv_ms", SECTION_BESIDE, U32, DELTAS, ZERO},
    {"kv_step", SECTION_BESIDE, I32, DELTAS, ALL_ONES},
    {"kv_used", SECTION_BESIDE, U32, DELTAS, EMPTY},
};

void page_reserve(struct page_columns *columns, enum page_column column, size_t values) {
    struct page_values *v = &columns->of[column];
    if (v->cap < values) v->items = mem_grow(v->items, &v->cap, values, type_widths[kinds[column].type]);
}

void page_push(struct page_columns *columns, enum page_column column, uint32_t value) {
    struct page_values *v = &columns->of[column];
    if (v->len == v->cap) page_reserve(columns, column, v->len + 1);
    if (kinds[column].type == U8) ((uint8_t *)v->items)[v->len++] = (uint8_t)value;
    else ((uint32_t *)v->items)[v->len++] = value;
}

void page_push_wide(struct page_columns *columns, enum page_column column, uint64_t value) {
    struct page_values *v = &columns->of[column];
    page_reserve(columns, column, v->len + 1);
    /* the page reads whole numbers up to 2^53 */
    ((double *)v->items)[v->len++] = (double)(value < (uint64_t)1 << 53 ? value : (uint64_t)1 << 53);
}

void page_push_bytes(struct page_columns *columns, enum page_column column, struct slice bytes) {
    struct page_values *v = &columns->of[column];
    page_reserve(columns, column, v->len + bytes.len);
    if (bytes.len) memcpy((char *)v->items + v->len, bytes.ptr, bytes.len);
    v->len += bytes.len;
}

uint32_t page_value(const struct page_columns *columns, enum page_column column, size_t at) {
    const struct page_values *v = &columns->of[column];
    return kinds[column].type == U8 ? ((const uint8_t *)v->items)[at] : ((const uint32_t *)v->items)[at];
}

void page_columns_release(struct page_columns *columns) {
    for (unsigned i = 0; i < COL_COUNT; i++) free(columns->of[i].items);
    *columns = (struct page_columns){0};
}

static bool is_default(const struct page_columns *columns, enum page_column column) {
    static const uint32_t values[] = {0, 0, 1, UINT32_MAX};
    if (kinds[column].absent == EMPTY) return !columns->of[column].len;
    if (kinds[column].absent == REQUIRED) return false;
    uint32_t wanted = values[kinds[column].absent];
    for (size_t i = 0; i < columns->of[column].len; i++)
        if (page_value(columns, column, i) != wanted) return false;
    return true;
}

/* A change against the expected one, with its sign in the lowest bit: small ones of both signs have the same few bytes. */
static uint32_t folded(uint32_t change, uint32_t base) {
    uint32_t d = change - base;
    return d << 1 ^ (d >> 31 ? UINT32_MAX : 0);
}

static bool fits(uint32_t value, unsigned planes) { return planes >= 4 || !(value >> (8 * planes)); }

/* How many values need more than 0, 1, 2 and 3 bytes. */
static void count_wide(const struct page_values *v, uint32_t base, size_t wide[4]) {
    const uint32_t *items = v->items;
    uint32_t before = 0;
    memset(wide, 0, 4 * sizeof *wide);
    for (size_t i = 0; i < v->len; i++) {
        uint32_t value = folded(items[i] - before, base);
        before = items[i];
        for (unsigned k = 0; k < 4 && !fits(value, k); k++) wide[k]++;
    }
}

/* Enough planes for all but a few values, which are listed individually: the browser then unpacks and reads a byte or two
 * per value instead of four. */
static void choose_planes(const struct page_values *v, struct page_coded *coded) {
    enum { FEW = 1024 };
    const uint32_t *items = v->items;
    size_t wide[4], base_wide[4];
    uint32_t usual = v->len > 2 ? items[2] - items[1] : 0;
    count_wide(v, 0, wide);
    count_wide(v, usual, base_wide);
    bool use = base_wide[0] <= v->len / FEW && wide[0] > v->len / FEW; /* steps of one size need no plane at all */
    coded->base = use ? usual : 0;
    const size_t *over = use ? base_wide : wide;
    while (coded->planes < 4 && over[coded->planes] > v->len / FEW) coded->planes++;
    uint32_t before = 0;
    for (size_t i = 0; i < v->len && coded->planes < 4; i++) {
        uint32_t value = folded(items[i] - before, coded->base);
        before = items[i];
        if (fits(value, coded->planes)) continue;
        vec_push(&coded->exceptions, (uint32_t)i);
        vec_push(&coded->exceptions, value);
    }
}

static size_t round8(size_t n) { return (n + 7) & ~(size_t)7; }

static void layout_head(struct page_layout *layout) {
    struct strbuf text = {0};
    struct json j = {.out = &text};
    json_object(&j);
    json_key(&j, "columns");
    json_array(&j);
    for (size_t i = 0; i < layout->count; i++) {
        const struct column_kind *kind = &kinds[layout->column[i]];
        json_object(&j);
        json_member_text(&j, "name", kind->name);
        json_member_text(&j, "type", type_names[kind->type]);
        json_member_u64(&j, "length", layout->columns->of[layout->column[i]].len);
        json_member_text(&j, "encoding", coding_names[kind->coding]);
        if (kind->coding == DELTAS) {
            json_member_i64(&j, "base", (int32_t)layout->of[i].base);
            json_member_u64(&j, "planes", layout->of[i].planes);
            json_member_u64(&j, "exceptions", layout->of[i].exceptions.len / 2);
        }
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    uint32_t len = (uint32_t)text.len;
    strbuf_add(&layout->head, SLICE("TTC1"));
    strbuf_add(&layout->head, slice_of((const char *)&len, sizeof len));
    strbuf_add(&layout->head, strbuf_slice(&text));
    strbuf_fill(&layout->head, 0, round8(layout->head.len) - layout->head.len);
    strbuf_release(&text);
}

static size_t column_size(const struct page_layout *layout, size_t i) {
    const struct column_kind *kind = &kinds[layout->column[i]];
    size_t len = layout->columns->of[layout->column[i]].len;
    const struct page_coded *coded = &layout->of[i];
    return kind->coding == DELTAS ? len * coded->planes + coded->exceptions.len * sizeof *coded->exceptions.items
                                  : len * type_widths[kind->type];
}

bool page_layout_init(struct page_layout *layout, const struct page_columns *columns, enum page_section section) {
    *layout = (struct page_layout){.columns = columns};
    for (unsigned i = 0; i < COL_COUNT; i++)
        if (kinds[i].section == section && !is_default(columns, i)) layout->column[layout->count++] = i;
    if (!layout->count) return false;
    for (size_t i = 0; i < layout->count; i++)
        if (kinds[layout->column[i]].coding == DELTAS) choose_planes(&columns->of[layout->column[i]], &layout->of[i]);
    layout_head(layout);
    size_t at = layout->head.len;
    for (size_t i = 0; i < layout->count; i++) {
        layout->start[i] = at;
        at += round8(column_size(layout, i));
    }
    layout->start[layout->count] = layout->size = at;
    return true;
}

void page_layout_release(struct page_layout *layout) {
    for (size_t i = 0; i < layout->count; i++) vec_release(&layout->of[i].exceptions);
    strbuf_release(&layout->head);
}

/* Bytes [begin, end) of a u32 column in planes: byte k of value i is at k * len + i. `coded`: for deltas, else NULL. */
static void plane_bytes(const struct page_values *v, const struct page_coded *coded, size_t begin, size_t end, char *out) {
    const uint32_t *items = v->items;
    while (begin < end) {
        size_t plane = begin / v->len, first = begin % v->len, stop = v->len;
        if (stop - first > end - begin) stop = first + (end - begin);
        unsigned shift = 8 * (unsigned)plane;
        uint32_t before = first ? items[first - 1] : 0;
        for (size_t i = first; i < stop && !coded; i++) *out++ = (char)(items[i] >> shift);
        for (size_t i = first; i < stop && coded; i++) {
            uint32_t value = folded(items[i] - before, coded->base);
            before = items[i];
            *out++ = (char)(fits(value, coded->planes) ? value >> shift : 0);
        }
        begin += stop - first;
    }
}

static void column_bytes(const struct page_layout *layout, size_t number, size_t begin, size_t end, char *out) {
    const struct column_kind *kind = &kinds[layout->column[number]];
    const struct page_values *v = &layout->columns->of[layout->column[number]];
    const struct page_coded *coded = kind->coding == DELTAS ? &layout->of[number] : NULL;
    size_t size = column_size(layout, number), stop = end < size ? end : size;
    size_t planes = coded ? v->len * coded->planes : size;
    if (kind->coding != RAW && begin < planes && begin < stop) {
        size_t until = stop < planes ? stop : planes;
        plane_bytes(v, coded, begin, until, out);
        out += until - begin;
        begin = until;
    }
    if (begin < stop) {
        const char *from = coded ? (const char *)coded->exceptions.items + (begin - planes) : (const char *)v->items + begin;
        memcpy(out, from, stop - begin);
        out += stop - begin;
        begin = stop;
    }
    if (begin < end) memset(out, 0, end - begin);
}

void page_layout_bytes(const struct page_layout *layout, size_t begin, size_t end, char *out) {
    if (begin < layout->head.len) {
        size_t n = (end < layout->head.len ? end : layout->head.len) - begin;
        memcpy(out, layout->head.data + begin, n);
        out += n;
        begin += n;
    }
    for (size_t i = 0; i < layout->count && begin < end; i++) {
        if (begin >= layout->start[i + 1]) continue;
        size_t stop = end < layout->start[i + 1] ? end : layout->start[i + 1];
        column_bytes(layout, i, begin - layout->start[i], stop - layout->start[i], out);
        out += stop - begin;
        begin = stop;
    }
}
