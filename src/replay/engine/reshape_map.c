/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/engine/reshape_map.h"

#include <stdlib.h>

#include "base/num.h"

enum { TILE = 32, FACE = 16, SLOTS = 2048, MOST_TILES = 1 << 24 };

/* Longest period, in elements, for which a bit set recognises tiles that look the same. */
enum { MOST_PERIOD = 1 << 24 };

/* Segments per input tile that one output tile touches; at most 1024 of them. A slot counts if its stamp is that of the
 * tile. */
struct touched {
    uint64_t tile[SLOTS];
    uint32_t stamp[SLOTS];
    uint32_t segments[SLOTS];
    uint32_t current;
};

struct tile_walk {
    struct shape3 in, out;
    uint64_t in_columns; /* tiles in a row of the input */
    uint64_t in_rows;    /* rows of tiles in one c */
    struct touched touched;
};

/* Faces of 16x16, left to right, then top to bottom; row major inside. */
static uint32_t offset_in_tile(uint64_t row, uint64_t column) {
    uint32_t r = (uint32_t)(row % TILE), c = (uint32_t)(column % TILE);
    return (r / FACE * 2 + c / FACE) * FACE * FACE + r % FACE * FACE + c % FACE;
}

static uint32_t *slot_of(struct touched *t, uint64_t tile, bool *added) {
    size_t at = (size_t)((tile * 0x9e3779b97f4a7c15u) >> 53);
    while (t->stamp[at] == t->current && t->tile[at] != tile) at = (at + 1) % SLOTS;
    *added = t->stamp[at] != t->current;
    if (*added) {
        t->stamp[at] = t->current;
        t->tile[at] = tile;
        t->segments[at] = 0;
    }
    return &t->segments[at];
}

/* The number of input tiles times the most segments in one of them. `first` is the flat index of the tile's first element.
 * Advances by runs within which neither side changes its face or row. */
static uint64_t weigh_tile(struct tile_walk *w, uint64_t first, uint64_t rows, uint64_t columns) {
    struct touched *t = &w->touched;
    uint64_t tiles = 0, most = 0, last_tile = UINT64_MAX, area = w->in.h * w->in.w;
    uint32_t last_in = UINT32_MAX - 1, last_out = UINT32_MAX - 1;
    uint32_t *segments = NULL;
    t->current++;
    for (uint64_t row = 0; row < rows; row++) {
        uint64_t flat = first + row * w->out.w;
        uint64_t c = flat / area, rest = flat - c * area, y = rest / w->in.w, x = rest - y * w->in.w;
        for (uint64_t column = 0; column < columns;) {
            uint64_t run = FACE - column % FACE;
            if (run > columns - column) run = columns - column;
            if (run > FACE - x % FACE) run = FACE - x % FACE;
            if (run > w->in.w - x) run = w->in.w - x;
            uint64_t tile = (c * w->in_rows + y / TILE) * w->in_columns + x / TILE;
            uint32_t in = offset_in_tile(y, x), out = offset_in_tile(row, column);
            if (tile != last_tile) {
                bool added;
                segments = slot_of(t, tile, &added);
                tiles += added;
            }
            if (tile != last_tile || in != last_in + 1 || out != last_out + 1) {
                if (++*segments > most) most = *segments;
            }
            last_tile = tile;
            last_in = in + (uint32_t)run - 1;
            last_out = out + (uint32_t)run - 1;
            column += run;
            x += run;
            if (x == w->in.w) {
                x = 0;
                if (++y == w->in.h) y = 0, c++;
            }
        }
    }
    return tiles * most;
}

/* Two output tiles whose first elements are one period apart in the input look the same: the period is a row of input tiles
 * if the input's height is a multiple of a tile, else a plane. */
static uint64_t period_of(struct shape3 in) { return in.h % TILE == 0 ? in.w * TILE : in.w * in.h; }

static uint64_t most_over_tiles(struct tile_walk *w) {
    uint64_t period = period_of(w->in), best = 0;
    uint64_t *seen = period <= MOST_PERIOD ? mem_zalloc((size_t)period * 4 / 64 + 1, sizeof *seen) : NULL;
    for (uint64_t c = 0; c < w->out.c; c++) {
        for (uint64_t y = 0; y < w->out.h; y += TILE) {
            uint64_t rows = w->out.h - y < TILE ? w->out.h - y : TILE;
            for (uint64_t x = 0; x < w->out.w; x += TILE) {
                uint64_t columns = w->out.w - x < TILE ? w->out.w - x : TILE;
                uint64_t first = (c * w->out.h + y) * w->out.w + x;
                if (seen) {
                    uint64_t key = first % period * 4 + (rows < TILE ? 2 : 0) + (columns < TILE ? 1 : 0);
                    if (seen[key / 64] >> key % 64 & 1) continue;
                    seen[key / 64] |= 1ull << key % 64;
                }
                uint64_t weight = weigh_tile(w, first, rows, columns);
                if (weight > best) best = weight;
            }
        }
    }
    free(seen);
    return best;
}

static bool count_tiles(struct shape3 shape, uint64_t *tiles) {
    uint64_t plane, elements;
    return num_mul(num_ceil_div(shape.h, TILE), num_ceil_div(shape.w, TILE), &plane) && num_mul(plane, shape.c, tiles) &&
           num_mul(shape.h, shape.w, &plane) && num_mul(plane, shape.c, &elements) && elements < UINT64_MAX / 64;
}

bool reshape_map_find(struct reshape_maps *maps, struct shape3 in, struct shape3 out, struct reshape_map *map) {
    struct shape3 pair[2] = {in, out};
    bool added;
    uint32_t *id = map_at(&maps->ids, hash_bytes(slice_of((const char *)pair, sizeof pair)), &added);
    if (!added) {
        *map = maps->known.items[*id];
        return map->tiles > 0;
    }
    *id = (uint32_t)maps->known.len;
    *map = (struct reshape_map){0};
    uint64_t tiles, in_tiles;
    if (in.c && in.h && in.w && count_tiles(in, &in_tiles) && count_tiles(out, &tiles) && tiles && tiles <= MOST_TILES) {
        struct tile_walk *w = mem_zalloc(1, sizeof *w);
        w->in = in;
        w->out = out;
        w->in_columns = num_ceil_div(in.w, TILE);
        w->in_rows = num_ceil_div(in.h, TILE);
        uint64_t most = most_over_tiles(w);
        free(w);
        /* upstream pads by the remainder itself, not up to the next multiple */
        *map = (struct reshape_map){.segments = most + most % FACE, .tiles = tiles};
    }
    vec_push(&maps->known, *map);
    return map->tiles > 0;
}

uint64_t reshape_map_bank_bytes(const struct reshape_map *map, unsigned banks, unsigned align) {
    uint64_t row = num_ceil_div(map->segments * 16, align ? align : 1) * (align ? align : 1);
    return num_ceil_div(map->tiles, banks) * row;
}

void reshape_maps_release(struct reshape_maps *maps) {
    map_release(&maps->ids);
    vec_release(&maps->known);
}
