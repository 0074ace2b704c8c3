/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the device buffers from Inspector's events. An event is not an allocation: making and moving a tensor prints six;
 * views of a buffer print the same events but own nothing; ids are pointers and are reused at once.
 *
 * An allocation inside a live owner's block is a view of it. `deallocated A` followed by `allocated A` of the same type and
 * size is a move: the owner lives on. A block is free once its owner goes, even if views of it remain.
 *
 * Bytes per bank are not printed: they are a lower bound (interleaved over all banks) until the next neighbour proves one of
 * the sizes that the usual pages give. Moments are the indices of the events in the file. */
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
    uint64_t most_bytes; /* per bank: upper bound by the room its neighbours leave; equals bank_bytes if proved */
    uint64_t born_ns, gone_ns;
    uint32_t born, gone; /* moments; gone is OWNER_LIVE if it lived to the end */
    uint8_t pool;
    uint8_t moves;
    bool proved; /* bank_bytes is exact */
};

enum { OWNERS_LEAVING = 8 };

struct owners {
    unsigned banks[POOL_COUNT], align[POOL_COUNT];
    VEC(struct owner) all; /* in order of birth */
    struct idmap by_id;    /* id -> owner, or VIEW */
    struct idmap by_place; /* pool and address -> owner */
    struct bitset places[POOL_COUNT];
    uint32_t moment;
    uint32_t leaving[OWNERS_LEAVING]; /* last owners that went and may be moving; UINT32_MAX */
    uint32_t next_leaving;
    uint32_t pending; /* owner that went with the last event and still occupies its place; UINT32_MAX */
    uint64_t last_ns;
    /* current and highest bytes per bank according to the events so far: a later neighbour may prove more */
    uint64_t sum[POOL_COUNT], peak[POOL_COUNT];
    uint64_t allocations, frees; /* numbers of events */
    uint64_t views, moves;
    uint64_t unknown_frees; /* for unknown ids */
    uint64_t lost_frees;    /* an id was allocated again without a free */
    uint64_t unplaced;      /* without an address: per-core buffers, meshes without local devices */
    uint64_t on_host;
    uint64_t unbelievable;
    uint64_t fitting; /* number that begin where their neighbour ends: how well the chip fits */
};

void owners_init(struct owners *o, const struct chip *chip);
void owners_take(struct owners *o, const struct inspector_event *event);
void owners_release(struct owners *o);

#endif
