/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of one simulated device: its pools, and every buffer in them with its real address, a class and a count of
 * handles. All chips of a mesh allocate in lock-step, so one represents all. Sizes are bytes per bank. Owns its memory. */
#ifndef TTMEM_REPLAY_MEMORY_H
#define TTMEM_REPLAY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "device/allocator.h"
#include "parse/memview.h"
#include "replay/engine/device.h"

#define BUFFER_NO UINT32_MAX

enum memory_class {
    MEMORY_WEIGHT,
    MEMORY_CONST_EVAL,
    MEMORY_KV_CACHE,
    MEMORY_INPUT,
    MEMORY_CONSTANT,
    MEMORY_ACTIVATION,
    MEMORY_TEMPORARY,
    MEMORY_RESHAPE_MAP,
    MEMORY_TABLE,
    MEMORY_BINARY,
    MEMORY_RESIDENT, /* allocated before anything runs */
    MEMORY_CLASSES,
};

extern const char *const memory_class_names[MEMORY_CLASSES]; /* "weight", ... as in JSON */

struct buffer {
    uint64_t address, bytes;
    uint32_t handles;
    uint8_t pool, class;
    bool retained;  /* handles do not free it */
    bool estimated; /* its size or its existence is an estimate */
    bool live;
};

struct memory_sums {
    uint64_t bytes[MEMORY_CLASSES];
    uint32_t buffers[MEMORY_CLASSES];
    uint64_t estimated;
};

struct memory_peak {
    uint64_t allocated, largest_free;
    uint64_t place; /* memory.place when it was reached */
    struct memory_sums sums;
};

enum memory_failure_kind { MEMORY_EXHAUSTED, MEMORY_FRAGMENTED, MEMORY_BEYOND_BANK };

extern const char *const memory_failure_names[]; /* "exhausted", "fragmented", "larger_than_bank" */

struct memory_failure {
    enum memory_failure_kind kind;
    enum pool pool;
    uint64_t want, allocated, free, largest;
    uint64_t place;
    enum memory_class class; /* of the buffer that did not fit */
    struct memory_sums sums; /* of the pool */
    struct memory_sums dram; /* memory in no tensor is in DRAM, whichever pool is full */
};

/* Called for each event, in order. May be NULL. */
struct memory_watch {
    void *context;
    void (*took)(void *context, uint32_t buffer);
    void (*freed)(void *context, uint32_t buffer); /* called before it is freed */
    void (*reclassed)(void *context, uint32_t buffer);
};

struct memory {
    struct allocator pools[POOL_COUNT];
    VEC(struct buffer) buffers;
    struct memory_sums sums[POOL_COUNT];
    struct memory_peak peaks[POOL_COUNT];
    int64_t margin[POOL_COUNT];    /* least of largest free block minus request, below 0 if it failed; INT64_MAX: no request */
    struct memory_failure failure; /* the first one */
    uint64_t failures;
    uint64_t place;  /* set by the caller: what is running */
    bool estimating; /* set by the caller: what is being taken is an estimate */
    struct memory_watch watch;
};

void memory_init(struct memory *m, const struct predict_device *device);
void memory_release(struct memory *m);

enum memory_end { MEMORY_LOW, MEMORY_HIGH };

/* Takes `bytes` of a bank; the buffer has one handle. BUFFER_NO: nothing was requested, or it did not fit (failures grew). */
uint32_t memory_take(struct memory *m, enum pool pool, uint64_t bytes, enum memory_end end, enum memory_class class);

/* One handle more or fewer; BUFFER_NO is ignored. The memory goes with the last one unless it is retained. */
void memory_hold(struct memory *m, uint32_t buffer);
void memory_drop(struct memory *m, uint32_t buffer);

/* From now on handles do not free it / frees it whatever holds it. */
void memory_retain(struct memory *m, uint32_t buffer, enum memory_class class);
void memory_free(struct memory *m, uint32_t buffer);

/* Counts it in another class. */
void memory_reclass(struct memory *m, uint32_t buffer, enum memory_class class);

static inline uint64_t memory_allocated(const struct memory *m, enum pool pool) { return m->pools[pool].allocated; }
static inline uint64_t memory_largest(const struct memory *m, enum pool pool) {
    return allocator_stats(&m->pools[pool]).largest_free;
}

#endif
