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
        if (fit->addresses[i] == UINT64_MAX || !fit_is_there(fit, &trace->buffers.items[i])) continue;
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

unsigned fit_pins_find(const struct fit *fit, struct fit_pin pins[FIT_PINS]) {
    const struct fit_trace *trace = fit->trace;
    unsigned found = 0;
    if (trace->follows) return 0;
    struct fit_there *there = mem_alloc((trace->buffers.len + 1) * sizeof *there);
    size_t count = fit_there_find(fit, there);
    uint64_t below = trace->base; /* end of what lies below the hole under the pin */
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        struct fit_pin pin = {.buffers = 1, .group = trace->buffers.items[there[i].buffer].group};
        uint64_t largest = there[i].end - there[i].address;
        while (end < count && there[end].address == there[end - 1].end) {
            uint64_t bytes = there[end].end - there[end].address;
            if (bytes > largest) {
                largest = bytes;
                pin.group = trace->buffers.items[there[end].buffer].group;
            }
            pin.buffers++;
            end++;
        }
        uint64_t above = end < count ? there[end].address : trace->base + trace->capacity;
        pin.bytes = there[end - 1].end - there[i].address;
        pin.joined = above - below;
        bool between = there[i].address > below && above > there[end - 1].end;
        if (between) found = keep(pins, found, &pin);
        below = there[end - 1].end;
        i = end;
    }
    free(there);
    return found;
}
