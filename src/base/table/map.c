/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table/map.h"

#include <stdlib.h>

#include "base/mem.h"

static struct map_slot *probe(const struct map *map, struct hash128 key) {
    size_t mask = map->cap - 1;
    for (size_t i = key.low & mask;; i = (i + 1) & mask) {
        struct map_slot *slot = &map->slots[i];
        if (!slot->used || hash_equal(slot->key, key)) return slot;
    }
}

static void grow(struct map *map) {
    struct map old = *map;
    map->cap = old.cap ? old.cap * 2 : 64;
    map->slots = mem_zalloc(map->cap, sizeof *map->slots);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].used) *probe(map, old.slots[i].key) = old.slots[i];
    free(old.slots);
}

uint32_t *map_at(struct map *map, struct hash128 key, bool *added) {
    if (map->len * 4 >= map->cap * 3) grow(map);
    struct map_slot *slot = probe(map, key);
    *added = !slot->used;
    if (*added) {
        slot->key = key;
        slot->used = 1;
        map->len++;
    }
    return &slot->value;
}

uint32_t *map_find(const struct map *map, struct hash128 key) {
    if (!map->len) return NULL;
    struct map_slot *slot = probe(map, key);
    return slot->used ? &slot->value : NULL;
}

void map_clear(struct map *map) {
    if (map->cap) memset(map->slots, 0, map->cap * sizeof *map->slots);
    map->len = 0;
}

void map_release(struct map *map) {
    free(map->slots);
    *map = (struct map){0};
}
