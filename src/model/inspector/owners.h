/* SPDX-License-Identifier: Apache-2.0 */
/* Which device buffers there were, from Inspector's events. An event is not an allocation: a tensor is made and moved twice,
 * and prints six; views of a buffer print the same events and own nothing; ids are pointers, and given out again at once.
 *
 * An allocation whose address lies in a live owner's block is a view of it. `deallocated A` followed by `allocated A` of the
 * same type and size is a move: the owner lives on. A block is free when its owner goes, also when views of it stand.
 *
 * Bytes per bank are not printed: they are a lower bound (interleaved over all banks) until the next neighbour proves one of
 * the sizes that the usual pages give. Moments are the numbers of the events, in the order of the file. */
#ifndef TTMEM_MODEL_OWNERS_H
#define TTMEM_MODEL_OWNERS_H

#include "base/table/bitset.h"
#include "base/table/idmap.h"
#include "base/vec.h"
#include "device/chip.h"
#include "parse/foreign/inspector.h"
#include "parse/memview.h"

#define OWNER_LIVE UINT32_MAX

struct owner {
    uint64_t address, device_bytes, bank_bytes;
    uint64_t most_bytes; /* per bank: as far as its neighbours left room; bank_bytes where that is proved */
    uint64_t born_ns, gone_ns;
    uint32_t born, gone; /* moments; gone is OWNER_LIVE when it was still there at the end */
    uint8_t pool;
    uint8_t moves;
    bool proved; /* bank_bytes is exact */
};

enum { OWNERS_LEAVING = 8 };

struct owners {
    unsigned banks[POOL_COUNT], align[POOL_COUNT];
    VEC(struct owner) all; /* in the order of birth */
    struct idmap by_id;    /* id -> owner, or VIEW */
    struct idmap by_place; /* pool and address -> owner */
    struct bitset places[POOL_COUNT];
    uint32_t moment;
    uint32_t leaving[OWNERS_LEAVING]; /* that went last and may be moving; UINT32_MAX */
    uint32_t next_leaving;
    uint32_t pending; /* owner that went with the last event and still has its place; UINT32_MAX */
    uint64_t last_ns;
    /* bytes per bank now and at the highest, as far as events up to now tell: a neighbour that comes later may prove more */
    uint64_t sum[POOL_COUNT], peak[POOL_COUNT];
    uint64_t allocations, frees; /* events */
    uint64_t views, moves;
    uint64_t unknown_frees; /* of ids that nothing has */
    uint64_t lost_frees;    /* an id came again that had not gone */
    uint64_t unplaced;      /* without an address: per-core buffers, meshes without devices here */
    uint64_t on_host;
    uint64_t unbelievable;
    uint64_t fitting; /* that begin where their neighbour ends: how well the chip fits */
};

void owners_init(struct owners *o, const struct chip *chip);
void owners_take(struct owners *o, const struct inspector_event *event);
void owners_release(struct owners *o);

#endif
