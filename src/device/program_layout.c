/* SPDX-License-Identifier: Apache-2.0 */
#include "device/program_layout.h"

#include <stdlib.h>

#include "base/try.h"

enum { COLUMNS_MAX = 1024, PIECES_MAX = 65536 };

void program_layout_init(struct program_layout *layout, uint64_t base, uint64_t alignment) {
    *layout = (struct program_layout){.base = base, .alignment = alignment ? alignment : 1, .highest_end = base};
}

void program_layout_release(struct program_layout *layout) {
    free(layout->columns);
    free(layout->pieces);
    program_layout_init(layout, layout->base, layout->alignment);
}

void program_layout_clear(struct program_layout *layout) {
    layout->columns_len = layout->pieces_len = 0;
    layout->highest_end = layout->base;
}

static void mark(struct layout_column *column, const struct layout_piece *piece) {
    if (!core_range_meets(column->range, piece->range)) return;
    bool same = core_range_equal(column->range, piece->range);
    if (!same && piece->address < column->end) return;
    if (piece->address + piece->size > column->end) column->end = piece->address + piece->size;
}

static struct layout_column *column_of(struct program_layout *layout, struct core_range range) {
    for (size_t i = 0; i < layout->columns_len; i++)
        if (core_range_equal(layout->columns[i].range, range)) return &layout->columns[i];
    if (layout->columns_len >= COLUMNS_MAX) return NULL;
    if (!try_reserve_in((void **)&layout->columns, &layout->columns_cap, layout->columns_len + 1, sizeof *layout->columns))
        return NULL;
    struct layout_column *column = &layout->columns[layout->columns_len++];
    *column = (struct layout_column){range, layout->base};
    for (size_t i = 0; i < layout->pieces_len; i++) mark(column, &layout->pieces[i]);
    return column;
}

uint64_t program_layout_end(struct program_layout *layout, const struct core_range *ranges, size_t len) {
    uint64_t end = layout->base;
    for (size_t i = 0; i < len; i++) {
        const struct layout_column *column = column_of(layout, ranges[i]);
        if (column && column->end > end) end = column->end;
    }
    return end;
}

bool program_layout_place(struct program_layout *layout, const struct core_range *ranges, size_t len, uint64_t size,
                          uint64_t least, uint64_t *address) {
    *address = 0;
    for (size_t i = 0; i < len; i++)
        if (!column_of(layout, ranges[i])) return false;
    uint64_t start = program_layout_end(layout, ranges, len);
    if (least > start) start = least;
    if (layout->pieces_len + len > PIECES_MAX ||
        !try_reserve_in((void **)&layout->pieces, &layout->pieces_cap, layout->pieces_len + len, sizeof *layout->pieces))
        return false;
    start += (layout->alignment - start % layout->alignment) % layout->alignment;
    for (size_t i = 0; i < len; i++) {
        struct layout_piece piece = {ranges[i], start, size};
        layout->pieces[layout->pieces_len++] = piece;
        for (size_t c = 0; c < layout->columns_len; c++) mark(&layout->columns[c], &piece);
        if (start + size > layout->highest_end) {
            layout->highest_end = start + size;
            layout->highest_range = ranges[i];
        }
    }
    *address = start;
    return true;
}
