/* SPDX-License-Identifier: Apache-2.0 */
/* Open-addressing map from a 128-bit content hash to a 32-bit id. No removal; a zeroed struct map is empty. */
#ifndef TTMEM_BASE_MAP_H
#define TTMEM_BASE_MAP_H

#include <stdint.h>

#include "base/table/hash.h"

struct map_slot {
    struct hash128 key;
    uint32_t value;
    uint32_t used;
};

struct map {
    struct map_slot *slots;
    size_t len;
    size_t cap; /* 0 or a power of two */
};

/* Returns the address of the key's value; if *added is set it holds 0 and waits for a value. Valid until the next call. */
uint32_t *map_at(struct map *map, struct hash128 key, bool *added);

/* Returns the value's address or NULL. */
uint32_t *map_find(const struct map *map, struct hash128 key);

/* Forgets all entries, keeps the memory. */
void map_clear(struct map *map);
void map_release(struct map *map);

#endif
