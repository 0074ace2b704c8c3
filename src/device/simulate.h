/* SPDX-License-Identifier: Apache-2.0 */
/* A device's memory, simulated: one allocator per kind of memory and the layouts of the running program. Events go in,
 * addresses and failures come out. What does not fit is reported and then left out, so that a replay can continue.
 *
 * Owns its memory; never ends the process. Not thread-safe. */
#ifndef TTMEM_DEVICE_SIMULATE_H
#define TTMEM_DEVICE_SIMULATE_H

#include "device/allocator.h"
#include "device/chip.h"
#include "device/event.h"
#include "device/program_layout.h"

/* sim_map_of fills it from a chip; a capture's own numbers may replace them. Bytes are per bank. */
struct sim_map {
    unsigned dram_banks, l1_banks;
    unsigned dram_align, l1_align;
    uint64_t dram_base, dram_end;
    uint64_t trace_bytes; /* region at the end of DRAM; 0: traces are placed there, but nothing is kept free for them */
    uint64_t l1_base, l1_end;
    uint64_t l1_small_bytes; /* at the end of L1 */
};

struct sim_map sim_map_of(const struct chip *chip);

enum sim_failure_kind {
    SIM_OUT_OF_MEMORY, /* less is free than wanted */
    SIM_FRAGMENTED,    /* enough is free, but not in one block */
    SIM_BEYOND_L1,     /* circular buffers grow beyond the end of L1 */
    SIM_CLASH,         /* circular buffers reach into the lowest L1 buffer */
};

struct sim_failure {
    enum sim_failure_kind kind;
    enum mem_type type;
    uint64_t device;
    uint64_t size, size_per_bank;   /* requested; the second is rounded as it would be reserved */
    struct allocator_stats bank;    /* at that moment */
    enum mem_event_kind program;    /* SIM_BEYOND_L1, SIM_CLASH: the kind of memory */
    uint64_t region_end, lowest_l1; /* the same two */
    struct core_range range;
};

/* The names under which the buffer in a slot of the allocator is known. */
struct sim_owner {
    uint64_t id, address; /* its names in events; 0: not by this */
};

struct sim_pool {
    struct allocator allocator;
    struct sim_owner *owners; /* by slot of the allocator */
    size_t owners_cap;
    struct idmap by_id, by_address; /* name -> slot */
};

struct sim {
    struct sim_map map;
    struct sim_pool pools[MEM_TYPES];
    struct program_layout circular, dataflow; /* both from the unreserved base; scratchpads are above both */
};

enum sim_result { SIM_OK, SIM_FAILED, SIM_NO_MEMORY };

enum sim_result sim_init(struct sim *sim, const struct sim_map *map);
void sim_release(struct sim *sim);

/* Takes one event. For an allocation *address (may be NULL) gets the simulated address. SIM_FAILED fills `failure`. A free
 * of something unknown is ignored. */
enum sim_result sim_event(struct sim *sim, const struct mem_event *event, uint64_t *address, struct sim_failure *failure);

/* Bytes per bank that the buffer takes on this device, before the allocator rounds. */
uint64_t sim_size_per_bank(const struct sim_map *map, const struct mem_event *event);

#endif
