/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of tt-metal's Inspector: entries of all kinds, the buffers that they tell of, whatever the chip; and as
 * startup.yaml. Read in two ways, whole and in small blocks, they are the same. */
#include <stdint.h>

#include "model/inspector/owners.h"

struct taken {
    struct owners owners;
    uint64_t events;
};

static void take(void *who, const struct inspector_event *event) {
    struct taken *taken = who;
    taken->events++;
    owners_take(&taken->owners, event);
}

static uint64_t read_in(struct slice bytes, size_t block, struct taken *taken) {
    struct inspector_parser parser;
    inspector_init(&parser, take, taken);
    for (size_t at = 0; at < bytes.len; at += block) {
        size_t n = bytes.len - at < block ? bytes.len - at : block;
        memcpy(inspector_room(&parser, n), bytes.ptr + at, n);
        inspector_took(&parser, n);
    }
    inspector_finish(&parser);
    uint64_t torn = parser.torn;
    inspector_release(&parser);
    return torn;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice bytes = slice_of((const char *)data, size);
    struct taken whole = {0}, small = {0};
    struct inspector_startup startup;
    inspector_startup_read(bytes, &startup);
    owners_init(&whole.owners, chip_find(size & 1 ? SLICE("n150") : SLICE("p150")));
    owners_init(&small.owners, chip_find(SLICE("n150")));
    uint64_t torn = read_in(bytes, size ? size : 1, &whole), again = read_in(bytes, 5, &small);
    if (torn != again || whole.events != small.events) __builtin_trap();
    for (size_t i = 0; i < whole.owners.all.len; i++) {
        const struct owner *owner = &whole.owners.all.items[i];
        if (owner->gone < owner->born || owner->pool >= POOL_COUNT || !owner->bank_bytes) __builtin_trap();
    }
    owners_release(&whole.owners);
    owners_release(&small.owners);
    return 0;
}
