/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table/idmap.h"

#include <stdlib.h>
#include <string.h>

/* Addresses are multiples of large powers of two, so all bits must count for the slot. The highest bits of the product
 * depend on every bit of the key. */
static size_t home(const struct idmap *map, uint64_t key) {
    key ^= key >> 32;
    return (size_t)(((unsigned __int128)(key * 0x9e3779b97f4a7c15u) * map->cap) >> 64);
}

static struct idmap_slot *probe(const struct idmap *map, uint64_t key) {
    for (size_t i = home(map, key);; i = (i + 1) & (map->cap - 1)) {
        struct idmap_slot *slot = &map->slots[i];
        if (!slot->used || slot->key == key) return slot;
    }
}

static bool grow(struct idmap *map) {
    struct idmap bigger = {.len = map->len, .cap = map->cap ? map->cap * 2 : 32};
    bigger.slots = calloc(bigger.cap, sizeof *bigger.slots);
    if (!bigger.slots) return false;
    for (size_t i = 0; i < map->cap; i++)
        if (map->slots[i].used) *probe(&bigger, map->slots[i].key) = map->slots[i];
    free(map->slots);
    *map = bigger;
    return true;
}

bool idmap_set(struct idmap *map, uint64_t key, uint32_t value) {
    if (map->len * 3 >= map->cap * 2 && !grow(map)) return false;
    struct idmap_slot *slot = probe(map, key);
    map->len += !slot->used;
    *slot = (struct idmap_slot){key, value, 1};
    return true;
}

uint32_t *idmap_find(const struct idmap *map, uint64_t key) {
    if (!map->len) return NULL;
    struct idmap_slot *slot = probe(map, key);
    return slot->used ? &slot->value : NULL;
}

/* Closes the gap by moving back entries that could no longer be found across it. */
void idmap_remove(struct idmap *map, uint64_t key) {
    if (!map->len) return;
    struct idmap_slot *found = probe(map, key);
    if (!found->used) return;
    size_t mask = map->cap - 1;
    size_t hole = (size_t)(found - map->slots);
    for (size_t i = (hole + 1) & mask; map->slots[i].used; i = (i + 1) & mask) {
        size_t wanted = home(map, map->slots[i].key);
        if (((i - wanted) & mask) >= ((i - hole) & mask)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole].used = 0;
    map->len--;
}

void idmap_clear(struct idmap *map) {
    if (map->cap) memset(map->slots, 0, map->cap * sizeof *map->slots);
    map->len = 0;
}

void idmap_release(struct idmap *map) {
    free(map->slots);
    *map = (struct idmap){0};
}
