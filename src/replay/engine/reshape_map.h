/* SPDX-License-Identifier: Apache-2.0 */
/* The table that a tiled reshape uploads to the device: one row of 16 * S bytes per output tile, which says where the pieces
 * of that tile are in the input (tt-metal ttnn/.../reshape_view, reshape_tiled_program_factory.cpp). S follows from the two
 * shapes alone. It stays in DRAM as long as the program is cached.
 *
 * Results are kept by pair of shapes, because a decoder reshapes the same few shapes again and again. Not thread-safe. */
#ifndef TTMEM_REPLAY_RESHAPE_MAP_H
#define TTMEM_REPLAY_RESHAPE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table/map.h"
#include "base/vec.h"

/* A shape with all dimensions before the last two multiplied together; missing dimensions are 1. */
struct shape3 {
    uint64_t c, h, w;
};

struct reshape_map {
    uint64_t segments; /* S */
    uint64_t tiles;    /* of the output */
};

struct reshape_maps {
    struct map ids;
    VEC(struct reshape_map) known;
};

/* False if the output has more tiles than any device holds: then nothing is computed. */
bool reshape_map_find(struct reshape_maps *maps, struct shape3 in, struct shape3 out, struct reshape_map *map);

/* Bytes of it in one of `banks` banks. */
uint64_t reshape_map_bank_bytes(const struct reshape_map *map, unsigned banks, unsigned align);

void reshape_maps_release(struct reshape_maps *maps);

#endif
