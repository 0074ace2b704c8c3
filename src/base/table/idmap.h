/* SPDX-License-Identifier: Apache-2.0 */
/* Map from a 64-bit key to a 32-bit value with removal. Open addressing; a zeroed struct idmap is empty. Never ends the
 * process: idmap_set reports a lack of memory. */
#ifndef TTMEM_BASE_IDMAP_H
#define TTMEM_BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idmap_slot {
    uint64_t key;
    uint32_t value;
    uint32_t used;
};

struct idmap {
    struct idmap_slot *slots;
    size_t len;
    size_t cap; /* 0 or a power of two */
};

/* Adds or replaces. False: out of memory, nothing changed. */
bool idmap_set(struct idmap *map, uint64_t key, uint32_t value);

/* The value's address, valid until the next idmap_set or idmap_remove, or NULL. */
uint32_t *idmap_find(const struct idmap *map, uint64_t key);

void idmap_remove(struct idmap *map, uint64_t key);
void idmap_clear(struct idmap *map);
void idmap_release(struct idmap *map);

#endif
