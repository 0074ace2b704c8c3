/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/l1_grid.h"

#include <stdio.h>

#include "base/amounts.h"
#include "render/format/json_parts.h"

enum { MOST_COLUMNS = 32, MOST_ROWS = 32, SHADES = 4 };

static uint32_t bytes_at(const l1_areas *areas, unsigned x, unsigned y) {
    for (size_t i = 0; i < areas->len; i++) {
        const struct core_range *r = &areas->items[i].cores;
        if (x >= r->x0 && x <= r->x1 && y >= r->y0 && y <= r->y1) return areas->items[i].bytes ? areas->items[i].bytes : 1;
    }
    return 0;
}

static void add_cell(struct strbuf *out, const struct term *term, uint32_t bytes, uint32_t most) {
    static const char *const marks[] = {"·", "░", "▒", "▓", "█"}, *const plain[] = {".", "1", "2", "3", "4"};
    /* the darkest is only for the fullest */
    unsigned shade = !bytes ? 0 : bytes < most ? 1 + (unsigned)((uint64_t)bytes * (SHADES - 1) / most) : SHADES;
    strbuf_addc(out, ' ');
    strbuf_addz(out, term->utf8 ? marks[shade] : plain[shade]);
}

static uint64_t count_cores(const l1_areas *areas) {
    uint64_t count = 0;
    for (size_t i = 0; i < areas->len; i++) count += core_ranges_count(&areas->items[i].cores, 1);
    return count;
}

void l1_grid_text(struct strbuf *out, const struct term *term, const l1_areas *areas) {
    struct l1_area fullest;
    unsigned columns = 0, rows = 0;
    if (!l1_fullest(areas, &fullest)) return;
    for (size_t i = 0; i < areas->len; i++) {
        if (areas->items[i].cores.x1 >= columns) columns = areas->items[i].cores.x1 + 1u;
        if (areas->items[i].cores.y1 >= rows) rows = areas->items[i].cores.y1 + 1u;
    }
    uint64_t cores = count_cores(areas);
    strbuf_addf(out, "\n  %s core%s", figure_grouped(cores).text, cores == 1 ? "" : "s");
    if (fullest.bytes)
        strbuf_addf(out, ", the fullest (x=%u,y=%u): %s B of the program", fullest.cores.x0, fullest.cores.y0,
                    figure_grouped(fullest.bytes).text);
    strbuf_addc(out, '\n');
    if (columns > MOST_COLUMNS || rows > MOST_ROWS) return;
    for (unsigned y = 0; y < rows; y++) {
        strbuf_addf(out, "  y=%-2u", y);
        for (unsigned x = 0; x < columns; x++) add_cell(out, term, bytes_at(areas, x, y), fullest.bytes);
        strbuf_addc(out, '\n');
    }
}

static void json_place(struct json *j, const struct l1_area *area, bool bytes_known) {
    json_member_u64_if(j, "program_bytes", bytes_known, area->bytes);
}

void l1_grid_json(struct json *j, const l1_areas *areas, bool bytes_known) {
    struct l1_area fullest;
    json_key(j, "cores");
    if (!l1_fullest(areas, &fullest)) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64(j, "core_count", count_cores(areas));
    json_key(j, "fullest");
    if (bytes_known) {
        json_object(j);
        json_member_u64(j, "x", fullest.cores.x0);
        json_member_u64(j, "y", fullest.cores.y0);
        json_place(j, &fullest, true);
        json_object_end(j);
    } else {
        json_null(j);
    }
    json_key(j, "areas");
    json_array(j);
    for (size_t i = 0; i < areas->len; i++) {
        const struct l1_area *area = &areas->items[i];
        json_object(j);
        json_member_u64(j, "x0", area->cores.x0);
        json_member_u64(j, "y0", area->cores.y0);
        json_member_u64(j, "x1", area->cores.x1);
        json_member_u64(j, "y1", area->cores.y1);
        json_place(j, area, bytes_known);
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
}
