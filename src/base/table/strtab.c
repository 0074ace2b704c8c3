/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table/strtab.h"

uint32_t strtab_id(struct strtab *table, struct slice s) {
    if (!table->strings.len) vec_push(&table->strings, slice_of("", 0));
    if (!s.len) return 0;
    bool added;
    uint32_t *id = map_at(&table->ids, hash_bytes(s), &added);
    if (added) {
        *id = (uint32_t)table->strings.len;
        vec_push(&table->strings, arena_copy(&table->arena, s));
    }
    return *id;
}

struct slice strtab_get(const struct strtab *table, uint32_t id) {
    return id < table->strings.len ? table->strings.items[id] : slice_of("", 0);
}

void strtab_release(struct strtab *table) {
    arena_release(&table->arena);
    vec_release(&table->strings);
    map_release(&table->ids);
}
