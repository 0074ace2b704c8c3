/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/pass/recent.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"

static void *find_in(const struct recent *recent, const struct recent_generation *generation, uint64_t key) {
    const uint32_t *at = idmap_find(&generation->index, key);
    return at ? generation->items + *at * recent->item_size : NULL;
}

static void turn_over(struct recent *recent) {
    struct recent_generation emptied = recent->old;
    recent->old = recent->young;
    idmap_clear(&emptied.index);
    emptied.len = 0;
    recent->young = emptied;
}

void *recent_put(struct recent *recent, uint64_t key, const void *item) {
    void *place = find_in(recent, &recent->young, key);
    if (!place) {
        if (recent->young.len == RECENT_KEPT) turn_over(recent);
        struct recent_generation *young = &recent->young;
        if (young->cap < young->len + 1 &&
            !try_reserve_in((void **)&young->items, &young->cap, young->len + 1, recent->item_size))
            return NULL;
        if (!idmap_set(&young->index, key, (uint32_t)young->len)) return NULL;
        place = young->items + young->len++ * recent->item_size;
    }
    memcpy(place, item, recent->item_size);
    return place;
}

void *recent_find(const struct recent *recent, uint64_t key) {
    void *place = find_in(recent, &recent->young, key);
    return place ? place : find_in(recent, &recent->old, key);
}

void recent_clear(struct recent *recent) {
    struct recent_generation *const both[] = {&recent->young, &recent->old};
    for (size_t i = 0; i < 2; i++) {
        idmap_clear(&both[i]->index);
        both[i]->len = 0;
    }
}

void recent_release(struct recent *recent) {
    struct recent_generation *const both[] = {&recent->young, &recent->old};
    for (size_t i = 0; i < 2; i++) {
        idmap_release(&both[i]->index);
        free(both[i]->items);
        *both[i] = (struct recent_generation){0};
    }
}
