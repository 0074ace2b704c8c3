/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inspector/owners.h"

#include <stdlib.h>

#include "base/num.h"

enum { UNIT = 16, MOVES = 2, NOTHING = -1 };

#define VIEW UINT32_MAX
#define NOBODY UINT32_MAX

static const uint64_t MOVE_NS = 20000; /* longest duration of a move if other threads print between its two events */
static const uint64_t LARGEST = (uint64_t)1 << 42;

/* Page sizes of ttnn's tensors: tiles of bf16 and f32, of bfp8 and bfp4, of bytes. */
static const uint64_t pages[] = {2048, 4096, 1088, 576, 1024};

void owners_init(struct owners *o, const struct chip *chip) {
    *o = (struct owners){.pending = NOBODY};
    for (size_t i = 0; i < OWNERS_LEAVING; i++) o->leaving[i] = NOBODY;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        bool l1 = pool == POOL_L1 || pool == POOL_L1_SMALL;
        o->banks[pool] = l1 ? chip->l1_banks : chip->dram_banks;
        o->align[pool] = l1 ? chip->l1_align : chip->dram_align;
        bitset_init(&o->places[pool]);
    }
}

void owners_release(struct owners *o) {
    vec_release(&o->all);
    idmap_release(&o->by_id);
    idmap_release(&o->by_place);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) bitset_release(&o->places[pool]);
}

static int pool_of(struct slice name) {
    static const struct slice names[POOL_COUNT] = {{"DRAM", 4}, {"L1", 2}, {"L1_SMALL", 8}, {"TRACE", 5}};
    for (int pool = 0; pool < POOL_COUNT; pool++)
        if (slice_equal(name, names[pool])) return pool;
    return NOTHING;
}

static uint64_t place_key(unsigned pool, uint64_t address) { return address * POOL_COUNT + pool; }
static uint32_t unit_of(uint64_t address) { return (uint32_t)(address / UNIT); }

static uint64_t round_up(uint64_t n, uint64_t to) { return num_ceil_div(n, to) * to; }

static uint64_t least_bytes(const struct owners *o, unsigned pool, uint64_t device_bytes) {
    return round_up(num_ceil_div(device_bytes, o->banks[pool]), o->align[pool]);
}

/* Is this the buffer's size per bank for one of the usual pages? */
static bool is_size(const struct owners *o, const struct owner *owner, uint64_t bank_bytes) {
    uint64_t aligned = o->align[owner->pool];
    if (bank_bytes == least_bytes(o, owner->pool, owner->device_bytes)) return true;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        uint64_t count = num_ceil_div(owner->device_bytes, pages[i]);
        if (bank_bytes == num_ceil_div(count, o->banks[owner->pool]) * round_up(pages[i], aligned)) return true;
    }
    return false;
}

static struct owner *owner_at(struct owners *o, unsigned pool, uint32_t unit) {
    const uint32_t *found = unit == BITSET_NONE ? NULL : idmap_find(&o->by_place, place_key(pool, (uint64_t)unit * UNIT));
    return found ? &o->all.items[*found] : NULL;
}

/* The live owner at the address or nearest below it. */
static struct owner *below(struct owners *o, unsigned pool, uint64_t address) {
    return owner_at(o, pool, bitset_at_or_below(&o->places[pool], unit_of(address)));
}

static struct owner *above(struct owners *o, unsigned pool, uint64_t address) {
    return owner_at(o, pool, bitset_at_or_above(&o->places[pool], unit_of(address)));
}

static void set_place(struct owners *o, uint32_t index) {
    const struct owner *owner = &o->all.items[index];
    bitset_add(&o->places[owner->pool], unit_of(owner->address));
    idmap_set(&o->by_place, place_key(owner->pool, owner->address / UNIT * UNIT), index);
}

static void drop_place(struct owners *o, const struct owner *owner) {
    bitset_remove(&o->places[owner->pool], unit_of(owner->address));
    idmap_remove(&o->by_place, place_key(owner->pool, owner->address / UNIT * UNIT));
}

static void count_bytes(struct owners *o, unsigned pool, uint64_t bytes) {
    o->sum[pool] += bytes;
    if (o->sum[pool] > o->peak[pool]) o->peak[pool] = o->sum[pool];
}

static void let_go(struct owners *o, uint32_t index, uint64_t time_ns) {
    struct owner *owner = &o->all.items[index];
    if (owner->gone != OWNER_LIVE) return;
    owner->gone = o->moment;
    owner->gone_ns = time_ns;
    o->sum[owner->pool] -= owner->bank_bytes;
    o->pending = index;
}

/* It has not moved with this event, so its place is free. It may still move with a later one, because other threads print
 * too. */
static void settle(struct owners *o) {
    if (o->pending == NOBODY) return;
    drop_place(o, &o->all.items[o->pending]);
    o->leaving[o->next_leaving++ % OWNERS_LEAVING] = o->pending;
    o->pending = NOBODY;
}

/* Neighbours prove sizes. L1 is filled downwards: a buffer ends where the one above begins. DRAM is filled upwards, lowest
 * address first: a buffer begins where the one below ends, or it would have been placed lower. Kernels are placed from the
 * top of DRAM downwards: one that ends where the next begins proves nothing about the one below. */
static void prove(struct owners *o, struct owner *owner, struct owner *lower, const struct owner *upper) {
    bool downwards = owner->pool == POOL_L1 || owner->pool == POOL_L1_SMALL;
    uint64_t room = upper ? upper->address - owner->address : 0;
    bool ends_there = upper && is_size(o, owner, room);
    /* whatever this one is, the one below cannot be larger than the gap */
    if (lower && !lower->proved && owner->address - lower->address < lower->most_bytes)
        lower->most_bytes = owner->address - lower->address;
    if (ends_there && (downwards || room == owner->bank_bytes)) {
        owner->bank_bytes = room;
        owner->proved = true;
        o->fitting++;
    }
    if (downwards || ends_there || !lower) return;
    uint64_t gap = owner->address - lower->address;
    if (!is_size(o, lower, gap)) return;
    o->fitting++;
    if (lower->proved) return;
    o->sum[lower->pool] += gap - lower->bank_bytes;
    lower->bank_bytes = lower->most_bytes = gap;
    lower->proved = true;
}

static bool continues(const struct owners *o, const struct owner *owner, unsigned pool, const struct inspector_event *event) {
    if (owner->address != event->address || owner->pool != pool || owner->device_bytes != event->device_bytes) return false;
    if (owner->moves >= MOVES) return false;
    return owner->gone + 1 == o->moment /* nothing came in between */ || event->time_ns <= owner->gone_ns + MOVE_NS;
}

static void live_on(struct owners *o, uint32_t index, uint64_t id) {
    struct owner *owner = &o->all.items[index];
    owner->gone = OWNER_LIVE;
    owner->gone_ns = 0;
    count_bytes(o, owner->pool, owner->bank_bytes);
    owner->moves++;
    o->moves++;
    idmap_set(&o->by_id, id, index);
}

/* Is this the move of an owner that went just before, with events of other threads in between? */
static bool move(struct owners *o, const struct inspector_event *event, unsigned pool) {
    for (size_t i = 0; i < OWNERS_LEAVING; i++) {
        uint32_t index = o->leaving[i];
        if (index == NOBODY || !continues(o, &o->all.items[index], pool, event)) continue;
        live_on(o, index, event->id);
        set_place(o, index);
        o->leaving[i] = NOBODY;
        return true;
    }
    return false;
}

static void allocate(struct owners *o, const struct inspector_event *event, unsigned pool) {
    if (o->pending != NOBODY && continues(o, &o->all.items[o->pending], pool, event)) {
        live_on(o, o->pending, event->id);
        o->pending = NOBODY;
        return;
    }
    settle(o);
    uint32_t *known = idmap_find(&o->by_id, event->id);
    if (known) {
        o->lost_frees++;
        if (*known != VIEW) let_go(o, *known, event->time_ns);
        settle(o);
        idmap_remove(&o->by_id, event->id);
    }
    struct owner *lower = below(o, pool, event->address);
    if (lower && event->address < lower->address + lower->bank_bytes) {
        o->views++;
        idmap_set(&o->by_id, event->id, VIEW);
        return;
    }
    if (move(o, event, pool)) return;
    struct owner *upper = above(o, pool, event->address);
    uint64_t room = upper ? upper->address - event->address : UINT64_MAX;
    uint64_t whole = round_up(event->device_bytes, o->align[pool]); /* all of it in one bank */
    uint32_t index = (uint32_t)o->all.len;
    struct owner owner = {.address = event->address,
                          .device_bytes = event->device_bytes,
                          .bank_bytes = least_bytes(o, pool, event->device_bytes),
                          .most_bytes = room < whole ? room : whole,
                          .born_ns = event->time_ns,
                          .born = o->moment,
                          .gone = OWNER_LIVE,
                          .pool = (uint8_t)pool};
    prove(o, &owner, lower, upper);
    count_bytes(o, pool, owner.bank_bytes);
    if (owner.proved || owner.most_bytes < owner.bank_bytes) owner.most_bytes = owner.bank_bytes;
    vec_push(&o->all, owner);
    set_place(o, index);
    idmap_set(&o->by_id, event->id, index);
}

static void deallocate(struct owners *o, const struct inspector_event *event) {
    settle(o);
    uint32_t *known = idmap_find(&o->by_id, event->id);
    if (!known || (*known != VIEW && o->all.items[*known].address != event->address)) {
        o->unknown_frees++;
        return;
    }
    uint32_t index = *known;
    idmap_remove(&o->by_id, event->id);
    if (index != VIEW) let_go(o, index, event->time_ns);
}

void owners_take(struct owners *o, const struct inspector_event *event) {
    if (event->kind != INSPECTOR_ALLOCATED && event->kind != INSPECTOR_DEALLOCATED) return;
    o->moment++;
    if (event->time_ns > o->last_ns) o->last_ns = event->time_ns;
    if (event->kind == INSPECTOR_DEALLOCATED) {
        o->frees++;
        deallocate(o, event);
        return;
    }
    o->allocations++;
    int pool = pool_of(event->buffer_type);
    if (slice_equal(event->buffer_type, SLICE("SYSTEM_MEMORY"))) o->on_host++;
    else if (pool == NOTHING || event->address / UNIT >= BITSET_LIMIT || event->device_bytes > LARGEST) o->unbelievable++;
    else if (!event->address || !event->device_bytes) o->unplaced++;
    else {
        allocate(o, event, (unsigned)pool);
        return;
    }
    idmap_set(&o->by_id, event->id, VIEW); /* its free will be recognised, and frees nothing */
}
