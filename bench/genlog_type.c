/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor types: text in both spellings, and bytes (tt-metal.md F6, F7). Types are interned, so a type is a pointer. */
#include "genlog.h"

#include <string.h>

struct dtype_row {
    const char *elem, *tile, *scalar, *attr;
    uint32_t scalar_bytes, tile_bytes;
    enum dtype storage;
};

/* elem: element of the logical tensor; tile / scalar: element of the memref. Block formats exist only as tiles. */
static const struct dtype_row dtypes[DT_COUNT] = {
    [DT_BF16] = {"bf16", "bf16", "bf16", "bf16", 2, 2048, DT_BF16},
    [DT_F32] = {"f32", "f32", "f32", "f32", 4, 4096, DT_F32},
    [DT_F16] = {"f16", "f16", "f16", "f16", 2, 2048, DT_F16},
    [DT_SI32] = {"si32", "si32", "si32", "si32", 4, 4096, DT_SI32},
    [DT_UI32] = {"ui32", "u32", "ui32", "u32", 4, 4096, DT_UI32},
    [DT_UI16] = {"ui16", "u16", "ui16", "u16", 2, 2048, DT_UI16},
    [DT_UI8] = {"ui8", "u8", "ui8", "u8", 1, 1024, DT_UI8},
    [DT_I1] = {"i1", "bf16", "bf16", "bf16", 1, 1024, DT_BF16},
    [DT_BFP8] = {"!ttcore.tile<32x32, bfp_bf8>", "bfp_bf8", NULL, "bfp_bf8", 0, 1088, DT_BFP8},
    [DT_BFP4] = {"!ttcore.tile<32x32, bfp_bf4>", "bfp_bf4", NULL, "bfp_bf4", 0, 576, DT_BFP4},
    [DT_QUANT] = {"!quant.uniform<i32:f32, 1.000000e-01>", "si32", "si32", "si32", 4, 4096, DT_SI32},
};

enum dtype dtype_by_name(const char *name) {
    static const struct {
        const char *name;
        enum dtype dt;
    } names[] = {{"bf16", DT_BF16}, {"f32", DT_F32}, {"f16", DT_F16}, {"bfp_bf8", DT_BFP8}, {"bfp_bf4", DT_BFP4}};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(name, names[i].name)) return names[i].dt;
    return DT_COUNT;
}

const char *dtype_attr(enum dtype dt) { return dtypes[dt].attr; }

static const char *const mem_names[] = {"system_memory", "dram", "l1"};
static const char *const layout_names[] = {
    "", "interleaved", "height_sharded", "width_sharded", "block_sharded", "block_sharded"};

static uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/* The affine map that folds all but the last dimension into rows; a stride of 1 prints without factor. */
static void put_map(struct text *t, const struct type *y) {
    uint32_t n = y->rank;
    if (n < 2) {
        text_puts(t, n ? "(d0) -> (0, d0)" : "() -> (0, 0)");
        return;
    }
    text_puts(t, "(d0");
    for (uint32_t i = 1; i < n; i++) text_printf(t, ", d%u", i);
    text_puts(t, ") -> (");
    for (uint32_t i = 0; i + 1 < n; i++) {
        uint64_t stride = 1;
        for (uint32_t k = i + 1; k + 1 < n; k++) stride *= k + 2 == n && y->tiled ? round_up(y->dims[k], 32) : y->dims[k];
        text_printf(t, "%sd%u", i ? " + " : "", i);
        if (stride != 1) text_printf(t, " * %llu", (unsigned long long)stride);
    }
    text_printf(t, ", d%u)", n - 1);
}

/* Height and width shards fill the core grid row by row: whole rows first, then the rest of one row. */
static void put_core_ranges(struct text *t, const struct type *y, uint32_t grid_x) {
    uint32_t cores = y->grid[0] * y->grid[1], rows = cores / grid_x, rest = cores % grid_x;
    text_puts(t, ", core_ranges = <[");
    if (y->layout == ML_BLOCK) { /* a rectangle */
        text_printf(t, "#ttnn.core_range<(0,0), (%u,%u)>]>", y->grid[1] - 1, y->grid[0] - 1);
        return;
    }
    if (rows) text_printf(t, "#ttnn.core_range<(0,0), (%u,%u)>", grid_x - 1, rows - 1);
    if (rest) text_printf(t, "%s#ttnn.core_range<(0,%u), (%u,%u)>", rows ? ", " : "", rows, rest - 1, rows);
    text_puts(t, "]>");
}

static void put_memref(struct text *t, const struct type *y, const char *buffer) {
    const struct dtype_row *d = &dtypes[y->dt];
    text_printf(t, "memref<%ux%ux", y->shard[0], y->shard[1]);
    if (y->tiled) text_printf(t, "!ttcore.tile<32x32, %s>, %s>", d->tile, buffer);
    else text_printf(t, "%s, %s>", d->scalar, buffer);
}

static void put_layout(struct text *t, const struct type *y, const char *buffer, uint32_t grid_x) {
    if (y->layout == ML_ND) {
        text_printf(t, "#ttnn.ttnn_nd_layout<<%ux%u>, ", y->grid[0], y->grid[1]);
        put_memref(t, y, buffer);
        text_printf(t, ", <%s>, <row_major>, <grid_2d>>", layout_names[y->layout]);
        return;
    }
    text_puts(t, "#ttnn.ttnn_layout<");
    put_map(t, y);
    text_printf(t, ", <%ux%u>, ", y->grid[0], y->grid[1]);
    put_memref(t, y, buffer);
    if (y->layout != ML_NONE) text_printf(t, ", <%s>", layout_names[y->layout]);
    if (y->layout >= ML_HEIGHT && y->layout <= ML_BLOCK) put_core_ranges(t, y, grid_x);
    text_puts(t, ">");
}

/* Splits rows x cols (tiles) over the core grid. */
static void shard(struct type *y, uint32_t rows, uint32_t cols, const struct chip *c) {
    uint32_t cores = c->l1_banks;
    y->grid[0] = y->grid[1] = 1;
    y->shard[0] = rows;
    y->shard[1] = cols;
    switch (y->layout) {
        case ML_INTERLEAVED:
            if (y->mem != MEM_L1) break;
            y->grid[0] = c->grid_y;
            y->grid[1] = c->grid_x;
            y->shard[0] = 1;
            y->shard[1] = ceil_div(rows * cols, cores);
            break;
        case ML_HEIGHT:
            y->shard[0] = ceil_div(rows, cores);
            y->grid[0] = ceil_div(rows, y->shard[0]);
            break;
        case ML_WIDTH:
            y->shard[1] = ceil_div(cols, cores);
            y->grid[1] = ceil_div(cols, y->shard[1]);
            break;
        case ML_BLOCK:
        case ML_ND:
            y->shard[0] = ceil_div(rows, c->grid_y);
            y->shard[1] = ceil_div(cols, c->grid_x);
            y->grid[0] = ceil_div(rows, y->shard[0]);
            y->grid[1] = ceil_div(cols, y->shard[1]);
            break;
        default:
            break;
    }
}

static void measure(struct gen *g, struct type *y) {
    const struct dtype_row *d = &dtypes[y->dt];
    uint64_t elements = 1, outer = 1;
    for (uint32_t i = 0; i < y->rank; i++) elements *= y->dims[i];
    for (uint32_t i = 0; i + 2 < y->rank; i++) outer *= y->dims[i];
    uint32_t height = y->rank > 1 ? y->dims[y->rank - 2] : 1, width = y->rank ? y->dims[y->rank - 1] : 1;
    bool block_float = !d->scalar_bytes;
    uint32_t element = y->mem == MEM_HOST ? d->scalar_bytes : dtypes[d->storage].scalar_bytes;
    y->logical = block_float ? (elements * d->tile_bytes + 1023) / 1024 : elements * element;
    y->storage = d->storage;
    uint32_t rows, cols;
    uint64_t page;
    if (y->tiled) {
        rows = (uint32_t)(outer * ceil_div(height, 32));
        cols = ceil_div(width, 32);
        page = dtypes[d->storage].tile_bytes;
    } else {
        rows = (uint32_t)(outer * height);
        cols = width;
        page = (uint64_t)cols * dtypes[d->storage].scalar_bytes;
    }
    shard(y, rows, cols, g->opt.chip);
    uint64_t unit = y->tiled ? page : dtypes[d->storage].scalar_bytes;
    y->physical = (uint64_t)y->grid[0] * y->grid[1] * y->shard[0] * y->shard[1] * unit;
    if (y->layout == ML_INTERLEAVED) y->physical = (uint64_t)rows * cols * unit; /* the grid is only written down */
    enum pool pool = y->mem == MEM_L1 ? POOL_L1 : POOL_DRAM;
    uint64_t pages = y->tiled ? (uint64_t)rows * cols : rows, aligned = round_up(page, g->align[pool]);
    if (y->mem == MEM_HOST) y->per_bank = 0;
    else if (y->layout == ML_INTERLEAVED) y->per_bank = (pages + g->banks[pool] - 1) / g->banks[pool] * aligned;
    else y->per_bank = (uint64_t)y->shard[0] * y->shard[1] * aligned;
}

static struct type *intern(struct gen *g, struct type *y, struct text *full) {
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < full->len; i++) h = (h ^ (unsigned char)full->p[i]) * 1099511628211u;
    struct type **slot = &g->types[h % ARRAY_LEN(g->types)];
    for (struct type *p = *slot; p; p = p->next)
        if (!strcmp(p->full, full->p)) return p;
    struct type *n = arena_alloc(&g->arena, sizeof *n);
    *n = *y;
    n->full = arena_dup(&g->arena, full->p, full->len);
    n->next = *slot;
    *slot = n;
    return n;
}

static struct type *named_type(struct gen *g, enum type_kind kind, const char *name) {
    struct text full = {0};
    text_puts(&full, name);
    struct type *y = intern(g, &(struct type){.kind = kind, .plain = name, .head = name}, &full);
    text_release(&full);
    return y;
}

struct type *type_device(struct gen *g) {
    return named_type(g, TYPE_DEVICE, "!ttnn.device");
}

struct type *type_trace_id(struct gen *g) {
    return named_type(g, TYPE_TRACE_ID, "tensor<ui32, #ttnn.trace_id>");
}

static void put_head(struct text *t, const struct type *y, const char *elem) {
    text_puts(t, "tensor<");
    for (uint32_t i = 0; i < y->rank; i++) text_printf(t, "%ux", y->dims[i]);
    text_puts(t, elem);
}

struct type *type_get(struct gen *g, struct type_spec spec) {
    struct type y = {
        .kind = TYPE_TENSOR, .rank = spec.rank, .dt = spec.dt, .tiled = spec.tiled, .mem = spec.mem, .layout = spec.layout};
    for (uint32_t i = 0; i < spec.rank; i++) y.dims[i] = spec.dims[i];
    measure(g, &y);
    struct text full = {0}, buffer = {0};
    const char *elem = dtypes[y.dt].elem;
    put_head(&full, &y, elem);
    size_t head_len = full.len;
    text_printf(&buffer, "#ttnn.buffer_type<%s>", mem_names[y.mem]);
    text_puts(&full, ", ");
    put_layout(&full, &y, buffer.p, g->opt.chip->grid_x);
    text_puts(&full, ">");
    struct type *t = intern(g, &y, &full);
    if (!t->head) {
        t->head = arena_dup(&g->arena, full.p, head_len);
        full.len = buffer.len = 0;
        text_printf(&buffer, "#%s", mem_names[y.mem]);
        put_layout(&full, &y, buffer.p, g->opt.chip->grid_x);
        t->alias_layout = arena_dup(&g->arena, full.p, full.len);
        full.len = 0;
        bool block_float = !dtypes[y.dt].scalar_bytes;
        put_head(&full, &y, block_float ? "bf16" : y.dt == DT_SI32 ? "i32" : y.dt == DT_UI8 ? "ui8" : elem);
        text_puts(&full, ">");
        t->plain = arena_dup(&g->arena, full.p, full.len);
    }
    text_release(&full);
    text_release(&buffer);
    return t;
}
