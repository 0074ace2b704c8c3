/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fit/pins.h"

#include <stdlib.h>

#include "analysis/fit/kinds.h"

static int by_address(const void *a, const void *b) {
    const struct fit_there *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

size_t fit_there_find(const struct fit *fit, struct fit_there *out) {
    const struct fit_trace *trace = fit->trace;
    size_t count = 0;
    for (uint32_t i = 0; i < trace->buffers.len; i++) {
        if (fit->addresses[i] == UINT64_MAX || !fit_is_there_at(&trace->buffers.items[i], fit_event_of_blocks(fit))) continue;
        out[count++] = (struct fit_there){fit->addresses[i], fit->addresses[i] + trace->buffers.items[i].bytes, i};
    }
    if (count) qsort(out, count, sizeof *out, by_address);
    return count;
}

static unsigned keep(struct fit_pin pins[FIT_PINS], unsigned count, const struct fit_pin *pin) {
    unsigned at = count;
    while (at && pins[at - 1].joined < pin->joined) at--;
    if (at == FIT_PINS) return count;
    for (unsigned k = count < FIT_PINS ? count : FIT_PINS - 1; k > at; k--) pins[k] = pins[k - 1];
    pins[at] = *pin;
    return count < FIT_PINS ? count + 1 : count;
}

/* What is allocated together between two holes. */
struct pinned {
    size_t first, end; /* indices into what is alive there */
    uint64_t joined;
};

/* In address order; has room for all of them. */
static size_t find_pinned(const struct fit_trace *trace, const struct fit_there *there, size_t count, struct pinned *out) {
    size_t found = 0;
    uint64_t below = trace->base; /* end of what is below the hole under it */
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && there[end].address == there[end - 1].end;) end++;
        uint64_t above = end < count ? there[end].address : trace->base + trace->capacity;
        if (there[i].address > below && above > there[end - 1].end) out[found++] = (struct pinned){i, end, above - below};
        below = there[end - 1].end;
    }
    return found;
}

unsigned fit_pins_find(const struct fit *fit, struct fit_pin pins[FIT_PINS]) {
    const struct fit_trace *trace = fit->trace;
    unsigned found = 0;
    if (trace->follows) return 0;
    struct fit_there *there = mem_alloc((trace->buffers.len + 1) * sizeof *there);
    size_t count = fit_there_find(fit, there);
    struct pinned *all = mem_alloc((count + 1) * sizeof *all);
    size_t runs = find_pinned(trace, there, count, all);
    for (size_t i = 0; i < runs; i++) {
        uint64_t largest = 0;
        struct fit_pin pin = {.bytes = there[all[i].end - 1].end - there[all[i].first].address,
                              .joined = all[i].joined,
                              .buffers = (uint32_t)(all[i].end - all[i].first)};
        for (size_t k = all[i].first; k < all[i].end; k++) {
            uint64_t bytes = there[k].end - there[k].address;
            if (bytes <= largest) continue;
            largest = bytes;
            pin.group = trace->buffers.items[there[k].buffer].group;
        }
        found = keep(pins, found, &pin);
    }
    free(all);
    free(there);
    return found;
}

static int larger_first(const void *a, const void *b) {
    const struct pinned *x = a, *y = b;
    if (x->joined != y->joined) return x->joined > y->joined ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

size_t fit_pinning_find(const struct fit *fit, uint32_t groups[FIT_MOST_PINNING], uint64_t *left_out) {
    const struct fit_trace *trace = fit->trace;
    size_t added = 0;
    if (trace->follows) return 0;
    struct fit_there *there = mem_alloc((trace->buffers.len + 1) * sizeof *there);
    bool *seen = mem_zalloc(trace->groups.len + 1, sizeof *seen);
    size_t count = fit_there_find(fit, there);
    struct pinned *all = mem_alloc((count + 1) * sizeof *all);
    size_t runs = find_pinned(trace, there, count, all);
    if (runs) qsort(all, runs, sizeof *all, larger_first);
    for (size_t i = 0; i < runs; i++) {
        for (size_t k = all[i].first; k < all[i].end; k++) {
            uint32_t group = trace->buffers.items[there[k].buffer].group;
            if (seen[group]) continue;
            seen[group] = true;
            if (added < FIT_MOST_PINNING) groups[added++] = group;
            else ++*left_out;
        }
    }
    free(all);
    free(seen);
    free(there);
    return added;
}
