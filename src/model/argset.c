/* SPDX-License-Identifier: Apache-2.0 */
#include "model/argset.h"

static uint32_t intern(struct argsets *sets, const uint32_t *members, uint32_t count) {
    if (!sets->sets.len) vec_push(&sets->sets, ((struct argset){0, 0}));
    if (!count) return 0;
    bool added;
    uint32_t *id = map_at(&sets->ids, hash_bytes(slice_of((const char *)members, count * sizeof *members)), &added);
    if (added) {
        *id = (uint32_t)sets->sets.len;
        vec_push(&sets->sets, ((struct argset){(uint32_t)sets->members.len, count}));
        for (uint32_t i = 0; i < count; i++) vec_push(&sets->members, members[i]);
    }
    return *id;
}

uint32_t argset_one(struct argsets *sets, uint32_t argument) { return intern(sets, &argument, 1); }

uint32_t argset_union(struct argsets *sets, uint32_t a, uint32_t b) {
    if (!a || a == b) return b;
    if (!b) return a;
    bool added;
    uint32_t *known = map_at(&sets->unions, (struct hash128){hash_mix(a, b), (uint64_t)a << 32 | b}, &added);
    if (!added) return *known;
    struct argset left = sets->sets.items[a], right = sets->sets.items[b];
    uint32_t merged[ARGSET_LIMIT], count = 0, i = 0, j = 0;
    while ((i < left.count || j < right.count) && count < ARGSET_LIMIT) {
        uint32_t x = i < left.count ? sets->members.items[left.first + i] : UINT32_MAX;
        uint32_t y = j < right.count ? sets->members.items[right.first + j] : UINT32_MAX;
        merged[count++] = x < y ? x : y;
        i += x <= y;
        j += y <= x;
    }
    uint32_t id = intern(sets, merged, count);
    *map_at(&sets->unions, (struct hash128){hash_mix(a, b), (uint64_t)a << 32 | b}, &added) = id;
    return id;
}

const uint32_t *argset_members(const struct argsets *sets, uint32_t id, uint32_t *count) {
    *count = id < sets->sets.len ? sets->sets.items[id].count : 0;
    return *count ? &sets->members.items[sets->sets.items[id].first] : NULL;
}

void argsets_release(struct argsets *sets) {
    vec_release(&sets->sets);
    vec_release(&sets->members);
    map_release(&sets->ids);
    map_release(&sets->unions);
}
