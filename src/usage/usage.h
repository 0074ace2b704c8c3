/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation events in, usage per segment out: the arithmetic of the memory tracker, shared by libttmem and the program.
 *
 * DRAM is counted over all banks of a chip, relative to the start of the segment and signed: freeing what was allocated
 * earlier makes it fall below zero. L1 is counted per core (bank): all buffers known to be alive, also from earlier
 * segments, and the program's circular buffers on the fullest core. Chips are kept apart; TRACE and L1_SMALL are counted
 * separately. A mesh device and the chips in it are tied by usage_tie (buffers name the mesh, circular buffers the chip); if
 * they are not tied, a chip with circular buffers but no buffers belongs to the only device that has buffers.
 *
 * The same sum is also kept by the rules of tt-metal's own extractors (usage/upstream.h), for comparison.
 *
 * Owns its memory; never ends the process. Not thread-safe. */
#ifndef TTMEM_USAGE_USAGE_H
#define TTMEM_USAGE_USAGE_H

#include "base/table/idmap.h"
#include "device/event.h"
#include "usage/program.h"
#include "usage/upstream.h"

struct usage_pool {
    int64_t current; /* since the start of the segment */
    int64_t peak;    /* highest `current`, at least 0 */
    int64_t allocated, freed;
    int64_t freed_earlier; /* part of `freed`: allocated before the segment */
    uint64_t allocations, frees, frees_earlier;
    uint64_t frees_unknown; /* part of frees_earlier: never seen to be allocated */
    uint64_t frees_unseen;  /* part of frees: only noticed when the address was given out again */
    uint32_t peak_tag;
};

/* Per core. */
struct usage_l1 {
    int64_t peak_circular, peak_buffer, peak_dataflow, peak_scratchpad, peak_total;
    int64_t at_start; /* buffers alive from earlier segments */
    int64_t at_end;
    struct program_bytes program_at_peak;
    int64_t buffer_at_peak;
    uint32_t peak_tag;
};

struct usage_buffer {
    uint64_t device, address, id, size;
    int64_t counted;      /* what its pool counts: bytes, or bytes per bank for L1 */
    uint64_t serial;      /* of the allocation */
    uint32_t tag;         /* the caller's tag at the allocation */
    uint32_t description; /* set by usage_describe */
    uint32_t segment;
    bool nameless; /* its address is unknown or simulated: in the next capture only its size identifies it */
    enum mem_type type;
    uint32_t next_unused;
};

struct usage_buffers {
    struct usage_buffer *items;
    size_t len, cap;
};

/* What was alive at the peak: buffers that still are, if allocated up to `serial`, and those freed since. */
struct usage_moment {
    uint64_t serial;
    struct usage_buffers gone;
};

struct usage_device {
    uint64_t id;
    bool tied;     /* `mesh` is set by usage_tie */
    uint64_t mesh; /* id of the device that holds its buffers */
    bool has_buffers, has_program;
    struct usage_pool pools[MEM_TYPES];
    struct usage_l1 l1;
    int64_t l1_alive; /* per core, all segments */
    struct program_memory program;
    struct idmap by_address[MEM_TYPES], by_id[MEM_TYPES]; /* -> index of a live buffer */
    struct usage_moment dram_peak, l1_peak;
};

struct usage {
    struct usage_device *devices;
    size_t devices_len, devices_cap;
    struct idmap device_index;
    struct idmap released;     /* ids that a release of program memory has named */
    struct usage_buffers live; /* with holes; [0] is unused */
    uint32_t live_unused;
    uint64_t serial;
    uint32_t segment;
    uint32_t tag;               /* set by the caller: what is running */
    unsigned interleaved_cores; /* banks of an interleaved L1 buffer if the event does not give bytes per bank; 0: one */
    bool keep_moments;          /* fill dram_peak and l1_peak */
    struct usage_upstream upstream;

    /* what the last event did, on any device */
    int64_t dram_change, l1_change; /* bytes; bytes per core */
    uint64_t l1_serial;             /* of the last event that added or removed an L1 buffer */
};

enum { USAGE_DEVICES_MAX = 1024 };
#define USAGE_NO_DEVICE UINT64_MAX /* id of the one device of captures that name none */

enum usage_result { USAGE_OK, USAGE_NO_MEMORY, USAGE_TOO_MANY_DEVICES };

void usage_init(struct usage *usage);
void usage_release(struct usage *usage);

/* Starts the next segment: peaks and sums start again, live buffers stay. */
void usage_next_segment(struct usage *usage);

enum usage_result usage_event(struct usage *usage, const struct mem_event *event);

/* Programs that ran have ended on every device, though no event says so. */
void usage_programs_end(struct usage *usage);

/* For a MEM_FREE of something unknown by address and id: assumes that it is a buffer of equal size left over from a capture
 * without addresses, and names that in the event. */
void usage_resolve_free(const struct usage *usage, struct mem_event *event);

/* Gives the live buffer with that id, on any device, a number for the caller's use. */
void usage_describe(struct usage *usage, uint64_t id, uint32_t description);

/* The chip's buffers are counted on `mesh`. */
enum usage_result usage_tie(struct usage *usage, uint64_t chip, uint64_t mesh);

/* Id of the device that holds the buffers of the event's device. */
uint64_t usage_owner(const struct usage *usage, const struct mem_event *event);

/* Lowest address of an L1 buffer alive on the device; false: none has a known address. */
bool usage_lowest_l1(const struct usage *usage, uint64_t device, uint64_t *address);

/* Calls `each` for every buffer alive now. */
void usage_each_live(const struct usage *usage, void (*each)(void *context, const struct usage_buffer *), void *context);

/* Calls `each` for every buffer that was alive at the device's peak. Needs keep_moments. */
void usage_each_at_peak(const struct usage *usage, const struct usage_device *device, bool l1,
                        void (*each)(void *context, const struct usage_buffer *), void *context);

#endif
