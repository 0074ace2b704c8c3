/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to device memory, as plain data: written by the graph-capture parser and by libttmem's entry points, read by
 * usage/ and by the simulator. Nothing is owned; pointers are valid for the duration of the call that gets the event. */
#ifndef TTMEM_DEVICE_EVENT_H
#define TTMEM_DEVICE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "device/core_range.h"

/* Where a buffer is: tt-metal's BufferType, same numbers. */
enum mem_type { MEM_DRAM, MEM_L1, MEM_SYSTEM_MEMORY, MEM_L1_SMALL, MEM_TRACE, MEM_TYPES };

enum mem_event_kind {
    MEM_NONE,
    MEM_ALLOCATE,
    MEM_FREE,
    /* memory of a running program, the same number of bytes on every core of `ranges` */
    MEM_CIRCULAR_BUFFER,
    MEM_DATAFLOW_BUFFER,
    MEM_SCRATCHPAD,
    MEM_RELEASE_PROGRAM, /* ends all three */
};

/* Larger sizes are rejected, so that sums cannot overflow. */
#define MEM_SIZE_MAX ((uint64_t)1 << 50)

struct mem_event {
    enum mem_event_kind kind;
    bool has_device; /* false: old captures do not say, and one device is assumed */
    bool borrowed;   /* program memory inside an L1 buffer (globally allocated, borrows memory) */
    bool sharded;
    bool simulated;  /* the address was given by the simulator */
    bool unreadable; /* a size or the address was given but is impossible: it is 0 */
    bool top_down;   /* DRAM from the upper end, like binaries of programs */
    enum mem_type type;
    uint64_t device;
    uint64_t address; /* 0: unknown */
    uint64_t id;      /* names a buffer without an address; 0: none */
    uint64_t size;    /* MEM_ALLOCATE: bytes over all banks; program memory: bytes per core */
    uint64_t page_size;
    uint64_t size_per_bank; /* 0: unknown */
    uint64_t num_cores;     /* of a sharded buffer; 0: interleaved */
    const struct core_range *ranges;
    size_t ranges_len; /* 0: cores are unknown, every core is assumed */

    /* MEM_FREE as tt-metal's own extractors see it: the buffer node that the event points to. */
    uint64_t node_size;
    bool node_is_dram;
};

#endif
