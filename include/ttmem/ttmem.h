/* SPDX-License-Identifier: Apache-2.0 */
/* libttmem: counts device memory, phase by phase.
 *
 * A tracker takes allocation events, from a running program or from a ttnn graph capture, and reports for each segment
 * (phase; tt-train's functions call it a trace) how much DRAM was allocated and freed, how far it rose, and how full the
 * L1 of a core became. It needs no device.
 *
 *     ttmem_tracker *t = ttmem_default();
 *     ttmem_begin_capture(t, TTMEM_NORMAL);
 *     ...                                        events arrive: ttmem_buffer_allocate(t, &buffer, NULL), ...
 *     ttmem_snapshot(t, "FORWARD_PASS");
 *     ttmem_end_capture(t, NULL);
 *     ttmem_print(t, stdout);
 *     ttmem_clear(t);
 *
 * None of the functions ends the process, and only ttmem_print prints. Most return a status, which is TTMEM_BAD_ARGUMENT if the
 * tracker, or another argument that may not be NULL, is NULL. Functions that return no status give 0 or NULL for a NULL
 * tracker. After a failure, ttmem_last_error() returns one sentence about it, for the calling thread.
 *
 * Several threads may call every function on the same tracker, except ttmem_tracker_free. A program may fork at any time:
 * the child has the trackers as they were then.
 *
 * Valid as C11, C17 and C++17. */
#ifndef TTMEM_TTMEM_H
#define TTMEM_TTMEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define TTMEM_API __attribute__((visibility("default")))
#else
#define TTMEM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ttmem_tracker ttmem_tracker;

typedef enum ttmem_status {
    TTMEM_OK = 0,
    TTMEM_ACTIVE = 1,     /* a capture is already active */
    TTMEM_NOT_ACTIVE = 2, /* no capture is active */
    TTMEM_NOT_FOUND = 3,  /* no segment has that name or index; nothing was simulated on the device */
    TTMEM_AMBIGUOUS = 4,  /* several segments share that name */
    TTMEM_NO_MEMORY =
        5, /* the host has no memory left; the call had no effect, except that part of a graph capture may count */
    TTMEM_BAD_ARGUMENT = 6,
    TTMEM_BAD_CAPTURE = 7, /* the text is not a graph capture, or is cut; what could be read was counted */
    TTMEM_NO_ROOM = 8      /* the output buffer is too small; the size that is needed was stored */
} ttmem_status;

typedef enum ttmem_mode {
    TTMEM_NORMAL = 0,
    TTMEM_NO_DISPATCH = 1 /* nothing is allocated on a device; addresses come from the simulated allocator */
} ttmem_mode;

typedef enum ttmem_buffer_type { /* tt-metal's BufferType, same numbers */
                                 TTMEM_DRAM = 0,
                                 TTMEM_L1 = 1,
                                 TTMEM_SYSTEM_MEMORY = 2,
                                 TTMEM_L1_SMALL = 3,
                                 TTMEM_TRACE = 4
} ttmem_buffer_type;

typedef enum ttmem_rules {
    TTMEM_RULES_OWN = 0,     /* chips, TRACE and L1_SMALL are counted separately; L1 is that of the fullest core */
    TTMEM_RULES_UPSTREAM = 1 /* the sums of tt-metal's own extractors, for comparison */
} ttmem_rules;

/* --- trackers --- */

/* Makes a tracker of your own. Free it with ttmem_tracker_free when no other thread uses it. *out is NULL on failure. */
TTMEM_API ttmem_status ttmem_tracker_new(ttmem_tracker **out);
TTMEM_API void ttmem_tracker_free(ttmem_tracker *tracker); /* NULL is allowed */

/* The tracker of the process. Never free it. NULL only if the host has no memory left. */
TTMEM_API ttmem_tracker *ttmem_default(void);

/* The last failure on this thread; "" if there was none. A call that succeeds does not clear it. The text is valid until the
 * next failure on this thread. */
TTMEM_API const char *ttmem_last_error(void);

TTMEM_API const char *ttmem_version(void);

/* Chooses the sums that the usage functions, ttmem_print and ttmem_summary give. Both are always counted, so this may be
 * changed at any time. */
TTMEM_API ttmem_status ttmem_set_rules(ttmem_tracker *tracker, ttmem_rules rules);

/* The number of banks that an interleaved L1 buffer is spread over, for events with neither bytes per bank nor a number of
 * cores. 0 (the default) means one: such a buffer counts with all of its bytes on one core. */
TTMEM_API ttmem_status ttmem_set_interleaved_cores(ttmem_tracker *tracker, unsigned cores);

/* The chip that NO_DISPATCH simulates, by board or architecture: "n150" (the default), "n300", "p150", "blackhole", ...
 * TTMEM_ACTIVE during a capture, TTMEM_BAD_ARGUMENT for an unknown name. */
TTMEM_API ttmem_status ttmem_set_chip(ttmem_tracker *tracker, const char *name);

/* --- segments --- */

/* Starts a capture and its first segment. TTMEM_ACTIVE: "MemoryUsageTracker: Capture already active". */
TTMEM_API ttmem_status ttmem_begin_capture(ttmem_tracker *tracker, ttmem_mode mode);

/* Ends the current segment, gives it this name (which is copied), and starts the next one. Names may repeat.
 * TTMEM_NOT_ACTIVE: "MemoryUsageTracker: Cannot snapshot - capture is not active". */
TTMEM_API ttmem_status ttmem_snapshot(ttmem_tracker *tracker, const char *name);

/* Ends the last segment and the capture. The name NULL means "END_TRACE". Without an active capture it does nothing and
 * returns TTMEM_OK. */
TTMEM_API ttmem_status ttmem_end_capture(ttmem_tracker *tracker, const char *name);

/* Forgets all segments and live buffers, and ends the capture without adding a segment for it. */
TTMEM_API ttmem_status ttmem_clear(ttmem_tracker *tracker);

TTMEM_API int ttmem_is_active(ttmem_tracker *tracker); /* 1 or 0 */

/* --- events: they count while a capture is active, and otherwise return TTMEM_NOT_ACTIVE --- */

typedef struct ttmem_buffer {
    uint64_t device; /* id of the chip or mesh device */
    ttmem_buffer_type type;
    uint64_t address; /* 0: not known */
    uint64_t id;      /* any number that identifies the buffer while it lives; 0: its address does */
    uint64_t size;    /* bytes over all banks */
    uint64_t page_size;
    uint64_t size_per_bank; /* 0: computed from size, page_size and num_cores */
    uint64_t num_cores;     /* of a sharded buffer; 0: interleaved */
} ttmem_buffer;

/* A buffer was allocated. `address` may be NULL. In a NO_DISPATCH capture, a buffer without an address gets one from the
 * simulated allocator, stored in *address; 0 if it does not fit (see ttmem_fit). In a NORMAL capture, *address is
 * buffer->address. */
TTMEM_API ttmem_status ttmem_buffer_allocate(ttmem_tracker *tracker, const ttmem_buffer *buffer, uint64_t *address);

/* A buffer was freed. It is found by device, type and address, or by id. If it was allocated before the capture, it counts
 * as such. */
TTMEM_API ttmem_status ttmem_buffer_deallocate(ttmem_tracker *tracker, const ttmem_buffer *buffer);

typedef struct ttmem_core_range { /* both corners are included */
    uint16_t x0, y0, x1, y1;
} ttmem_core_range;

typedef struct ttmem_program_memory {
    uint64_t device;
    uint64_t address;               /* 0: not known */
    uint64_t size;                  /* bytes on every core of `ranges` */
    const ttmem_core_range *ranges; /* NULL with ranges_len 0: every core */
    size_t ranges_len;
    int borrowed; /* not 0: lies in an L1 buffer (globally allocated, borrows memory) and does not count again */
} ttmem_program_memory;

/* A program takes memory in L1: a circular buffer, a dataflow buffer, a scratchpad. */

TTMEM_API ttmem_status ttmem_circular_buffer_allocate(ttmem_tracker *tracker, const ttmem_program_memory *memory);
TTMEM_API ttmem_status ttmem_dataflow_buffer_allocate(ttmem_tracker *tracker, const ttmem_program_memory *memory);
TTMEM_API ttmem_status ttmem_scratchpad_allocate(ttmem_tracker *tracker, const ttmem_program_memory *memory);

/* The program on this device has ended, and with it its circular buffers, dataflow buffers and scratchpads. */
TTMEM_API ttmem_status ttmem_program_release(ttmem_tracker *tracker, uint64_t device);

/* A function starts or ends, so that a peak can name it. Calls may be nested; each thread has its own. */
TTMEM_API ttmem_status ttmem_function_start(ttmem_tracker *tracker, const char *name);
TTMEM_API ttmem_status ttmem_function_end(ttmem_tracker *tracker);

/* The chip belongs to the mesh device: buffers of either are counted together. */
TTMEM_API ttmem_status ttmem_tie_device(ttmem_tracker *tracker, uint64_t chip, uint64_t mesh);

/* Counts a graph capture (the text of ttnn.graph.end_graph_capture(), or of the report file) in the current segment. */
TTMEM_API ttmem_status ttmem_capture_json(ttmem_tracker *tracker, const char *text, size_t len);

/* Adds a graph capture as a segment of its own. TTMEM_ACTIVE during a capture. With TTMEM_BAD_CAPTURE, the segment was added
 * with what could be read. */
TTMEM_API ttmem_status ttmem_add_segment_json(ttmem_tracker *tracker, const char *name, const char *text, size_t len);

/* --- answers --- */

typedef struct ttmem_dram_usage { /* bytes over all banks of the chip with the highest peak, since the segment began */
    int64_t peak;
    int64_t allocations;
    int64_t deallocations;
    int64_t deallocated_earlier; /* part of deallocations: allocated before the segment */
} ttmem_dram_usage;

typedef struct ttmem_l1_usage { /* bytes on the fullest core */
    uint64_t peak_cb;
    uint64_t peak_buffer;
    uint64_t peak_dataflow_buffer;
    uint64_t peak_scratchpad;
    uint64_t peak_total; /* the highest sum of all of them at one moment */
} ttmem_l1_usage;

TTMEM_API size_t ttmem_segment_count(ttmem_tracker *tracker);

/* Copies the name, NUL-terminated, into `out` of `size` bytes. *needed (may be NULL) gets its size with the NUL.
 * TTMEM_NO_ROOM if it does not fit. */
TTMEM_API ttmem_status ttmem_segment_name(ttmem_tracker *tracker, size_t index, char *out, size_t size, size_t *needed);

/* The usage of a segment, by name or by index. By name: TTMEM_NOT_FOUND "MemoryUsageTracker: Trace 'x' not found",
 * TTMEM_AMBIGUOUS if several segments share the name. */
TTMEM_API ttmem_status ttmem_get_dram_usage(ttmem_tracker *tracker, const char *name, ttmem_dram_usage *out);
TTMEM_API ttmem_status ttmem_get_l1_usage(ttmem_tracker *tracker, const char *name, ttmem_l1_usage *out);
TTMEM_API ttmem_status ttmem_get_dram_usage_at(ttmem_tracker *tracker, size_t index, ttmem_dram_usage *out);
TTMEM_API ttmem_status ttmem_get_l1_usage_at(ttmem_tracker *tracker, size_t index, ttmem_l1_usage *out);

/* Whether a NO_DISPATCH capture would have fitted the simulated device. */
typedef struct ttmem_fit_result {
    uint64_t events;   /* events that were simulated */
    uint64_t failures; /* allocations or programs that did not fit */
    /* the first failure; all 0 if there was none */
    int fragmented; /* enough was free, but not in one block */
    int program;    /* circular buffers grew beyond L1 or into an L1 buffer */
    ttmem_buffer_type type;
    uint64_t size, size_per_bank;         /* the request */
    uint64_t free_per_bank, largest_free; /* what was free of bank_size at that moment */
    uint64_t bank_size;
    size_t segment;     /* index of the segment in which it failed */
    char function[128]; /* what ran, cut to fit; "" if not known */
} ttmem_fit_result;

TTMEM_API ttmem_status ttmem_fit(ttmem_tracker *tracker, ttmem_fit_result *out);

/* The current state of a bank of a simulated device. TTMEM_NOT_FOUND: nothing was simulated on it. */
typedef struct ttmem_bank_state {
    uint64_t total, allocated, free, largest_free, high_water;
} ttmem_bank_state;
TTMEM_API ttmem_status ttmem_simulated_bank(ttmem_tracker *tracker, uint64_t device, ttmem_buffer_type type,
                                            ttmem_bank_state *out);

/* ttmem_print writes the summary that tt-train prints to `stream`. ttmem_summary returns it as text, ttmem_json returns
 * everything as JSON. Release the text with ttmem_free; it is NULL if the tracker is NULL or the host
 * has no memory left. */
TTMEM_API ttmem_status ttmem_print(ttmem_tracker *tracker, FILE *stream);
TTMEM_API char *ttmem_summary(ttmem_tracker *tracker);
TTMEM_API char *ttmem_json(ttmem_tracker *tracker);
TTMEM_API void ttmem_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
