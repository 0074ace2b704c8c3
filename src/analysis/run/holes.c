/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/holes.h"

#include <stdlib.h>

#include "analysis/run/live.h"

struct placed {
    uint64_t address, end;
    uint32_t tensor;
};

typedef VEC(struct placed) placed_list;

static int lower_first(const void *a, const void *b) {
    const struct placed *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

static int more_won_first(const void *a, const void *b) {
    const struct pin *x = a, *y = b;
    if (x->joined != y->joined) return x->joined < y->joined ? 1 : -1;
    return x->address < y->address ? -1 : x->address > y->address;
}

static const struct region *region_of(const struct run *run, uint16_t rank, enum pool pool) {
    for (size_t i = 0; i < run->regions.len; i++)
        if (run->regions.items[i].rank == rank && run->regions.items[i].pool == pool) return &run->regions.items[i];
    return NULL;
}

static void list_placed(const struct run *run, uint32_t step, enum pool pool, placed_list *list) {
    uint16_t rank = run->steps.items[step].rank;
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (!tensor_alive(tensor, step, rank) || !tensor_in_pool(run, tensor, pool)) continue;
        uint64_t bytes = tensor_sum(run, tensor).per_bank_bytes, address = run->addresses.items[i];
        if (bytes) vec_push(list, ((struct placed){address, address + bytes, (uint32_t)i}));
    }
    if (list->len) qsort(list->items, list->len, sizeof *list->items, lower_first);
}

static void add_hole(struct holes *out, uint64_t address, uint64_t bytes, uint32_t below, uint32_t above) {
    if (!bytes) return;
    vec_push(&out->list, ((struct hole){address, bytes, below, above}));
    out->count++;
    out->free += bytes;
    if (bytes > out->largest) out->largest = bytes;
}

/* Walks the pool from its low end: a hole, a pin, a hole, ... */
static void walk(const placed_list *list, struct holes *out) {
    uint64_t end = out->base + out->bytes, at = out->base, hole = 0;
    uint32_t last = NONE; /* the one that ends at `at` */
    struct pin pin = {0};
    for (size_t i = 0; i <= list->len; i++) {
        uint64_t start = i < list->len ? list->items[i].address : end;
        if (start > end) start = end;
        if (start > at || i == list->len) {
            uint64_t next = start > at ? start - at : 0;
            add_hole(out, at, next, last, i < list->len ? list->items[i].tensor : NONE);
            pin.joined = hole + pin.bytes + next;
            if (pin.tensors && hole && next) vec_push(&out->pins, pin);
            hole = next;
            pin = (struct pin){.address = start};
        }
        if (i == list->len) return;
        const struct placed *placed = &list->items[i];
        uint64_t from = placed->address > at ? placed->address : at;
        if (!pin.tensors) pin.address = placed->address;
        if (!pin.tensors || placed->end - placed->address > list->items[pin.tensor].end - list->items[pin.tensor].address)
            pin.tensor = (uint32_t)i;
        pin.tensors++;
        if (placed->end > from) pin.bytes += placed->end - from;
        if (placed->end > at) at = placed->end, last = placed->tensor;
    }
}

bool holes_at(const struct run *run, uint32_t step, enum pool pool, struct holes *out) {
    *out = (struct holes){0};
    if (!run->addresses.len || step >= run->steps.len) return false;
    const struct region *region = region_of(run, run->steps.items[step].rank, pool);
    if (!region) return false;
    out->base = region->base;
    out->bytes = region->bytes;
    out->possible = run->inspector && run->inspector->most_slack[pool];
    placed_list list = {0};
    list_placed(run, step, pool, &list);
    walk(&list, out);
    for (size_t i = 0; i < out->pins.len; i++) out->pins.items[i].tensor = list.items[out->pins.items[i].tensor].tensor;
    if (out->pins.len) qsort(out->pins.items, out->pins.len, sizeof *out->pins.items, more_won_first);
    vec_release(&list);
    return true;
}

void holes_release(struct holes *holes) {
    vec_release(&holes->list);
    vec_release(&holes->pins);
}
