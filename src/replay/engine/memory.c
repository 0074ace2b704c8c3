/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/engine/memory.h"

#include "device/allocator_or_end.h"

const char *const memory_class_names[MEMORY_CLASSES] = {
    "weight",    "const_eval",  "kv_cache", "input",  "constant",     "activation",
    "temporary", "reshape_map", "table",    "binary", "unattributed",
};

const char *const memory_failure_names[] = {"exhausted", "fragmented", "larger_than_bank"};

void memory_init(struct memory *m, const struct predict_device *device) {
    *m = (struct memory){0};
    for (int pool = 0; pool < POOL_COUNT; pool++) {
        const struct predict_pool *p = &device->pools[pool];
        m->margin[pool] = INT64_MAX;
        (void)allocator_ok(allocator_init(&m->pools[pool], p->base, p->bytes, device->geometry.dram_align));
        m->peaks[pool].largest_free = p->bytes;
    }
}

void memory_release(struct memory *m) {
    for (int pool = 0; pool < POOL_COUNT; pool++) allocator_release(&m->pools[pool]);
    vec_release(&m->buffers);
}

static void note_failure(struct memory *m, enum pool pool, uint64_t want, enum memory_class class) {
    if (m->failures++) return;
    struct allocator_stats stats = allocator_stats(&m->pools[pool]);
    m->failure = (struct memory_failure){.kind = want > stats.total  ? MEMORY_BEYOND_BANK
                                                 : want > stats.free ? MEMORY_EXHAUSTED
                                                                     : MEMORY_FRAGMENTED,
                                         .pool = pool,
                                         .want = want,
                                         .allocated = stats.allocated,
                                         .free = stats.free,
                                         .largest = stats.largest_free,
                                         .place = m->place,
                                         .class = class,
                                         .sums = m->sums[pool],
                                         .dram = m->sums[POOL_DRAM]};
}

static void add_to_sums(struct memory *m, const struct buffer *b) {
    struct memory_sums *sums = &m->sums[b->pool];
    sums->bytes[b->class] += b->bytes;
    sums->buffers[b->class]++;
    if (b->estimated) sums->estimated += b->bytes;
}

static void take_from_sums(struct memory *m, const struct buffer *b) {
    struct memory_sums *sums = &m->sums[b->pool];
    sums->bytes[b->class] -= b->bytes;
    sums->buffers[b->class]--;
    if (b->estimated) sums->estimated -= b->bytes;
}

static void note_peak(struct memory *m, enum pool pool) {
    struct memory_peak *peak = &m->peaks[pool];
    if (m->pools[pool].allocated <= peak->allocated) return;
    *peak = (struct memory_peak){m->pools[pool].allocated, memory_largest(m, pool), m->place, m->sums[pool]};
}

uint32_t memory_take(struct memory *m, enum pool pool, uint64_t bytes, enum memory_end end, enum memory_class class) {
    if (!bytes) return BUFFER_NO;
    struct allocator *a = &m->pools[pool];
    uint64_t rounded = allocator_round(a, bytes), address;
    int64_t room = (int64_t)memory_largest(m, pool) - (int64_t)(rounded > INT64_MAX ? INT64_MAX : rounded);
    if (room < m->margin[pool]) m->margin[pool] = room;
    if (!allocator_ok(allocator_take(a, bytes, end == MEMORY_LOW, &address))) {
        note_failure(m, pool, rounded, class);
        return BUFFER_NO;
    }
    vec_push(&m->buffers, ((struct buffer){.address = address,
                                           .bytes = rounded,
                                           .handles = 1,
                                           .pool = (uint8_t)pool,
                                           .class = (uint8_t) class,
                                           .estimated = m->estimating,
                                           .live = true}));
    add_to_sums(m, &vec_last(&m->buffers));
    note_peak(m, pool);
    uint32_t id = (uint32_t)m->buffers.len - 1;
    if (m->watch.took) m->watch.took(m->watch.context, id);
    return id;
}

void memory_hold(struct memory *m, uint32_t buffer) {
    if (buffer != BUFFER_NO) m->buffers.items[buffer].handles++;
}

void memory_free(struct memory *m, uint32_t buffer) {
    if (buffer == BUFFER_NO || !m->buffers.items[buffer].live) return;
    struct buffer *b = &m->buffers.items[buffer];
    if (m->watch.freed) m->watch.freed(m->watch.context, buffer);
    take_from_sums(m, b);
    b->live = false;
    allocator_free(&m->pools[b->pool], b->address);
}

void memory_drop(struct memory *m, uint32_t buffer) {
    if (buffer == BUFFER_NO) return;
    struct buffer *b = &m->buffers.items[buffer];
    if (b->handles) b->handles--;
    if (!b->handles && !b->retained) memory_free(m, buffer);
}

void memory_reclass(struct memory *m, uint32_t buffer, enum memory_class class) {
    struct buffer *b = &m->buffers.items[buffer];
    if (!b->live) return;
    take_from_sums(m, b);
    b->class = (uint8_t) class;
    add_to_sums(m, b);
    if (m->watch.reclassed) m->watch.reclassed(m->watch.context, buffer);
}

void memory_retain(struct memory *m, uint32_t buffer, enum memory_class class) {
    if (buffer == BUFFER_NO) return;
    struct buffer *b = &m->buffers.items[buffer];
    if (!b->retained) memory_reclass(m, buffer, class);
    b->retained = true;
}
