/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inspector/replay.h"

#include "device/allocator_or_end.h"

static bool place(struct allocator *a, const struct owner *owner, bool bottom_up) {
    uint64_t address;
    if (!allocator_ok(allocator_take(a, owner->bank_bytes, bottom_up, &address))) return false;
    if (address == owner->address) return true;
    allocator_free(a, address);
    return false;
}

void replay_owners(const struct owners *o, const uint32_t *moves, size_t move_count, const struct replay_pool pools[POOL_COUNT],
                   struct inspector_facts *facts) {
    struct allocator allocators[POOL_COUNT] = {0};
    bool ready[POOL_COUNT];
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        ready[pool] = pools[pool].known &&
                      allocator_ok(allocator_init(&allocators[pool], pools[pool].base, pools[pool].bytes, o->align[pool]));
    for (size_t i = 0; i < move_count; i++) {
        const struct owner *owner = &o->all.items[moves[i] / 2];
        struct allocator *a = &allocators[owner->pool];
        if (!ready[owner->pool]) continue;
        if (moves[i] & 1) {
            allocator_free(a, owner->address);
            continue;
        }
        bool upwards = owner->pool == POOL_DRAM;
        bool alike = place(a, owner, upwards) || place(a, owner, !upwards);
        if (!alike) (void)allocator_ok(allocator_take_at(a, owner->address, owner->bank_bytes));
        facts->replayed++;
        facts->as_placed += alike;
    }
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (ready[pool]) allocator_release(&allocators[pool]);
}
